import { expect, it } from 'vitest';
import { playHealthyRelease } from '../scenarios/adversity/healthy-release.ts';
import { anEnvironment, startVirtualEnvironment } from '../scenarios/environment.ts';

const environment = anEnvironment(() => startVirtualEnvironment({ lagMs: [0, 1000], seed: 3 }));
const small = { provider: 'istio', namespace: 'kept', interval: '500ms', leastAnswers: 500 } as const;

it('I10: with proxies that lag, clients that never stop see no error from bootstrap to deletion', async () => {
  const { lost, verdict } = await playHealthyRelease(environment(), { ...small, scaleDownDelay: '1500ms' });
  expect(lost).toEqual([]);
  expect(verdict).toBe('Succeeded');
});
