import { describe, expect, it } from 'vitest';
import type { CanaryStatus, Release } from '../../api/canary-status.ts';
import { fitStatus, MOST_STATUS_BYTES } from './size.ts';

const RELEASE = {
  ...{ targetUid: 'x', revision: 's1:x', observedGeneration: 1, run: 1, step: 'analysing', routes: { kind: 'weighted', canary: 10 } },
  ...{ failedChecks: 0, iterations: 0, startedMs: 0, stepStartedMs: 0 },
} as Release;
const STATUS: CanaryStatus = { phase: 'Progressing', failedChecks: 0, canaryWeight: 10, iterations: 0, release: RELEASE };

const times = <T>(count: number, make: (nth: number) => T): T[] => Array.from({ length: count }, (_, nth) => make(nth));
const long = 'x'.repeat(5_000);
const delivery = (nth: number) => ({ key: `${nth}`, kind: 'alert' as const, message: 'x'.repeat(500), sinceMs: nth });
const routedFor = { provider: 'istio', spec: { service: { name: 'x'.repeat(400_000) } } };

const tooLarge: [string, Partial<Release>, Partial<CanaryStatus>?][] = [
  [
    'verdicts of every metric',
    { verdicts: times(200, (nth) => ({ check: `${nth}${long}`, verdict: nth % 2 ? 'passed' : 'failed', reason: long })) },
  ],
  ['ten thousand verdicts', { verdicts: times(10_000, () => ({ check: 'x'.repeat(100), verdict: 'failed' })) }],
  ['deliveries without end', { deliveries: times(10_000, delivery) }],
  ['recent measurements', { recent: Object.fromEntries(times(100, (nth) => [`${nth}${long}`, []])) }],
  ['conditions of others', {}, { conditions: times(5_000, (nth) => ({ type: `T${nth}`, status: 'True', reason: 'x', message: long })) }],
  ['tracked configs', {}, { trackedConfigs: Object.fromEntries(times(4_000, (nth) => [`configmap/${nth}`, 'x'.repeat(64)])) }],
  ['routes of large specs', { routedFor, leftRoutes: times(5, () => routedFor) }],
  ['a reason', { reason: 'x'.repeat(1_000_000) }],
  ['a cookie', {}, { sessionAffinityCookie: 'x'.repeat(1_000_000) }],
];

describe('I15: a status', () => {
  it('that is small is stored unmodified', () => {
    const status = { ...STATUS, conditions: [{ type: 'Promoted', status: 'Unknown' as const, reason: 'Progressing', message: long }] };
    expect(fitStatus(status)).toEqual({ status, left: [] });
  });

  it.each(tooLarge)('with too much in %s is cut down to the limit and says so, the same each time', (_, release, more) => {
    const { status, left } = fitStatus({ ...STATUS, ...more, release: { ...RELEASE, ...release } });
    expect(JSON.stringify(status).length).toBeLessThanOrEqual(MOST_STATUS_BYTES);
    expect(left.length).toBeGreaterThan(0);
    expect(fitStatus(status)).toEqual({ status, left: [] });
    expect(status).toMatchObject({ phase: 'Progressing', release: { run: 1, step: 'analysing', routes: RELEASE.routes } });
  });

  it('says that alerts and hooks can be lost if it has no room for their deliveries', () => {
    const { left } = fitStatus({ ...STATUS, release: { ...RELEASE, deliveries: times(1_000, delivery) } });
    expect(left).toEqual(['the oldest deliveries (alerts and hooks, which can be lost)']);
  });

  it('keeps the newest deliveries, and verdicts that are not good', () => {
    const verdicts = times(3_000, (nth) => ({
      check: `${nth}`.padEnd(50),
      verdict: nth === 2_999 ? ('failed' as const) : ('passed' as const),
    }));
    const { status } = fitStatus({ ...STATUS, release: { ...RELEASE, verdicts, deliveries: times(1_000, delivery) } });
    expect(status.release?.deliveries?.at(-1)?.key).toBe('999');
    expect(status.release?.verdicts?.at(-1)?.verdict).toBe('failed');
  });
});
