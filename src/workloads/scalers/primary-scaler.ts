import type { Canary } from '../../api/canary.ts';
import { asScaler } from '../../api/kinds/scaler.ts';
import type { KubeObject, Labels } from '../../api/kube-object.ts';
import { names, ownerAnnotation } from '../../api/names.ts';
import { withoutTracking } from '../../api/tracking-metadata.ts';
import { type LimitFields, ownSpec, raisedAnnotation, withRaisedMinimum } from './raised-minimum.ts';
import type { RenderedScaler } from './scaler.ts';

export interface ScalerShape {
  apiVersion: string;
  kind: string;
  fields: LimitFields;
  /** Labels and annotations that belong to the one object they are on, beside the tracking of deployment tools. */
  isPersonal(key: string): boolean;
}

/**
 * The primary's scaler from the user's raw object: everything is taken over as it is, but for the workload that it scales, the limits of
 * `primaryScalerReplicas` (03-A4), and what `change` makes of the rest.
 */
export function renderPrimaryScaler(
  canary: Canary,
  scaler: KubeObject,
  shape: ScalerShape,
  options: { atLeast?: number | undefined; change?: (spec: Record<string, unknown>) => Record<string, unknown> } = {},
): RenderedScaler {
  const { fields, isPersonal } = shape;
  const { primary, primaryScaler } = names(canary);
  const { minReplicas, maxReplicas } = canary.spec.autoscalerRef?.primaryScalerReplicas ?? {};
  const copied = {
    // Not what a release has made of the user's own.
    ...ownSpec(scaler),
    scaleTargetRef: { ...asScaler(scaler).spec?.scaleTargetRef, name: primary },
    ...(minReplicas === undefined ? {} : { [fields.min]: minReplicas }),
    ...(maxReplicas === undefined ? {} : { [fields.max]: maxReplicas }),
  };
  const { spec, note } = withRaisedMinimum(options.change?.(copied) ?? copied, fields, options.atLeast);
  const keep = (pairs: Labels | undefined) =>
    Object.fromEntries(Object.entries(withoutTracking(pairs)).filter(([key]) => !isPersonal(key) && key !== raisedAnnotation));
  return {
    object: {
      apiVersion: shape.apiVersion,
      kind: shape.kind,
      metadata: {
        name: primaryScaler ?? `${scaler.metadata.name}-primary`,
        namespace: canary.metadata.namespace,
        labels: keep(scaler.metadata.labels),
        annotations: {
          ...keep(scaler.metadata.annotations),
          [ownerAnnotation]: canary.metadata.uid,
          ...(note !== undefined && { [raisedAnnotation]: note }),
        },
      },
      spec,
    },
    warnings: asScaler(scaler).spec?.scaleTargetRef?.name === names(canary).target ? [] : [wrongTarget(canary, scaler)],
  };
}

function wrongTarget(canary: Canary, scaler: KubeObject): string {
  const scaled = asScaler(scaler).spec?.scaleTargetRef?.name ?? 'nothing';
  return `${scaler.kind} ${scaler.metadata.name} scales ${scaled}, not ${names(canary).target}: correct spec.autoscalerRef.name`;
}
