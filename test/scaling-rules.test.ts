import { describe, expect, it } from 'vitest';
import { type Past, ruledReplicas } from './fakes/autoscaler/scaling-rules.ts';

const past = (...recommendations: [seconds: number, replicas: number][]): Past => ({
  recommendations: recommendations.map(([seconds, replicas]) => ({ atMs: seconds * 1000, replicas })),
  events: [],
});
const bounds = { minReplicas: 2, maxReplicas: 20 };

describe('rules of an HPA', () => {
  it.each([
    { what: 'fewer only when nothing of 5 min has asked for more', before: past([0, 8]), wanted: 3, current: 10, atS: 299, is: 8 },
    { what: 'fewer afterwards', before: past([0, 8]), wanted: 3, current: 10, atS: 301, is: 3 },
    { what: 'never below the minimum', before: past(), wanted: 1, current: 10, atS: 0, is: 2 },
    { what: 'never above the maximum', before: past(), wanted: 90, current: 15, atS: 0, is: 20 },
    { what: 'twice as many at once', before: past(), wanted: 90, current: 8, atS: 0, is: 16 },
    { what: 'or four', before: past(), wanted: 90, current: 2, atS: 0, is: 4 },
    { what: 'a raised minimum at once', before: past(), wanted: 1, current: 1, atS: 0, is: 2 },
    { what: 'a lowered maximum at once, and no further', before: past(), wanted: 1, current: 25, atS: 0, is: 20 },
    { what: 'as many as there are where nothing is measured', before: past(), wanted: undefined, current: 9, atS: 0, is: 9 },
  ])('$what', ({ before, wanted, current, atS, is }) => expect(ruledReplicas(bounds, before, wanted, current, atS * 1000)).toBe(is));

  it('a minimum far above is written at once, for any recommendation, and by no policy', () => {
    expect(ruledReplicas({ minReplicas: 12, maxReplicas: 20 }, past(), 1, 1, 0)).toBe(12);
    expect(ruledReplicas({ ...bounds, minReplicas: 12, behavior: { scaleUp: { selectPolicy: 'Disabled' } } }, past(), 5, 1, 0)).toBe(12);
  });

  it('remembers what was wanted, and not what nothing measured or the bounds have decided', () => {
    const before = past();
    ruledReplicas(bounds, before, undefined, 9, 0);
    ruledReplicas(bounds, before, 9, 1, 15_000);
    expect(ruledReplicas(bounds, before, 3, 9, 30_000)).toBe(3);
    expect(ruledReplicas(bounds, before, 2, 9, 45_000)).toBe(3);
  });

  it('a behavior goes before the defaults', () => {
    const rules = { stabilizationWindowSeconds: 0, policies: [{ type: 'Pods' as const, value: 1, periodSeconds: 60 }] };
    const spec = { ...bounds, behavior: { scaleDown: rules } };
    expect(ruledReplicas(spec, past([0, 9]), 3, 10, 1_000)).toBe(9);
    expect(ruledReplicas(spec, { ...past(), events: [{ atMs: 0, change: -1 }] }, 3, 9, 1_000)).toBe(9);
    expect(ruledReplicas({ ...bounds, behavior: { scaleDown: { selectPolicy: 'Disabled' } } }, past(), 3, 9, 0)).toBe(9);
  });

  it('periods of policies begin with the replicas at their start, even if another writer requested more since', () => {
    const rules = { stabilizationWindowSeconds: 0, policies: [{ type: 'Pods' as const, value: 1, periodSeconds: 60 }] };
    const spec = { ...bounds, behavior: { scaleDown: rules, scaleUp: {} } };
    expect(ruledReplicas(spec, { ...past(), events: [{ atMs: 0, change: 4 }] }, 2, 8, 1_000)).toBe(3);
    expect(ruledReplicas(spec, past(), 20, 2, 0)).toBe(6);
  });
});
