import { afterEach, expect, it, vi } from 'vitest';
import { initialized } from '../../../test/fakes/model/damage.ts';
import { states } from '../../engine/states/index.ts';
import { throwOnUnmoved } from '../../engine/unmoved.ts';
import { createControllerMetrics } from '../telemetry/controller-metrics.ts';

vi.setConfig({ testTimeout: 60_000 });
afterEach(() => {
  throwOnUnmoved(true);
  vi.restoreAllMocks();
});

it('L3: a decision that its state has no move for is logged with its code, and the Canary stays where it is', async () => {
  throwOnUnmoved(false);
  const lab = await initialized();
  await lab.pass(60_000);
  vi.spyOn(states['Initialized.resting'].decide, 'facts').mockReturnValue('shift' as never);
  lab.push('2');
  await lab.pass(5_000);
  const [line] = lab.logged.filter(({ msg }) => msg === 'a decision has no move');
  expect(line).toMatchObject({
    canary: 'test/podinfo',
    err: { code: 'UNMOVED_DECISION', message: 'Initialized.resting decides shift, and has no move for it: this is a bug in Serin' },
  });
  expect(lab.phase()).toBe('Initialized');
});

it('L3: serin_unmoved_decisions_total counts each of them', async () => {
  const metrics = createControllerMetrics('test');
  metrics.decisionUnmoved();
  metrics.decisionUnmoved();
  expect((await metrics.registry.metrics()).split('\n')).toContain('serin_unmoved_decisions_total 2');
});
