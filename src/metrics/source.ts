import type { Canary, Metric } from '../api/canary.ts';
import { LONGEST_SHOWN_QUERY } from '../api/canary-status.ts';
import { observedProvider } from '../api/mesh-provider.ts';
import type { Observer } from '../api/observer.ts';
import type { Side } from './counter-query.ts';
import { inTurn } from './in-turn.ts';
import { tooFewSamples } from './known-series.ts';
import type { MeasureDependencies } from './measure-dependencies.ts';
import type { Measurement, MeasureProblem, MetricProvider, SeriesProvider, SeriesResult } from './providers/metric-provider.ts';
import { type QueryVariables, renderQuery } from './query-template.ts';
import { queryVariables } from './query-variables.ts';

/** A backend and the names in its queries. Every check uses one, for the canary or the primary. */
export interface MetricSource {
  /** Runs a query template for one side. */
  ask(query: string, side: Side): Promise<Measurement>;
  /** Runs a query text and returns its series; absent if the backend returns none. */
  readSeries?(query: string): Promise<SeriesResult>;
  /** The query for messages. */
  shown(query: string, side: Side): string;
}

/** A backend with its type. */
export interface TypedBackend {
  type: string;
  provider: MetricProvider & Partial<Pick<SeriesProvider, 'readSeries'>>;
  /** Called with each answer, unless the query was cancelled. */
  answered?: (measured: Measurement) => void;
  /** The object and field with the address of the backend; absent if a flag has it. */
  server?: Pick<MeasureProblem, 'object' | 'field'> | undefined;
  /** The object and field to correct if the query cannot be used. */
  place?: Pick<MeasureProblem, 'object' | 'field'>;
}

export function sourceOf(
  { type, provider, answered, place, server }: TypedBackend,
  variables: QueryVariables,
  deps: MeasureDependencies,
): MetricSource {
  const sides = { canary: variables, primary: { ...variables, target: `${variables.target}-primary` } };
  const { signal } = deps;
  const { readSeries } = provider;
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
      if (measured.kind === 'error' && measured.code === 'QueryInvalid') return { ...place, ...measured, query: shortened(query) };
      // A wrong query and a query without traffic have the same result: the query is shown beside it.
      if (measured.kind === 'error' && measured.isUnreachable) return { ...measured, ...server };
      if (measured.kind !== 'noData') return measured;
      return { ...measured, reason: `${measured.reason}${narrowWindow(query, variables.interval)}`, query: shortened(query) };
    },
    ...(readSeries && {
      async readSeries(query: string) {
        deps.queryAsked?.(shortened(query));
        return inTurn(
          type,
          () => readSeries.call(provider, query, signal),
          ({ kind, ...answer }) => (kind === 'error' ? kind : 'series' in answer && answer.series.length > 0 ? 'value' : 'noData'),
          deps,
        );
      },
    }),
    shown(template, side) {
      const text = rendered(template, side);
      return shortened('error' in text ? template : text.query);
    },
  };
}

function narrowWindow(query: string, interval: string): string {
  const isOfRate = query.includes(`[${interval}]`) && /\b(i?rate|increase|i?delta)\s*\(/.test(query);
  const tooFew = isOfRate ? tooFewSamples(interval) : undefined;
  return tooFew === undefined ? '' : `; ${tooFew}`;
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

/** A query for display. */
export function shortened(query: string): string {
  const line = query.trim().replace(/\s+/g, ' ');
  return line.length > LONGEST_SHOWN_QUERY ? `${line.slice(0, LONGEST_SHOWN_QUERY - 1).toWellFormed()}…` : line;
}
