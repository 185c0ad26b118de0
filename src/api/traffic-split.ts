import { specOf } from './kinds/spec-of.ts';
import type { KubeObject } from './kube-object.ts';
import { parseQuantity } from './quantity.ts';

export interface SplitBackend {
  service: string;
  weight?: unknown;
}

/** The spec of a TrafficSplit of any version. */
export const splitSpec = (split: KubeObject) => specOf<{ service: string; backends: SplitBackend[]; matches: object[] }>(split);

/** The Service that `spec.service` of a TrafficSplit names, which can be a full host name; other host names are not changed. */
export function rootService(text: string, namespace: string): string {
  const [name = '', second, third = 'svc'] = text.split('.');
  return second === namespace && third === 'svc' ? name : text;
}

/** Weights are whole numbers, or quantities in v1alpha1 (`500m`, `"100"`). Undefined if it is not a weight. */
export function splitWeight(weight: unknown): number | undefined {
  const value = typeof weight === 'string' ? parseQuantity(weight) : weight;
  return typeof value === 'number' && value >= 0 && Number.isFinite(value) ? value : undefined;
}
