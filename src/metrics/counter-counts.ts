import type { Canary } from '../api/canary.ts';
import type { Counters, SideCounters } from '../api/observer.ts';
import type { Compared, ToCompare } from '../judge/compared.ts';
import type { Window } from '../judge/window.ts';
import { type Changes, type CounterNames, counterChanges, newestOf } from './counter-changes.ts';
import { boundOf, errorsHistory, errorsHistoryQuery, latencyHistory, latencyHistoryQuery } from './counter-history.ts';
import { errorsQuery, inMs, latencyQuery, type RenderedCounters, type Side, sides } from './counter-query.ts';
import { inTurn } from './in-turn.ts';
import type { MeasureDependencies } from './measure-dependencies.ts';
import { serverOf } from './metrics-source.ts';
import type { SeriesResult } from './providers/metric-provider.ts';
import { type QueryVariables, renderQuery } from './query-template.ts';
import { namesOf, observedNames, observerOf, shortened } from './source.ts';
import { bucketBounds, errorsWindow, slowWindow } from './window-counts.ts';

/**
 * The last window ended with a sample that is no longer shown: another replica of Prometheus answers, which has scraped at other times, so that the difference
 * to its counters would count requests twice. If the sample does not return, it is lost, and the next window begins without it.
 */
const LOST_SAMPLE =
  'Prometheus does not show the sample that the last window ended with, as where two replicas answer in turn: always query the same replica, or a proxy that removes duplicates';
const LOST_AFTER_MS = 120_000;
const NOTHING = { requests: 0, failures: 0 };

type WithoutMetric<Each> = Each extends unknown ? Omit<Each, 'metric'> : never;

/** The answer to one question, without its metric. */
export type Counted = WithoutMetric<Compared>;

const unknown = (reason: string): Counted => ({ kind: 'unknown', reason });

/**
 * Counts of both sides by the provider's counters: one query of the Canary's Prometheus.
 *
 * A window ends with the newest sample that is shown: a backend whose clock is behind, or that shows samples late, gives other numbers for the moments after it later.
 * Where counters show a request so much later (`counterDelayMs`), it ends that much before, and its counters are read that much after both of its ends: the next
 * window, which begins where this one ends, begins with the numbers that this one ended with.
 */
export async function byCounters(canary: Canary, asked: ToCompare, deps: MeasureDependencies): Promise<Counted> {
  const observer = observerOf(canary, deps);
  const { counters, counterDelayMs = 0 } = observer;
  if ('unavailable' in counters) return unknown(counters.unavailable);
  const names = (route: string | undefined) => observedNames(observer, namesOf(canary, {}, route));
  const rendered = renderedCounters(counters, { canary: names(deps.route), primary: names(deps.primaryRoute) }, deps.primaryRoute);
  if ('reason' in rendered) return unknown(rendered.reason);
  const moments = { fromMs: asked.fromMs + counterDelayMs, toMs: deps.nowMs };
  if (asked.learnMs !== undefined) return history(canary, rendered, { ...asked, learnMs: asked.learnMs, untilMs: moments.fromMs }, deps);
  if (!(moments.fromMs < moments.toMs)) return unknown('the window has only begun');
  const { plan } = asked;
  if (asked.metric === 'latency' && !plan) return unknown('the thresholds of latency are not known yet');
  const query = plan ? latencyQuery(rendered, moments, plan) : errorsQuery(rendered, moments);
  const response = await seriesOf(canary, query, deps);
  if (response.kind === 'error') return unknown(response.reason);
  const counterNames: CounterNames = plan
    ? {
        nameOf: (_, { le = '' }) => String(inMs(boundOf(le), rendered.bucketUnit)),
        required: bucketBounds(plan).map(String),
        optional: [],
      }
    : { nameOf: (kind) => kind, required: ['all'], optional: ['succeeded'] };
  const { podLabel } = rendered;
  const changes = counterChanges(response.series, { podLabel, names: counterNames, windowMs: moments.toMs - moments.fromMs });
  if ('reason' in changes) return unknown(changes.reason);
  if (!changes.canary.isSeen && !changes.primary.isSeen) {
    const { target } = names(deps.route);
    return unknown(`no series of ${observer.series[plan ? 'durations' : 'requests']} for ${target}, nor for its primary`);
  }
  const newest = newestOf([changes.canary, changes.primary]);
  const { to: lastMs = moments.fromMs } = newest;
  const endsAtSample = lastMs > moments.fromMs;
  const bounds = { fromMs: asked.fromMs, toMs: (endsAtSample ? lastMs : moments.toMs) - counterDelayMs };
  const end = endsAtSample ? { endsAtSample: true as const } : {};
  if (asked.fromSample && newest.from !== moments.fromMs) {
    if (moments.toMs - moments.fromMs < LOST_AFTER_MS) return unknown(LOST_SAMPLE);
    return { kind: 'window', window: { ...bounds, canary: NOTHING, primary: NOTHING }, isFinal: true, ...end };
  }
  if (!plan) return read(errorsWindow(changes, bounds, podLabel !== undefined), changes, end);
  const lacking = sides.find((side) => changes[side].isSeen && !changes[side].isComplete);
  if (lacking)
    return unknown(`the histogram of the ${lacking} does not have the buckets that were chosen: ${bucketBounds(plan).join(', ')} ms`);
  const window = slowWindow(changes, bounds, plan, podLabel !== undefined);
  return typeof window === 'string' ? unknown(`latency cannot be compared: ${window}`) : read(window, changes, end);
}

function read(window: Window, changes: Changes, end: { endsAtSample?: true }): Counted {
  const isFinal = sides.some((side) => window[side].requests === 0 && changes[side].hasBegunAnew);
  return { kind: 'window', window, ...(isFinal && { isFinal }), ...end };
}

/** The primary before the first window. */
async function history(
  canary: Canary,
  { primary, bucketUnit }: RenderedCounters,
  { metric, learnMs, untilMs }: { metric: string; learnMs: number; untilMs: number },
  deps: MeasureDependencies,
): Promise<Counted> {
  const isLatency = metric === 'latency';
  const query = isLatency ? latencyHistoryQuery(primary, untilMs, learnMs) : errorsHistoryQuery(primary, untilMs, learnMs);
  const response = await seriesOf(canary, query, deps);
  if (response.kind === 'error') return unknown(response.reason);
  return isLatency
    ? { kind: 'buckets', primary: latencyHistory(response.series, bucketUnit), toMs: untilMs }
    : { kind: 'history', primary: errorsHistory(response.series) };
}

function seriesOf(canary: Canary, query: string, deps: MeasureDependencies): Promise<SeriesResult> {
  deps.queryAsked?.(shortened(query));
  const server = serverOf(canary, deps);
  const resultOf = (answer: SeriesResult) => (answer.kind === 'error' ? 'error' : answer.series.length === 0 ? 'noData' : 'value');
  return inTurn('prometheus', () => server.readSeries(query, deps.signal), resultOf, deps);
}

/** Both sides with their names; Knative's are Revisions, which its Service names. */
function renderedCounters(
  { canary, primary, ...rest }: Counters,
  names: Readonly<Record<Side, QueryVariables>>,
  primaryRoute: string | undefined,
): RenderedCounters | { reason: string } {
  const own = renderedSide(canary, names.canary);
  const other = renderedSide(primary, names.primary);
  if ('reason' in own) return own;
  if ('reason' in other) return other;
  const isByRevision = canary.requests === primary.requests;
  if (isByRevision && (primaryRoute === undefined || own.requests === other.requests))
    return { reason: 'the Revision of the primary is not known, or is that of the canary' };
  return { canary: own, primary: other, ...rest };
}

function renderedSide(side: SideCounters, variables: QueryVariables): SideCounters | { reason: string } {
  const texts: Record<keyof SideCounters, string> = { ...side };
  for (const name of ['requests', 'succeeded', 'buckets'] as const) {
    const rendered = renderQuery(side[name], variables);
    if ('error' in rendered) return { reason: rendered.error };
    texts[name] = rendered.query;
  }
  return texts;
}
