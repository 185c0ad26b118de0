import { specOf } from '../api/kinds/spec-of.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { unmodelledSeries } from './series.ts';
import { PROMETHEUS_HOST } from './stand-ins.ts';

/** Treatment of a check that the model cannot measure. */
export type CheckNote =
  | { kind: 'assumed'; check: string; value: number }
  /** The check is not part of the rehearsal. */
  | { kind: 'leftOut'; check: string; why: string };

interface RawMetric {
  name: string;
  query?: string;
  templateRef?: { name: string; namespace?: string };
}

interface CanaryFields {
  analysis: { metrics?: RawMetric[] };
  metricsServer: unknown;
  metricsServerSecretRef: unknown;
}

interface TemplateFields {
  provider: { type?: string };
  query: unknown;
}

const BUILT_IN = ['request-success-rate', 'request-duration'];
const ADDRESS = `http://${PROMETHEUS_HOST}`;

/**
 * Changes the Canary and the templates of its checks so that a rehearsal can measure them: by the model's Prometheus, or by the assumed value. A check with
 * neither is left out and noted.
 */
export function measurable(
  canary: KubeObject,
  objects: readonly KubeObject[],
  assumed: ReadonlyMap<string, number>,
): { canary: KubeObject; templates: KubeObject[]; notes: CheckNote[] } {
  const { namespace = 'default' } = canary.metadata;
  const notes: CheckNote[] = [];
  const templates: KubeObject[] = [];
  const { metricsServer: _server, metricsServerSecretRef: _secret, ...spec } = specOf<CanaryFields>(canary);
  const metrics = spec.analysis?.metrics ?? [];
  const kept = metrics.flatMap((metric): RawMetric[] => {
    const { name, templateRef, query } = metric;
    const value = assumed.get(name) ?? (templateRef && assumed.get(templateRef.name));
    if (value !== undefined) {
      notes.push({ kind: 'assumed', check: name, value });
      const constant = templateOf(`rehearsal-assumes-${templates.length + 1}`, namespace, { query: `vector(${value})` });
      templates.push(constant);
      const { query: _, ...rest } = metric;
      return [{ ...rest, templateRef: { name: constant.metadata.name, namespace } }];
    }
    const template = templateRef && templateIn(objects, templateRef, namespace);
    const from = specOf<TemplateFields>(template);
    const type = from.provider?.type ?? 'prometheus';
    const missing = type === 'prometheus' ? unmodelledSeries(String(from.query ?? query ?? '')) : [];
    const why = type === 'prometheus' ? missing.join(', ') : `${type} is not modelled`;
    if (template === undefined && query === undefined && (templateRef !== undefined || BUILT_IN.includes(name))) return [metric];
    if (why === '') return [metric];
    notes.push({ kind: 'leftOut', check: name, why: type === 'prometheus' ? `the model does not produce ${why}` : why });
    return [];
  });
  return { canary: { ...canary, spec: { ...spec, analysis: { ...spec.analysis, metrics: kept } } }, templates, notes };
}

/** A MetricTemplate that queries the model's Prometheus. */
export function asksModel(template: KubeObject): KubeObject {
  const spec = specOf<TemplateFields>(template);
  if (spec.provider?.type !== 'prometheus') return template;
  return { ...template, spec: { ...spec, provider: { type: 'prometheus', address: ADDRESS } } };
}

function templateOf(name: string, namespace: string, spec: object): KubeObject {
  const provider = { type: 'prometheus', address: ADDRESS };
  return { apiVersion: 'flagger.app/v1beta1', kind: 'MetricTemplate', metadata: { name, namespace }, spec: { ...spec, provider } };
}

const templateIn = (objects: readonly KubeObject[], { name, namespace }: { name: string; namespace?: string }, own: string) =>
  objects.find(
    ({ kind, metadata }) => kind === 'MetricTemplate' && metadata.name === name && (metadata.namespace ?? own) === (namespace ?? own),
  );
