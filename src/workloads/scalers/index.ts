import type { Canary } from '../../api/canary.ts';
import { hpa } from './hpa.ts';
import { scaledObject } from './scaled-object.ts';
import type { Scaler } from './scaler.ts';

export type { MergePatch, ReplicaLimits, Scaler } from './scaler.ts';

type AutoscalerRef = NonNullable<Canary['spec']['autoscalerRef']>;

/** The kinds of scalers, by `kind` of `spec.autoscalerRef`. */
export const scalers = { HorizontalPodAutoscaler: hpa, ScaledObject: scaledObject } satisfies Record<AutoscalerRef['kind'], Scaler>;

export function isScaler(kind: string): boolean {
  return Object.hasOwn(scalers, kind);
}

export function scalerFor(ref: Pick<AutoscalerRef, 'kind'>): Scaler {
  return scalers[ref.kind];
}
