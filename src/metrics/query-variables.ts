import type { Canary, Metric } from '../api/canary.ts';

/** Texts that a query can use, as `{{ namespace }}`. */
export const queryTexts = ['name', 'namespace', 'target', 'service', 'ingress', 'route', 'interval'] as const;

/** The variables of a query template. `variables` are the metric's `templateVariables`. */
export type QueryVariables = Record<(typeof queryTexts)[number], string> & { variables: Readonly<Record<string, string>> };

type Named = { name?: string | undefined };
type MeasuredSpec = { targetRef: { name: string }; service: Named; ingressRef?: Named | undefined; routeRef?: Named | undefined };

/** Interval of a metric without one. */
export const defaultInterval = '1m';

/** `interval` defaults to one minute for every metric, also for templates. */
export function queryVariables(canary: Canary, metric: Pick<Metric, 'interval' | 'templateVariables'>): QueryVariables {
  const { spec, metadata } = canary;
  return {
    name: metadata.name,
    namespace: metadata.namespace,
    ...measuredNames(spec),
    interval: metric.interval || defaultInterval,
    variables: metric.templateVariables ?? {},
  };
}

/** Names in queries: each is the target's name unless the spec names another. */
export function measuredNames({ targetRef, service, ingressRef, routeRef }: MeasuredSpec) {
  const target = targetRef.name;
  return { target, service: service.name || target, ingress: ingressRef?.name || target, route: routeRef?.name || target };
}
