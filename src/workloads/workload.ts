import type { Canary } from '../api/canary.ts';
import type { KubeObject, Labels } from '../api/kube-object.ts';
import type { Readiness } from '../api/readiness.ts';
import type { SelectorLabel } from '../api/selector-label.ts';

/** A pod template as raw JSON; what we do not know passes through. */
export interface PodTemplate {
  metadata?: { labels?: Labels; annotations?: Labels; [field: string]: unknown };
  spec: Record<string, unknown>;
  [field: string]: unknown;
}

/**
 * The part of the primary's `spec` that comes from the target: the pod template and all that shapes its rollout. Never
 * `replicas` (scale subresource), `selector` (immutable) or `paused` (03 W20).
 */
export interface PrimarySpec {
  template: PodTemplate;
  [field: string]: unknown;
}

export interface RenderOptions {
  /** The label that tells primary from canary; see `resolveSelector`. */
  selector: SelectorLabel;
  /** `-include-label-prefix`: labels of the target copied to the primary object; `*` is all (03 W8). */
  includeLabelPrefix: readonly string[];
  /** `-selector-labels`, in order of priority (03 W12). */
  selectorLabels: readonly string[];
  /** The revision of the target that this is rendered from; becomes the primary's `flagger-id`. */
  revision: string;
  /** Pods at creation; below 1 counts as 1 (03 W18). */
  replicas: number;
}

/** A kind of workload that a Canary can release. Every verb is pure and works on raw objects. */
export interface Workload {
  /** What decides the pods: `s1:` and SHA-256 of the canonical JSON of the served template (03 H1, DESIGN Revisions). */
  revision(target: KubeObject): string;
  /** Whether the pods can take the load; `thresholdPercent` of them must be available (03 W39–W47). */
  readiness(object: KubeObject, thresholdPercent: number): Readiness;
  /** At least one pod is available now. */
  isServing(object: KubeObject): boolean;
  /** Pods asked for. */
  replicas(object: KubeObject): number;
  /** The primary to create, without owner references: the caller adds the anchor as owner. */
  renderPrimary(canary: Canary, target: KubeObject, options: RenderOptions): KubeObject;
  /** What the primary's spec should hold at promotion, for `promotionPatch` and `renderTemplateRevision`. */
  primaryTemplate(canary: Canary, target: KubeObject, options: RenderOptions): PrimarySpec;
  /** The revision that the primary was written from by us; undefined when another controller wrote it, or nobody. */
  carries(primary: KubeObject): string | undefined;
  /** JSON patch that makes `primary` hold `spec`; fails on the server when the primary changed meanwhile. */
  promotionPatch(primary: KubeObject, spec: PrimarySpec): JsonPatchOperation[];
  /** Path of a field that the server's answer lost, changed or kept from before; undefined when it holds what was rendered. */
  templateMatches(answer: KubeObject, rendered: PrimarySpec): string | undefined;
  /** Pods that the target is raised to for an analysis, without a scaler (03 W36). */
  scaleUpTarget(target: KubeObject, primary: KubeObject | undefined): number;
}

export type JsonPatchOperation = { op: 'test' | 'replace' | 'add'; path: string; value: unknown } | { op: 'remove'; path: string };
