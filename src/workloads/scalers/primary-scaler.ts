import * as z from 'zod';
import type { Canary } from '../../api/canary.ts';
import { asScaler } from '../../api/kinds/scaler.ts';
import type { KubeObject, Labels } from '../../api/kube-object.ts';
import { names, ownerAnnotation, promotedScalerAnnotation } from '../../api/names.ts';
import { withoutTracking } from '../../api/tracking-metadata.ts';
import { defined } from '../../base/defined.ts';
import type { JsonRecord } from '../../base/json.ts';
import { type LimitFields, ownSpec, raisedAnnotation, withRaisedMinimum } from './raised-minimum.ts';
import type { RenderedScaler } from './scaler.ts';

export interface ScalerShape {
  apiVersion: string;
  kind: string;
  fields: LimitFields;
  /** Labels and annotations that belong only to the object they are on, beside the tracking of deployment tools. */
  isPersonal(key: string): boolean;
}

/**
 * The primary's scaler from the user's raw object: everything is copied unmodified, except the workload that it scales, the limits of `primaryScalerReplicas`,
 * and the changes of `change`.
 */
export function renderPrimaryScaler(
  canary: Canary,
  scaler: KubeObject,
  shape: ScalerShape,
  options: { atLeast?: number | undefined; change?: (spec: JsonRecord) => JsonRecord } = {},
): RenderedScaler {
  const { labels, annotations } = scaler.metadata;
  const copied = {
    // Without changes that a release has made to the user's own.
    ...ownSpec(scaler),
    scaleTargetRef: { ...asScaler(scaler).spec?.scaleTargetRef, name: names(canary).primary },
    ...limitsOf(canary, shape),
  };
  const keep = (pairs: Labels | undefined) =>
    Object.fromEntries(Object.entries(withoutTracking(pairs)).filter(([key]) => !shape.isPersonal(key) && !OURS.has(key)));
  const promoted = { labels: keep(labels), annotations: keep(annotations), spec: options.change?.(copied) ?? copied };
  return {
    object: primaryScaler(canary, shape, promoted, options.atLeast),
    warnings: asScaler(scaler).spec?.scaleTargetRef?.name === names(canary).target ? [] : [wrongTarget(canary, scaler)],
  };
}

/**
 * The primary's scaler from the last promotion, with the present limits of the Canary; undefined if an earlier version of Serin has promoted,
 * which left no note.
 */
export function keptPrimaryScaler(
  canary: Canary,
  scaler: KubeObject,
  shape: ScalerShape,
  atLeast: number | undefined,
): KubeObject | undefined {
  const promoted = readPromoted(scaler.metadata.annotations?.[promotedScalerAnnotation]);
  if (promoted === undefined) return undefined;
  return primaryScaler(canary, shape, { ...promoted, spec: { ...promoted.spec, ...limitsOf(canary, shape) } }, atLeast);
}

/** The promoted part of the user's scaler, without minimums that a release raises. */
const Promoted = z.object({
  labels: z.record(z.string(), z.string()),
  annotations: z.record(z.string(), z.string()),
  spec: z.record(z.string(), z.unknown()),
});
type Promoted = z.infer<typeof Promoted>;

function readPromoted(text: string | undefined): Promoted | undefined {
  try {
    return text === undefined ? undefined : Promoted.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** The API server accepts 256 KiB of annotations. A scaler with a larger note is not restored. */
const LONGEST_NOTE = 65_536;

/** Annotations that belong only to this scaler. */
const OURS = new Set([raisedAnnotation, promotedScalerAnnotation]);

function limitsOf({ spec: { autoscalerRef } }: Canary, { fields }: ScalerShape): JsonRecord {
  const { minReplicas, maxReplicas } = autoscalerRef?.primaryScalerReplicas ?? {};
  return defined({ [fields.min]: minReplicas, [fields.max]: maxReplicas });
}

function primaryScaler(
  canary: Canary,
  { apiVersion, kind, fields }: ScalerShape,
  promoted: Promoted,
  atLeast: number | undefined,
): KubeObject {
  const { spec, note } = withRaisedMinimum(promoted.spec, fields, atLeast);
  const text = JSON.stringify(promoted);
  const annotations = {
    ...promoted.annotations,
    [ownerAnnotation]: canary.metadata.uid,
    ...(text.length <= LONGEST_NOTE && { [promotedScalerAnnotation]: text }),
    ...(note !== undefined && { [raisedAnnotation]: note }),
  };
  const { namespace } = canary.metadata;
  const name = names(canary).primaryScaler ?? '';
  return { apiVersion, kind, metadata: { name, namespace, labels: promoted.labels, annotations }, spec };
}

function wrongTarget(canary: Canary, scaler: KubeObject): string {
  const scaled = asScaler(scaler).spec?.scaleTargetRef?.name ?? 'nothing';
  return `${scaler.kind} ${scaler.metadata.name} scales ${scaled}, not ${names(canary).target}: correct spec.autoscalerRef.name`;
}
