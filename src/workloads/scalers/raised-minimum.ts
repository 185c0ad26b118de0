import type { KubeObject } from '../../api/kube-object.ts';
import { isRecord } from '../canonical-json.ts';
import type { MergePatch, ReplicaLimits } from './scaler.ts';

/** On a scaler of ours: the fields as they were before a release raised the minimum, as a merge patch of `spec`. */
export const raisedAnnotation = 'serin.dev/before-raise';

/** How one kind of scaler spells its limits. */
export interface LimitFields {
  min: string;
  max: string;
  /** What the server takes for an absent field. */
  defaults: ReplicaLimits;
  /** Fields that let the scaler go below its minimum; they are left out while it is raised. */
  undercutting: readonly string[];
}

type Spec = Record<string, unknown>;

/** The limits by the scaler's own wish, whatever has been raised. */
export function ownLimits(scaler: KubeObject, fields: LimitFields): ReplicaLimits {
  return limitsOf(ownSpec(scaler), fields);
}

export function limitsOf(spec: Spec, { min, max, defaults }: LimitFields): ReplicaLimits {
  return { min: whole(spec[min]) ?? defaults.min, max: whole(spec[max]) ?? defaults.max };
}

/** The same spec with its minimum raised, and what has to be remembered to take that back. Unchanged when it is high enough. */
export function withRaisedMinimum(spec: Spec, fields: LimitFields, atLeast: number | undefined): { spec: Spec; before?: Spec } {
  const raise = raiseOf(spec, fields, atLeast);
  return raise ? { spec: merged(spec, raise), before: previous(spec, raise) } : { spec };
}

export function raisePatchOf(scaler: KubeObject, fields: LimitFields, atLeast: number | undefined): MergePatch | undefined {
  const live: Spec = scaler.spec ?? {};
  const before = remembered(scaler);
  const own = ownSpec(scaler);
  const raise = raiseOf(own, fields, atLeast);
  if (!raise) return before && patchOf(scaler, null, before);
  const isHeld = before !== undefined && Object.entries(raise).every(([field, value]) => (live[field] ?? null) === value);
  return isHeld ? undefined : patchOf(scaler, JSON.stringify(previous(own, raise)), raise);
}

/** The change of `spec` that raises its minimum; null removes a field. Never above the maximum, which is the user's budget. */
function raiseOf(spec: Spec, fields: LimitFields, atLeast: number | undefined): Spec | undefined {
  const { min, max } = limitsOf(spec, fields);
  const raised = Math.min(atLeast ?? 0, max);
  if (raised <= min) return undefined;
  return Object.fromEntries([
    [fields.min, raised],
    ...fields.undercutting.flatMap((field) => (spec[field] === undefined ? [] : [[field, null]])),
  ]);
}

function previous(spec: Spec, change: Spec): Spec {
  return Object.fromEntries(Object.keys(change).map((field) => [field, spec[field] ?? null]));
}

function ownSpec(scaler: KubeObject): Spec {
  return merged(scaler.spec ?? {}, remembered(scaler) ?? {});
}

function merged(spec: Spec, change: Spec): Spec {
  return Object.fromEntries(Object.entries({ ...spec, ...change }).filter(([, value]) => value !== null));
}

/** Undefined when nothing was raised, or when somebody has made the note unreadable: then what stands is the wish. */
function remembered(scaler: KubeObject): Spec | undefined {
  const text = scaler.metadata.annotations?.[raisedAnnotation];
  if (text === undefined) return undefined;
  try {
    const before: unknown = JSON.parse(text);
    return isRecord(before) ? before : {};
  } catch {
    return {};
  }
}

function patchOf(scaler: KubeObject, note: string | null, spec: Spec): MergePatch {
  const { resourceVersion } = scaler.metadata;
  return {
    metadata: { ...(resourceVersion === undefined ? {} : { resourceVersion }), annotations: { [raisedAnnotation]: note } },
    spec,
  };
}

function whole(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}
