import type { Canary } from '../api/canary.ts';
import type { ContainerImage } from '../api/container-image.ts';
import type { PodTemplate } from '../api/kinds/pod-template.ts';
import type { KubeObject, ObjectRef, Slim, SlimRef } from '../api/kube-object.ts';
import type { Readiness } from '../api/readiness.ts';
import type { FieldProblem, SelectedSides, SelectorLabels } from '../api/selector-label.ts';
import { canonicalJson } from '../base/json.ts';
import type { ConfigRef } from './configs/config-ref.ts';

/**
 * The fields that a promotion sets in the primary, as the kind stores them in its history: for pod workloads the template and all fields of its rollout. Never
 * `replicas` (scale subresource), `selector` (immutable) or `paused`. Only the kind reads them.
 */
export interface PrimarySpec {
  /** Set for pod workloads. */
  template?: PodTemplate;
  [field: string]: unknown;
}

export interface RenderOptions {
  /** The label that distinguishes primary and canary; see `resolveSelectors`. */
  selector: SelectorLabels;
  /** `-include-label-prefix`: labels of the target copied to the primary object; `*` is all. */
  includeLabelPrefix: readonly string[];
  /** `-selector-labels`, in order of priority. */
  selectorLabels: readonly string[];
  /** The revision of the target from which this is rendered; becomes the primary's `flagger-id`. */
  revision: string;
  /** Pods at creation; below 1 counts as 1. */
  replicas: number;
  /** Name of the copy that the primary reads instead, by ref key `configmap/x` or `secret/x`; without an entry it reads the original. */
  configs?: ReadonlyMap<string, string>;
}

/** An object in the watch cache. */
export interface Watched {
  object: Slim;
  /** Revision of targets and primaries, computed from the whole object, before the projection. */
  revision?: string;
  /** Likewise, the configs that its pods read. */
  configs?: readonly ConfigRef[];
  /** Likewise, the time of the last other status from its controller, as the API server recorded it. */
  reportedMs?: number;
  /** Likewise, for a pod template: the images of its containers. */
  images?: readonly ContainerImage[];
  /** Likewise, what names its commit; see `namedCommit`. */
  commit?: string;
  /** The generation with which the watch showed other images than before: certainly another template. */
  imagesChangedIn?: number;
  /** The first generation of an unbroken run of generations, up to this one, that want no pods and were all shown by the watch. */
  zeroSince?: number;
}

/** The cluster as the controller knows it, for reading. */
export interface WatchedObjects {
  find(ref: ObjectRef): Watched | undefined;
  all(kind: { apiVersion: string; kind: string }): readonly Watched[];
}

/** One side of a release at this moment. */
export interface SideState {
  readiness: Readiness;
  /** The side can answer a request now. */
  serving: boolean;
  /** Desired pods; always 1 for a kind that cannot be scaled. */
  replicas: number;
  /** For kinds whose controller reports the progress of a rollout. */
  progress?: { lastMs: number; updated: number };
  /** Images of its pod template; absent if it has no template of its own. */
  images?: readonly ContainerImage[];
}

/** Both sides; one is absent where its object does not exist. */
export interface Sides {
  /** `generation` is absent if a kind has none for its pods: then only the revision decides (docs/internals.md, Revisions). */
  target?: SideState & {
    uid: string;
    generation?: number;
    rollout?: string;
    /** Its controller must still decide if the template is another one. */
    uncounted?: true;
    /** See `Watched`: if newer than a recorded generation, it shows that without the controller. */
    imagesChangedIn?: number;
    revision: string;
    configs?: readonly ConfigRef[];
    pods?: number;
    /** See `namedCommit`. */
    commit?: string;
  };
  /** `carries`: the revision from which we wrote it. */
  primary?: SideState & { carries?: string };
}

/** A merge patch that changes the number of pods; with resourceVersion if it changes the user's own fields. */
export interface ScalePatch {
  patch: Record<string, unknown>;
  subresource?: 'scale';
}

/** Names of a workload's objects, and facts about a target before a release. Every verb of a workload is pure. */
export interface WorkloadIdentity {
  /** Serin makes the ClusterIP Services over its pods; if false, the target answers under the apex name itself. */
  readonly hasPods: boolean;
  /** The target, in the version in which it is read. */
  targetRef(canary: Canary): SlimRef;
  /** The object with the promoted revision; the target itself for a kind without a second object. */
  primaryRef(canary: Canary): SlimRef;
  /** Objects from which the sides are read. An empty name means every object of the kind in the namespace. */
  watches(canary: Canary): readonly ObjectRef[];
  /** Selector of the target's pods for the API; absent or undefined if it has no pods of its own that can be watched. */
  podSelector?(target: Slim): string | undefined;
  /** The cached part of a watched target or primary, never a pod template. */
  slim(object: KubeObject): Slim;
  /** The named primary does not exist: no other revision, but nothing at all. Absent if the kind has no such name. */
  isMisnamed?(primary: Slim, watched: WatchedObjects): boolean;
  /** The label by which the pods of the two sides differ, from the primary if it exists, or the reason for which no label is found. */
  selectors(sides: SelectedSides, selectorLabels: readonly string[]): SelectorLabels | FieldProblem;
  /** Reason for which no release can start from the present target, for the condition. */
  refuses?(target: Slim): FieldProblem | undefined;
  /** Name of the target in metrics if it is not the target's own (`{{ route }}`). */
  measuredAs?(target: Slim): string | undefined;
  /** The same for the primary. */
  primaryMeasuredAs?(primary: Slim): string | undefined;
  /** The revision of the pods: `s1:` and SHA-256 of the canonical JSON of the served part (docs/internals.md, Revisions). */
  revision(target: KubeObject): string;
  /**
   * Number of templates that the object has had, as its API server or controller counts them: a changed generation with the same count is not a new revision,
   * with any hash of a newer server. Absent if the kind does not count.
   */
  rollout?(target: Slim): string | undefined;
  /** The controller has counted the present template: until then it is not known to be new, and no pod of it exists. Absent if the write itself counts it. */
  hasCounted?(target: Slim): boolean;
  /** The ConfigMaps and Secrets that its pods read. Absent if the configs of this kind are not tracked. */
  configs?(target: KubeObject): ConfigRef[];
}

/** Number of pods of a side, their readiness, and the change of their number. */
export interface WorkloadReadiness {
  /** Both sides of the release. */
  sides(canary: Canary, watched: WatchedObjects): Sides;
  /** Pods that exist or could be starting, ready or not: 0 only when no old pod is left. Every kind with `configs` has it. */
  pods?(watched: Pick<Watched, 'object' | 'zeroSince'>): number;
  /** The pods can take the load; `thresholdPercent` of them must be available. */
  readiness(object: Slim, thresholdPercent: number): Readiness;
  /** Available pods of the object's present template: a lower bound. Absent if its pods are not replaced one by one. */
  updatedPods?(object: Slim): number;
  /** At least one pod is available now. */
  isServing(object: Slim): boolean;
  /** Desired pods. */
  replicas(object: Slim): number;
  /** Change that scales the object to this number of pods, 0 for none; undefined if Serin cannot scale the kind. */
  scalePatch(object: Slim, replicas: number): ScalePatch | undefined;
  /**
   * Milliseconds for which stopped pods can still terminate: until then the object is not scaled up, since its status counts them as if they served. Undefined
   * if they are gone. A lost node never lets its pod terminate, hence the bound.
   */
  leavingForMs?(object: Slim): number | undefined;
  /** Pods to which the target is scaled for an analysis, without a scaler. */
  scaleUpTarget(target: Slim, primary: Slim | undefined): number;
}

/** The primary, and the canary's own object, made from the target. */
export interface WorkloadPromotion {
  /**
   * The primary to create, without owner references: the caller adds the anchor as owner. It has the spec `promoted` if a revision was promoted earlier,
   * otherwise the present target's. If the primary is the target itself, the fields to merge into it.
   */
  renderPrimary(canary: Canary, target: KubeObject, options: RenderOptions, promoted?: PrimarySpec): KubeObject;
  /** The object of the target's side if that is not the target itself, without owner references. It follows the target only when a new revision starts. */
  renderCanary?(canary: Canary, target: Slim): KubeObject;
  /** The primary's desired fields at promotion, for `promotionPatch` and the history. */
  primaryTemplate(canary: Canary, target: KubeObject, options: RenderOptions): PrimarySpec;
  /** The fields of a rendered primary that a promotion would set. */
  promotedPart(primary: KubeObject): PrimarySpec;
  /** The revision from which we wrote the primary; undefined if another controller wrote it, or none. */
  carries(primary: Slim): string | undefined;
  /** JSON patch that gives `primary` the spec `spec`; fails on the server if the primary changed meanwhile. */
  promotionPatch(primary: KubeObject, spec: PrimarySpec): JsonPatchOperation[];
  /**
   * Path of a field that the server's answer lost, changed or kept from `before`, the object before the write; undefined if it has the rendered fields. A field
   * that only the server added does not count; without `before` any addition is.
   */
  templateMatches(answer: KubeObject, rendered: PrimarySpec, before?: KubeObject): string | undefined;
}

/** Objects that existed before Serin, or are kept after the Canary. */
export interface WorkloadAdoption {
  /** Fields of the target that the anchor keeps, to be restored when the Canary is deleted. */
  originals(target: Slim): { replicas: number; [field: string]: unknown };
  /** The merge patch that removes our fields from the target, once traffic can go to it again; absent if it has none. */
  restorePatch?(target: Slim, originals: { replicas: number; [field: string]: unknown }): Record<string, unknown>;
  /** The template that Flagger makes from the target; absent if it is the same as ours. Only compared, never written. */
  flaggerTemplate?(target: KubeObject, options: RenderOptions): PrimarySpec;
  /** A primary that another controller made equals `rendered` except for the promotion id, which does not describe the pods. */
  adopts(primary: KubeObject, rendered: PrimarySpec): boolean;
  /** The content of such a primary, for our history, as if it had been written from this revision. */
  held(primary: KubeObject, revision: string): PrimarySpec;
}

/** A kind of workload that a Canary can release. */
export interface Workload extends WorkloadIdentity, WorkloadReadiness, WorkloadPromotion, WorkloadAdoption {}

export type JsonPatchOperation = { op: 'test' | 'replace' | 'add'; path: string; value: unknown } | { op: 'remove'; path: string };

/** The JSON patch operation that turns the value at a path into another; none where they are equal. `path` is escaped already. */
export function changeOf(path: string, from: unknown, to: unknown): JsonPatchOperation[] {
  if (canonicalJson(from) === canonicalJson(to)) return [];
  if (to === undefined) return [{ op: 'remove', path }];
  return [{ op: from === undefined ? 'add' : 'replace', path, value: to }];
}
