import type { Action, Scenario } from './scenario.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
/** More than any `maxReplicas` can serve. */
const MOST_MILLICORES = 10_000_000;

const scenario = (name: string, says: string, expect: Scenario['expect'], ...steps: readonly (Action & { atMs?: number })[]): Scenario => ({
  name,
  says,
  expect,
  steps: steps.map(({ atMs = 0, ...does }) => ({ at: atMs, does: does as Action })),
});

/** The scenarios of `--matrix`. */
export const scenarios: readonly Scenario[] = [
  scenario('good', 'the new version works as the old one', 'promoted'),
  scenario('bad-5xx', 'the new version answers 10% of requests with 500', 'not-promoted', { do: 'new-version', errorRate: 0.1 }),
  scenario('slow', 'the new version takes 3 s to answer', 'not-promoted', { do: 'new-version', latencyMs: 3000 }),
  scenario('crashloop', 'the new version exits at each start', 'not-promoted', { do: 'new-version', crashes: true }),
  scenario('no-traffic', 'no user sends a request', 'either', { do: 'traffic', requestsPerSecond: 0 }),
  scenario('prometheus-down', 'Prometheus refuses connections', 'either', { do: 'prometheus', answers: false }),
  scenario('gate-never-opens', 'each confirm webhook answers 403', 'either', {
    do: 'webhooks',
    types: ['confirm-rollout', 'confirm-traffic-increase', 'confirm-promotion'],
    status: 403,
  }),
  scenario('webhook-5xx', 'each webhook but a rollback one answers 500', 'either', {
    do: 'webhooks',
    types: ['pre-rollout', 'rollout', 'post-rollout', 'confirm-rollout', 'confirm-traffic-increase', 'confirm-promotion', 'event'],
    status: 500,
  }),
  scenario('hpa-scales', 'load brings each autoscaler to its maximum one minute after the push', 'either', {
    do: 'cpu-demand',
    millicores: MOST_MILLICORES,
    atMs: MINUTE_MS,
  }),
  scenario('node-drain', 'a node is drained one minute after the push', 'either', { do: 'drain-node', atMs: MINUTE_MS }),
  scenario('quota', 'a quota allows no pod more than there are', 'either', { do: 'quota' }),
  scenario('controller-killed', 'the controller is killed one minute after the push, and back 30 s later', 'either', {
    do: 'kill-controller',
    for: 30 * SECOND_MS,
    atMs: MINUTE_MS,
  }),
  scenario('lagging-proxies', 'proxies learn of routes and endpoints 10 to 30 s late', 'either', {
    do: 'proxy-lag',
    least: 10 * SECOND_MS,
    most: 30 * SECOND_MS,
  }),
];

export const scenarioOf = (name: string): Scenario | undefined => scenarios.find((each) => each.name === name);
