import { expect, it } from 'vitest';
import { playHealthyRelease } from '../scenarios/adversity/healthy-release.ts';
import { aStage, startVirtualStage } from '../scenarios/environment.ts';

const stage = aStage(() => startVirtualStage({ lagMs: [0, 1000], seed: 3 }));
const small = { provider: 'istio', namespace: 'kept', interval: '500ms', leastAnswers: 500 } as const;

it('I10: with proxies that lag, clients that never stop see no error from bootstrap to deletion', async () => {
  const { lost, verdict } = await playHealthyRelease(stage(), { ...small, scaleDownDelay: '1500ms' });
  expect(lost).toEqual([]);
  expect(verdict).toBe('Succeeded');
});
