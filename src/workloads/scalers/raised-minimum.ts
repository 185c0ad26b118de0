import { asScaler } from '../../api/kinds/scaler.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { isRecord, type JsonRecord } from '../../base/json.ts';
import type { MergePatch, ReplicaLimits } from './scaler.ts';

/** On a scaler whose minimum a release has raised: the original fields, and the written ones, to detect a later edit. */
export const raisedAnnotation = 'serin.dev/before-raise';

/** Names of the limits in one kind of scaler. */
export interface LimitFields {
  min: string;
  max: string;
  /** The server's value for an absent field. */
  defaults: ReplicaLimits;
  /** Fields that let the scaler go below its minimum; they are removed while it is raised. */
  undercutting: readonly string[];
}

/** The user's limits of the scaler, without a raise. */
export function ownLimits(scaler: KubeObject, fields: LimitFields): ReplicaLimits {
  return limitsOf(ownSpec(scaler), fields);
}

export function limitsOf(spec: JsonRecord, { min, max, defaults }: LimitFields): ReplicaLimits {
  return { min: whole(spec[min]) ?? defaults.min, max: whole(spec[max]) ?? defaults.max };
}

/** The same spec with its minimum raised, and the note to restore it. Unchanged if the minimum is high enough. */
export function withRaisedMinimum(spec: JsonRecord, fields: LimitFields, atLeast: number | undefined): { spec: JsonRecord; note?: string } {
  const raise = raiseOf(spec, fields, atLeast);
  return raise ? { spec: merged(spec, raise), note: noteOf(spec, raise) } : { spec };
}

/** `limits`: the limits that its owner sets elsewhere; absent limits do not change. */
export function raisePatchOf(
  scaler: KubeObject,
  fields: LimitFields,
  atLeast: number | undefined,
  { min, max }: Partial<ReplicaLimits> = {},
): MergePatch | undefined {
  const wished = { ...(min !== undefined && { [fields.min]: min }), ...(max !== undefined && { [fields.max]: max }) };
  const own = merged(ownSpec(scaler), wished);
  const raise = raiseOf(own, fields, atLeast);
  const known = remembered(scaler);
  const note = raise ? noteOf(own, raise) : undefined;
  const before = !raise && known && isInForce(scaler, known) ? known.before : {};
  const spec = { ...before, ...wished, ...raise };
  const isHeld = scaler.metadata.annotations?.[raisedAnnotation] === note && holds(scaler, spec);
  return isHeld ? undefined : patchOf(scaler, note ?? (known && null), spec);
}

/** The spec that its owner wants. A minimum that was edited after the raise is the wish of that writer. */
export function ownSpec(scaler: KubeObject): JsonRecord {
  const known = remembered(scaler);
  const { spec = {} } = asScaler(scaler);
  return known && isInForce(scaler, known) ? merged(spec, known.before) : spec;
}

/** The change of `spec` that raises its minimum; null removes a field. Never above the maximum, which is the user's budget. */
function raiseOf(spec: JsonRecord, fields: LimitFields, atLeast: number | undefined): JsonRecord | undefined {
  const { min, max } = limitsOf(spec, fields);
  const raised = Math.min(atLeast ?? 0, max);
  if (raised <= min) return undefined;
  return Object.fromEntries([
    [fields.min, raised],
    ...fields.undercutting.flatMap((field) => (spec[field] === undefined ? [] : [[field, null]])),
  ]);
}

const noteOf = (spec: JsonRecord, to: JsonRecord): string =>
  JSON.stringify({ before: Object.fromEntries(Object.keys(to).map((field) => [field, spec[field] ?? null])), to });

function merged(spec: JsonRecord, change: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries({ ...spec, ...change }).filter(([, value]) => value !== null));
}

interface Note {
  before: JsonRecord;
  /** Absent in notes of earlier versions. */
  to?: JsonRecord;
}

/** Undefined if nothing was raised; with a note that cannot be read, the present values count as the user's. */
function remembered(scaler: KubeObject): Note | undefined {
  const text = scaler.metadata.annotations?.[raisedAnnotation];
  if (text === undefined) return undefined;
  try {
    const note: unknown = JSON.parse(text);
    if (!isRecord(note)) return { before: {} };
    return isRecord(note.before) && isRecord(note.to) ? { before: note.before, to: note.to } : { before: note };
  } catch {
    return { before: {} };
  }
}

const isInForce = (scaler: KubeObject, { to }: Note): boolean => to === undefined || holds(scaler, to);

function holds(scaler: KubeObject, fields: JsonRecord): boolean {
  const { spec = {} } = asScaler(scaler);
  return Object.entries(fields).every(([field, value]) => (spec[field] ?? null) === value);
}

function patchOf(scaler: KubeObject, note: string | null | undefined, spec: JsonRecord): MergePatch {
  const { resourceVersion } = scaler.metadata;
  return {
    metadata: {
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(note !== undefined && { annotations: { [raisedAnnotation]: note } }),
    },
    spec,
  };
}

function whole(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}
