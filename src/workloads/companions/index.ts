import { type KubeObject, type ObjectRef, refOf } from '../../api/kube-object.ts';
import { ownerAnnotation } from '../../api/names.ts';
import { withoutTracking } from '../../api/tracking-metadata.ts';
import { compareText } from '../../base/compare-text.ts';
import type { CompanionDraft, CompanionKind, CompanionSides, WithoutCompanion } from './companion.ts';
import type { CompanionName } from './kind-names.ts';
import { companionAnnotation, companionCandidates, isPeersMark, sourceMark } from './names.ts';
import { networkPolicy } from './network-policy.ts';
import { podDisruptionBudget } from './pod-disruption-budget.ts';
import { verticalPodAutoscaler } from './vertical-pod-autoscaler.ts';

export type { CompanionKind, CompanionSides, WithoutCompanion, WithoutCompanionCode } from './companion.ts';
export { type CompanionName, companionNames } from './kind-names.ts';
export { companionAnnotation } from './names.ts';
export { companionSides } from './sides.ts';

/** Kinds of which a primary gets companions. */
export const companionKinds = {
  podDisruptionBudgets: podDisruptionBudget,
  networkPolicies: networkPolicy,
  verticalPodAutoscalers: verticalPodAutoscaler,
} satisfies Record<CompanionName, CompanionKind>;

/** Maximum number of objects of one kind that are read in a namespace: a user who writes more cannot make every reconcile slow. */
export const MOST_SOURCES = 500;

/** An object for the primary beside one of the user's. It has no owner: the caller adds the anchor. */
export interface Companion {
  source: ObjectRef;
  object: KubeObject;
}

export interface CompanionPlan {
  companions: readonly Companion[];
  /** Objects about the target that get no companion, with the reason. */
  without: readonly WithoutCompanion[];
  /** Companions of this Canary that are no longer needed. */
  superfluous: readonly ObjectRef[];
}

export interface CompanionOwner {
  metadata: { uid: string };
  /** Decides that a companion belongs to this Canary by more than its annotation; if absent, only the annotation decides. */
  isOurs?(object: KubeObject): boolean;
}

/**
 * The companions of one primary, made from all objects of these kinds that were found; other kinds are ignored. Pure. A companion is not a source, and a
 * companion that a deployment tool has taken over is the user's.
 */
export function companionsFor(
  owner: CompanionOwner,
  sides: CompanionSides,
  objects: readonly KubeObject[],
  kinds: readonly CompanionName[],
): CompanionPlan {
  const plans = kinds.map((kind) => planOf(owner, sides, objects, companionKinds[kind]));
  return {
    companions: plans.flatMap(({ companions }) => companions),
    without: plans.flatMap(({ without }) => without),
    superfluous: plans.flatMap(({ superfluous }) => superfluous),
  };
}

export function isCompanionKind(apiVersion: string, kind: string): boolean {
  return Object.values(companionKinds).some((one) => one.kind === kind && one.apiVersion === apiVersion);
}

/** A companion of any Canary. Tools that apply a manifest over it leave their marks, which are never copied: then it is theirs. */
export function isCompanion({ metadata: { annotations = {}, labels = {} } }: KubeObject): boolean {
  const pairs = { ...annotations, ...labels };
  return annotations[companionAnnotation] !== undefined && Object.keys(withoutTracking(pairs)).length === Object.keys(pairs).length;
}

/** A companion that selects the pods of its primary, and not those of others that call it or that it calls. */
export const isOfPods = (object: KubeObject): boolean =>
  isCompanion(object) && !isPeersMark(object.metadata.annotations?.[companionAnnotation] ?? '');

/** Primaries admit each other by their NetworkPolicies, so that other Canaries also read this companion. */
export const concernsOthers = (object: KubeObject): boolean => object.kind === networkPolicy.kind && isOfPods(object);

function planOf(owner: CompanionOwner, sides: CompanionSides, objects: readonly KubeObject[], kind: CompanionKind): CompanionPlan {
  const ofKind = objects
    .filter((object) => object.kind === kind.kind && object.apiVersion === kind.apiVersion)
    .toSorted((a, b) => compareText(keyOf(a), keyOf(b)));
  const near = ofKind.filter(({ metadata }) => metadata.namespace === sides.namespace);
  const isOwn = (object: KubeObject) =>
    isCompanion(object) && (owner.isOurs?.(object) ?? object.metadata.annotations?.[ownerAnnotation] === owner.metadata.uid);
  const own = near.filter(isOwn);
  const written = ofKind.filter((object) => !isCompanion(object));
  const sources = written.slice(0, MOST_SOURCES);
  const ofOthers = near.filter((object) => isOfPods(object) && !isOwn(object)).slice(0, MOST_SOURCES);
  const { drafts, without } = kind.draft(sources, sides, ofOthers);
  // Names of objects that belong to others, which are not written.
  const taken = new Map(near.filter((object) => !isOwn(object)).map((object) => [object.metadata.name, object]));
  const companions: Companion[] = [];
  const left: WithoutCompanion[] = written.slice(MOST_SOURCES).map((object) => ({ source: refOf(object), code: 'tooMany' }));
  for (const draft of drafts) {
    const name = nameFor(draft, sides, own, taken);
    if (typeof name !== 'string') {
      left.push({ source: refOf(draft.source), code: 'nameTaken', by: refOf(name) });
      continue;
    }
    const object = rendered(owner, kind, draft, name, sides);
    companions.push({ source: refOf(draft.source), object });
    taken.set(name, object);
  }
  const needed = new Set(companions.map(({ object }) => object.metadata.name));
  const superfluous = own.filter(({ metadata }) => !needed.has(metadata.name)).map(refOf);
  return { companions, without: [...without, ...left], superfluous };
}

const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace}/${metadata.name}`;

/** The existing name, or the first free one: objects of others are not written. Their selectors were evaluated earlier. */
function nameFor(
  { source, role }: CompanionDraft,
  { target }: CompanionSides,
  own: readonly KubeObject[],
  taken: ReadonlyMap<string, KubeObject>,
): string | KubeObject {
  const mark = sourceMark(source.metadata.name, role);
  const existing = own.find(({ metadata }) => metadata.annotations?.[companionAnnotation] === mark)?.metadata.name;
  if (existing !== undefined && !taken.has(existing)) return existing;
  const candidates = companionCandidates(source.metadata.name, role, target.ref.name);
  return candidates.find((name) => !taken.has(name)) ?? taken.get(candidates[0] ?? '') ?? source;
}

function rendered(
  owner: CompanionOwner,
  { apiVersion, kind }: CompanionKind,
  { source, role, spec }: CompanionDraft,
  name: string,
  sides: CompanionSides,
): KubeObject {
  const { labels, annotations } = source.metadata;
  const kept = (pairs: Record<string, string> | undefined) =>
    Object.fromEntries(Object.entries(withoutTracking(pairs)).filter(([key]) => !key.startsWith('serin.dev/')));
  return {
    ...{ apiVersion, kind },
    metadata: {
      ...{ name, namespace: sides.namespace },
      labels: kept(labels),
      annotations: {
        ...kept(annotations),
        [ownerAnnotation]: owner.metadata.uid,
        [companionAnnotation]: sourceMark(source.metadata.name, role),
      },
    },
    spec,
  };
}
