import type { Canary } from '../../src/api/canary.ts';
import type { AnalysisComparison } from '../../src/api/comparison.ts';
import { aCanary, initialized, type World } from './world.ts';

/** Failures of each side, as a share of its requests, and requests of both in a second. */
export interface Traffic {
  canary: number;
  primary: number;
  perSecond: number;
}

/** Counts without randomness, with fractions, which Prometheus also returns. */
export function counting(world: World, traffic: Traffic): void {
  world.behaviour.compare = ({ metric, fromMs, learnMs }, toMs) => {
    if (learnMs !== undefined && metric === 'latency')
      return { kind: 'buckets', primary: Array.from({ length: 60 }, () => buckets(0.9 * traffic.perSecond, traffic.primary)), toMs };
    if (learnMs !== undefined)
      return { kind: 'history', primary: Array.from({ length: 60 }, () => side(0.9 * traffic.perSecond, traffic.primary)) };
    const seconds = (toMs - fromMs) / 1000;
    const window = {
      fromMs,
      toMs,
      canary: side(0.1 * traffic.perSecond * seconds, traffic.canary),
      primary: side(0.9 * traffic.perSecond * seconds, traffic.primary),
    };
    return { kind: 'window', window };
  };
}

/** The share is slower than 250 ms, and nothing slower than 500 ms. */
const buckets = (requests: number, share: number) => ({
  boundsMs: [100, 250, 500, Number.POSITIVE_INFINITY],
  cumulative: [0.5, 1 - share, 1, 1].map((part) => part * requests),
});

const side = (requests: number, share: number) => ({ requests, failures: requests * share });

/** A release at its first step. */
export function releasing(
  comparison: AnalysisComparison,
  traffic: Traffic,
  analysis: Partial<Canary['spec']['analysis']> = {},
  intervalMs = 10_000,
): World {
  const world = initialized(aCanary({ stepWeight: 10, maxWeight: 50, comparison, ...analysis }));
  counting(world, traffic);
  const facts = world.facts.bind(world);
  world.facts = () => ({ ...facts(), intervalMs });
  world.pushUntil('s1:b', (one) => one.canary.status?.canaryWeight === 10);
  return world;
}
