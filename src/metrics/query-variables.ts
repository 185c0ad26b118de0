import type { Canary, Metric } from '../api/canary.ts';

/** Texts that a query may use, as `{{ namespace }}`. */
export const queryTexts = ['name', 'namespace', 'target', 'service', 'ingress', 'route', 'interval'] as const;

/** The variables of a query template (05-T1–T7). `variables` are the metric's `templateVariables`. */
export type QueryVariables = Record<(typeof queryTexts)[number], string> & { variables: Readonly<Record<string, string>> };

/** Interval of a metric without one (05-W14). */
export const defaultInterval = '1m';

/** `interval` defaults to one minute for every metric, templates too (05-W14). */
export function queryVariables(canary: Canary, metric: Pick<Metric, 'interval' | 'templateVariables'>): QueryVariables {
  const { spec, metadata } = canary;
  const target = spec.targetRef.name;
  return {
    name: metadata.name,
    namespace: metadata.namespace,
    target,
    service: spec.service.name || target,
    ingress: spec.ingressRef?.name || target,
    route: spec.routeRef?.name || target,
    interval: metric.interval || defaultInterval,
    variables: metric.templateVariables ?? {},
  };
}
