import { describe, expect, it } from 'vitest';
import type { HpaMetric, HpaMetricTarget } from '../../api/kinds/horizontal-pod-autoscaler.ts';
import { desiredBy, millicores } from './hpa-desired.ts';

const cpu = (target: HpaMetricTarget): HpaMetric => ({ type: 'Resource', resource: { name: 'cpu', target } });
const half = cpu({ type: 'Utilization', averageUtilization: 50 });
const usage = (totalMillicores: number | undefined, readyPods = 2, requestMillicores: number | undefined = 100) => ({
  totalMillicores,
  readyPods,
  requestMillicores,
});

describe('desiredBy', () => {
  it.each([
    ['twice the target doubles', half, usage(200), 4],
    ['half the target halves', half, usage(50), 1],
    ['above the tolerance rounds up', half, usage(112), 3],
    ['within the tolerance nothing moves', half, usage(110), 2],
    ['no use at all wants none', half, usage(0), 0],
    ['an average value needs no request', cpu({ type: 'AverageValue', averageValue: '50m' }), usage(250, 2, undefined), 5],
  ])('%s', (_, metric, seen, replicas) => expect(desiredBy(metric, seen, 2)).toMatchObject({ replicas }));

  it.each([
    ['without a demand', half, usage(undefined)],
    ['without a ready pod', half, usage(100, 0)],
    ['a utilization without a request', half, { totalMillicores: 100, readyPods: 2, requestMillicores: undefined }],
    ['another resource', { type: 'Resource', resource: { name: 'memory', target: { type: 'Utilization' } } } as const, usage(100)],
  ])('%s nothing is measured', (_, metric, seen) => expect(desiredBy(metric, seen, 2)).toHaveProperty('unmeasured'));

  it('reads quantities of CPU', () => expect(['250m', '2', '0.5', 'x'].map(millicores)).toEqual([250, 2000, 500, undefined]));
});
