import type { Canary } from '../api/canary.ts';
import type { ContainerImage } from '../api/container-image.ts';
import type { PodTemplate } from '../api/kinds/pod-template.ts';
import type { KubeObject, ObjectRef, Slim, SlimRef } from '../api/kube-object.ts';
import type { Readiness } from '../api/readiness.ts';
import type { FieldProblem, SelectedSides, SelectorLabels } from '../api/selector-label.ts';
import type { ConfigRef } from './configs/config-ref.ts';

/**
 * The fields that a promotion sets in the primary, as the kind keeps them in its history: of pod workloads the template and all that shapes its
 * rollout. Never `replicas` (scale subresource), `selector` (immutable) or `paused` (03-W20). Only the kind looks inside.
 */
export interface PrimarySpec {
  /** Of pod workloads. */
  template?: PodTemplate;
  [field: string]: unknown;
}

export interface RenderOptions {
  /** The label that distinguishes primary and canary; see `resolveSelectors`. */
  selector: SelectorLabels;
  /** `-include-label-prefix`: labels of the target copied to the primary object; `*` is all (03-W8). */
  includeLabelPrefix: readonly string[];
  /** `-selector-labels`, in order of priority (03-W12). */
  selectorLabels: readonly string[];
  /** The revision of the target that this is rendered from; becomes the primary's `flagger-id`. */
  revision: string;
  /** Pods at creation; below 1 counts as 1 (03-W18). */
  replicas: number;
  /** Name of the copy that the primary reads instead, by ref key `configmap/x` or `secret/x`; absent: its own originals (03-CT20, CT22). */
  configs?: ReadonlyMap<string, string>;
}

/** An object as the watches know it. */
export interface Watched {
  object: Slim;
  /** For targets and primaries: taken from the whole object, before the projection. */
  revision?: string;
  /** The same: the configs that its pods read. */
  configs?: readonly ConfigRef[];
  /** The same: when its controller last wrote another status, as the API server recorded it. */
  reportedMs?: number;
  /** The same, where it has a pod template: the images of its containers. */
  images?: readonly ContainerImage[];
  /** The generation that the watch brought with other images than it had shown before: certainly another template. */
  imagesChangedIn?: number;
  /** The first of the generations that ask for no pods, up to this one, each of which the watch has shown. */
  zeroSince?: number;
}

/** The controller's picture of the cluster, for reading. */
export interface WatchedObjects {
  find(ref: ObjectRef): Watched | undefined;
  all(kind: { apiVersion: string; kind: string }): readonly Watched[];
}

/** One side of a release at this moment. */
export interface SideState {
  readiness: Readiness;
  /** Whether it can answer a request now. */
  serving: boolean;
  /** Pods asked for; of a kind that cannot be scaled always 1. */
  replicas: number;
  /** For kinds whose controller reports the progress of a rollout. */
  progress?: { lastMs: number; updated: number };
  /** Of its pod template; absent where it has none of its own. */
  images?: readonly ContainerImage[];
}

/** Both sides; one is absent where its object does not exist. */
export interface Sides {
  /** `generation` is absent where a kind has none for its pods: then the revision alone decides (docs/internals.md, Revisions). */
  target?: SideState & {
    uid: string;
    generation?: number;
    rollout?: string;
    /** Its controller has yet to say whether the template is another one. */
    uncounted?: true;
    /** See `Watched`: newer than a recorded generation, it says that without the controller. */
    imagesChangedIn?: number;
    revision: string;
    configs?: readonly ConfigRef[];
    pods?: number;
  };
  /** `carries`: the revision that it was written from by us. */
  primary?: SideState & { carries?: string };
}

/** A merge patch that changes how many pods there are; with resourceVersion where it goes into the user's own fields. */
export interface ScalePatch {
  patch: Record<string, unknown>;
  subresource?: 'scale';
}

/** Names of a workload's objects, and what is known of a target before a release. Every verb of a workload is pure. */
export interface WorkloadIdentity {
  /** The ClusterIP Services over its pods are ours to make; false: the target answers under the apex name itself (03-S-T1). */
  readonly hasPods: boolean;
  /** The target, in the version that it is read in. */
  targetRef(canary: Canary): SlimRef;
  /** The object with the promoted revision; the target itself where a kind has no second object. */
  primaryRef(canary: Canary): SlimRef;
  /** Objects that the sides are read from. An empty name is every object of the kind in the namespace. */
  watches(canary: Canary): readonly ObjectRef[];
  /** Selects the pods of the target, as the API takes it; absent or undefined: it has none of its own that can be watched. */
  podSelector?(target: Slim): string | undefined;
  /** The cached part of a watched target or primary, never a pod template. */
  slim(object: KubeObject): Slim;
  /** The primary is named by what does not exist: no other revision, but nothing at all. Absent: the kind has none. */
  isMisnamed?(primary: Slim, watched: WatchedObjects): boolean;
  /** The label by which the pods of the two sides differ, as the primary has it where it exists, or why there is none. */
  selectors(sides: SelectedSides, selectorLabels: readonly string[]): SelectorLabels | FieldProblem;
  /** Why no release can start from the target as it is, for the condition. */
  refuses?(target: Slim): FieldProblem | undefined;
  /** What metrics go by, where it is not the target's name (`{{ route }}`, 01-6). */
  measuredAs?(target: Slim): string | undefined;
  /** The same for the primary. */
  primaryMeasuredAs?(primary: Slim): string | undefined;
  /** The revision of the pods: `s1:` and SHA-256 of the canonical JSON of the served part (03-H1, docs/internals.md, Revisions). */
  revision(target: KubeObject): string;
  /**
   * How many templates the object has had, as its API server or controller counts them: a moved generation with the same count is not a new
   * revision, whatever a newer server makes of the hash. Absent: the kind does not count.
   */
  rollout?(target: Slim): string | undefined;
  /**
   * Whether its controller has counted the template that the object has now: until then it may or may not be a new one, and no pod
   * of it exists. Absent: it is counted with the write.
   */
  hasCounted?(target: Slim): boolean;
  /** The ConfigMaps and Secrets that its pods read. Absent: the configs of this kind are not tracked (03-CT1). */
  configs?(target: KubeObject): ConfigRef[];
}

/** How many pods a side has, whether they serve, and how their number changes. */
export interface WorkloadReadiness {
  /** Both sides of the release. */
  sides(canary: Canary, watched: WatchedObjects): Sides;
  /** Pods that exist or may be coming, ready or not: 0 only when none of the old ones is left. Every kind with `configs` has it. */
  pods?(watched: Pick<Watched, 'object' | 'zeroSince'>): number;
  /** Whether the pods can take the load; `thresholdPercent` of them must be available (03-W39–W47). */
  readiness(object: Slim, thresholdPercent: number): Readiness;
  /**
   * Available pods of the template that the object has now: no more than there certainly are. Absent: its pods are not replaced one by
   * one.
   */
  updatedPods?(object: Slim): number;
  /** At least one pod is available now. */
  isServing(object: Slim): boolean;
  /** Pods asked for. */
  replicas(object: Slim): number;
  /** How the object is brought to so many pods, 0 being none; undefined: the kind cannot be scaled by us. */
  scalePatch(object: Slim, replicas: number): ScalePatch | undefined;
  /**
   * Milliseconds that pods which were sent away may still take to go: until then the object is not raised, since its status counts them as
   * if they served. Undefined: they are gone. A node that is lost never lets its pod go, hence the bound.
   */
  leavingForMs?(object: Slim): number | undefined;
  /** Pods that the target is raised to for an analysis, without a scaler (03-W36). */
  scaleUpTarget(target: Slim, primary: Slim | undefined): number;
}

/** The primary, and the canary's own object, made from the target. */
export interface WorkloadPromotion {
  /**
   * The primary to create, without owner references: the caller adds the anchor as owner. Holds `promoted` where something was
   * promoted before, otherwise what the target is now. Where the primary is the target itself: the fields to merge into it.
   */
  renderPrimary(canary: Canary, target: KubeObject, options: RenderOptions, promoted?: PrimarySpec): KubeObject;
  /**
   * The object of the target's side where that is not the target itself, without owner references. It follows the target only as a new
   * revision starts.
   */
  renderCanary?(canary: Canary, target: Slim): KubeObject;
  /** The primary's desired fields at promotion, for `promotionPatch` and the history. */
  primaryTemplate(canary: Canary, target: KubeObject, options: RenderOptions): PrimarySpec;
  /** The fields of a rendered primary that a promotion would set. */
  promotedPart(primary: KubeObject): PrimarySpec;
  /** The revision that the primary was written from by us; undefined when another controller wrote it, or none. */
  carries(primary: Slim): string | undefined;
  /** JSON patch that makes `primary` hold `spec`; fails on the server when the primary changed meanwhile. */
  promotionPatch(primary: KubeObject, spec: PrimarySpec): JsonPatchOperation[];
  /**
   * Path of a field that the server's answer lost, changed or kept from `before`, the object that was written over; undefined when it holds
   * what was rendered. An addition of the server alone is none; without `before` any addition is one.
   */
  templateMatches(answer: KubeObject, rendered: PrimarySpec, before?: KubeObject): string | undefined;
}

/** Objects that were there before Serin, or stay when the Canary goes. */
export interface WorkloadAdoption {
  /** Fields of the target that the anchor keeps, to be restored when the Canary is deleted. */
  originals(target: Slim): { replicas: number; [field: string]: unknown };
  /** The merge patch that removes what we put into the target, once it may receive traffic again; absent: nothing is left in it. */
  restorePatch?(target: Slim, originals: { replicas: number; [field: string]: unknown }): Record<string, unknown>;
  /** The template that Flagger makes of the target; absent: the same as ours. Compared only, never written. */
  flaggerTemplate?(target: KubeObject, options: RenderOptions): PrimarySpec;
  /** Whether a primary that another controller made equals `rendered` but for the promotion id, which says nothing of the pods. */
  adopts(primary: KubeObject, rendered: PrimarySpec): boolean;
  /** The content of such a primary, for our history, as if it had been written from this revision. */
  held(primary: KubeObject, revision: string): PrimarySpec;
}

/** A kind of workload that a Canary can release. */
export interface Workload extends WorkloadIdentity, WorkloadReadiness, WorkloadPromotion, WorkloadAdoption {}

export type JsonPatchOperation = { op: 'test' | 'replace' | 'add'; path: string; value: unknown } | { op: 'remove'; path: string };
