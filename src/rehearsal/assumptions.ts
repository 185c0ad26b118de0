import { parseCanary } from '../api/parse-canary.ts';
import { CHOSEN_SHARE, type Entry } from './entry.ts';
import { ORDINARY } from './modelled-apps.ts';
import type { Rehearsal, RehearsalInput } from './rehearsal.ts';

export const SCRAPE_EVERY_MS = 15_000;
/** Routes of real meshes reach their proxies so late. */
export const LAG_MS = [100, 2_000] as const;
export const STARTUP_MS = 2_000;

/** Assumptions of the model that had an effect on the result, a sentence each. */
export function assumptionsOf(
  { canary, objects, requestsPerSecond, assumed }: RehearsalInput,
  entry: Entry,
  { moments, supplied, scenario, loads }: Pick<Rehearsal, 'moments' | 'supplied' | 'scenario'> & { loads: ReadonlySet<string> },
): string[] {
  const parsed = parseCanary(canary);
  if ('problems' in parsed) return [];
  const { spec } = parsed.canary;
  const isOurLoad = !scenario.steps.some(({ at, does }) => does.do === 'traffic' && at === 0);
  const hooks = moments.some((moment) => moment.kind === 'call' && moment.received.hooks.length > 0);
  const has = (kind: string): boolean => [...objects, ...supplied].some((object) => object.kind === kind);
  const by = entry.gateway === 'mesh' ? '' : ` through gateway ${entry.gateway}`;
  return [
    ...(isOurLoad ? [`users send ${requestsPerSecond} requests a second to ${entry.host}${entry.path}${by} (--rate)`] : []),
    ...(entry.chosenShare > 0 ? [`${CHOSEN_SHARE * 100}% of users meet the conditions of analysis.match`] : []),
    `images are not run: pods start in ${STARTUP_MS / 1000} s, are ready ${ORDINARY.readyAfterMs / 1000} s later, and answer in ${ORDINARY.latencyMs} ms (median) with 200, but for what the scenario says`,
    `Prometheus scrapes every ${SCRAPE_EVERY_MS / 1000} s; proxies learn of changes ${LAG_MS[0] / 1000} to ${LAG_MS[1] / 1000} s late`,
    ...(hooks ? ['webhooks outside this application answer 200 at once (rollback ones 403), but for what the scenario says'] : []),
    ...(spec.autoscalerRef ? ['CPU and memory are not modelled: autoscalers do not act, but for what the scenario says'] : []),
    ...(has('PodDisruptionBudget') ? ['PodDisruptionBudgets are not honoured'] : []),
    ...(has('NetworkPolicy') ? ['NetworkPolicies are not honoured'] : []),
    ...[...loads].map((command) => `the load test "${command.slice(0, 60)}" is not modelled, and sends nothing`),
    ...[...assumed].map(([name, value]) => `${name} is ${value} (--assume)`),
    ...supplied.map(({ kind, metadata }) => `${kind} ${metadata.name} is not in the manifests, and was made up`),
  ];
}
