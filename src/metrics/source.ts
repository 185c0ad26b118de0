import type { Canary, Metric } from '../api/canary.ts';
import { parseDuration } from '../api/duration.ts';
import { observedProvider } from '../api/mesh-provider.ts';
import type { Observer } from '../api/observer.ts';
import type { Side } from './counter-query.ts';
import { inTurn } from './in-turn.ts';
import type { MeasureDependencies } from './measure-dependencies.ts';
import type { Measurement, MeasureProblem, MetricProvider } from './providers/metric-provider.ts';
import { type QueryVariables, renderQuery } from './query-template.ts';
import { queryVariables } from './query-variables.ts';

/** A backend and the names in its queries. Every check uses one, for the canary or the primary. */
export interface MetricSource {
  /** Runs a query template for one side. */
  ask(query: string, side: Side): Promise<Measurement>;
  /** The query for messages. */
  shown(query: string, side: Side): string;
}

/** A backend with its type. */
export interface TypedBackend {
  type: string;
  provider: MetricProvider;
  /** Called with each answer, unless the query was cancelled. */
  answered?: (measured: Measurement) => void;
  /** The object and field to correct if the query cannot be used. */
  place?: Pick<MeasureProblem, 'object' | 'field'>;
}

export function sourceOf(
  { type, provider, answered, place }: TypedBackend,
  variables: QueryVariables,
  deps: MeasureDependencies,
): MetricSource {
  const sides = { canary: variables, primary: { ...variables, target: `${variables.target}-primary` } };
  const { signal } = deps;
  const run = async (query: string): Promise<Measurement> => {
    const measured = await provider.runQuery(query, signal);
    if (!signal.aborted) answered?.(measured);
    return measured;
  };
  const rendered = (template: string, side: Side) => renderQuery(template, sides[side]);
  return {
    async ask(template, side) {
      const text = rendered(template, side);
      if ('error' in text) return { kind: 'error', reason: text.error, code: 'QueryInvalid', ...place };
      const { query } = text;
      deps.queryAsked?.(shortened(query));
      const measured = await inTurn(
        type,
        () => run(query),
        ({ kind }) => kind,
        deps,
      );
      if (measured.kind === 'error' && measured.code === 'QueryInvalid') return { ...place, ...measured };
      // A wrong query and a query without traffic have the same result: the reason shows the query.
      if (measured.kind !== 'noData') return measured;
      return { ...measured, reason: `${measured.reason}; asked: ${shortened(query)}${narrowWindow(query, variables.interval)}` };
    },
    shown(template, side) {
      const text = rendered(template, side);
      return shortened('error' in text ? template : text.query);
    },
  };
}

/** Prometheus scrapes once a minute by default, and a rate needs two samples. */
const TWO_SCRAPES_MS = 120_000;

function narrowWindow(query: string, interval: string): string {
  const ms = parseDuration(interval) ?? TWO_SCRAPES_MS;
  if (ms >= TWO_SCRAPES_MS || !query.includes(`[${interval}]`) || !/\b(i?rate|increase|i?delta)\s*\(/.test(query)) return '';
  return `; a rate needs two samples within ${interval}, so targets have to be scraped every ${ms / 2000}s at least`;
}

/** The names of a side; `route`: the name from the target's own controller. */
export function namesOf(canary: Canary, metric: Pick<Metric, 'interval' | 'templateVariables'>, route: string | undefined): QueryVariables {
  const variables = queryVariables(canary, metric);
  return route === undefined ? variables : { ...variables, route };
}

/** The same in the form of the provider's labels. */
export function observedNames({ underscoreNames }: Observer, variables: QueryVariables): QueryVariables {
  if (!underscoreNames) return variables;
  const clean = (text: string) => text.replace(/[^0-9A-Za-z_]/g, '_');
  const named = ['name', 'namespace', 'target', 'service', 'ingress'] as const;
  return { ...variables, ...Object.fromEntries(named.map((field) => [field, clean(variables[field])])) };
}

export const observerOf = ({ spec }: Canary, deps: Pick<MeasureDependencies, 'observerFor' | 'meshProvider'>): Observer =>
  deps.observerFor(observedProvider(spec.provider, deps.meshProvider), spec.targetRef.kind);

/** Enough for the built-in queries; an event can contain 1024 characters. */
const MOST_SHOWN = 400;

/** A query for display. */
export function shortened(query: string): string {
  const line = query.trim().replace(/\s+/g, ' ');
  return line.length > MOST_SHOWN ? `${line.slice(0, MOST_SHOWN)}…` : line;
}
