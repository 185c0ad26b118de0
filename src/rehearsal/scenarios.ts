import type { HookType } from '../api/canary.ts';
import type { VersionModel } from './modelled-apps.ts';

/** What is different from an ordinary release, from the moment in which the new version is pushed. */
export interface Scenario {
  name: string;
  says: string;
  /** The new version harms users or cannot run: it must not be promoted. */
  isBad: boolean;
  /** How the new version differs from the one before. */
  candidate: Partial<VersionModel>;
  hasTraffic: boolean;
  isPrometheusUp: boolean;
  hooks?: { types: readonly HookType[]; status: number };
}

const GATES: readonly HookType[] = ['confirm-rollout', 'confirm-traffic-increase', 'confirm-promotion'];
const CHECKS: readonly HookType[] = ['pre-rollout', 'rollout', 'post-rollout', ...GATES];

const ordinary = { isBad: false, candidate: {}, hasTraffic: true, isPrometheusUp: true } as const;

export const scenarios: readonly Scenario[] = [
  { ...ordinary, name: 'good', says: 'the new version works as the one before' },
  { ...ordinary, name: 'bad-5xx', says: 'the new version answers 10 % of requests with 500', isBad: true, candidate: { errorRate: 0.1 } },
  { ...ordinary, name: 'slow', says: 'the new version takes 3 s to answer', isBad: true, candidate: { latencyMs: 3000 } },
  { ...ordinary, name: 'crashloop', says: 'the new version exits at each start', isBad: true, candidate: { crashes: true } },
  { ...ordinary, name: 'never-ready', says: 'the new version never becomes ready', isBad: true, candidate: { neverReady: true } },
  { ...ordinary, name: 'no-traffic', says: 'no user asks', hasTraffic: false },
  { ...ordinary, name: 'prometheus-down', says: 'Prometheus refuses connections', isPrometheusUp: false },
  { ...ordinary, name: 'gate-never-opens', says: 'each confirm webhook answers 403', hooks: { types: GATES, status: 403 } },
  { ...ordinary, name: 'webhook-5xx', says: 'each webhook answers 500', hooks: { types: CHECKS, status: 500 } },
];

export const scenarioOf = (name: string): Scenario | undefined => scenarios.find((each) => each.name === name);
