import { expect, it } from 'vitest';
import { aCanary } from '../../test/build/world.ts';
import type { Verdict } from '../api/canary-status.ts';
import { createControllerMetrics } from './controller-metrics.ts';

const verdicts: Verdict[] = [
  { check: 'errors', verdict: 'failed', value: 9 },
  { check: 'latency', verdict: 'unmeasured', reason: 'timeout' },
  { check: 'lag', verdict: 'unmeasured', reason: 'too early', early: true },
];

it('05-W1: checks are counted by metric and verdict, one that is too early not at all, and go with the Canary', async () => {
  const metrics = createControllerMetrics('test');
  const lines = async () =>
    (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith('flagger_canary_checks_total{'));
  metrics.measured(aCanary(), verdicts);
  metrics.measured(aCanary(), [...verdicts, { check: 'errors', verdict: 'passed', value: 0 }]);
  const of = (metric: string, verdict: string, count: number) =>
    `flagger_canary_checks_total{name="podinfo",namespace="test",metric="${metric}",verdict="${verdict}"} ${count}`;
  expect((await lines()).sort()).toEqual([of('errors', 'failed', 2), of('errors', 'passed', 1), of('latency', 'unmeasured', 2)]);
  metrics.gone('other', 'podinfo');
  expect(await lines()).toHaveLength(3);
  metrics.gone('test', 'podinfo');
  expect(await lines()).toEqual([]);
});
