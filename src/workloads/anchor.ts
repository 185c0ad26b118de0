import type { Canary } from '../api/canary.ts';
import type { KubeObject, Labels } from '../api/kube-object.ts';
import { names, ownerAnnotation } from '../api/names.ts';
import { digest } from './canonical-json.ts';
import type { PodTemplate, PrimarySpec } from './workload.ts';

/** Finds the records of one Canary. */
export const canaryLabel = 'serin.dev/canary';
/** Tells the anchor from the promoted templates. */
export const recordLabel = 'serin.dev/record';

/** Of a Service found in place what Serin writes; anchors of before 0.1.0 have its selector alone. */
export interface ApexOriginal {
  selector: Labels;
  ports?: { name?: string; port: number; protocol?: string; [field: string]: unknown }[];
  labels?: Labels;
  /** Those that keep GitOps tools away, where the user had any. */
  annotations?: Labels;
}

/** What the user's objects held before we changed them; put back when the Canary is gone. */
export interface Originals {
  target: { replicas: number; [field: string]: unknown };
  /** Absent: there was no apex Service, so it is ours. */
  apexService?: ApexOriginal;
  /** What a controller needs that finds the anchor after its Canary was deleted. */
  canary?: Pick<Canary, 'spec'> & { metadata: { name: string; namespace: string; uid: string; labels?: Labels } };
}
export type AnchorData = Originals & { canaryUid: string };

/** The ControllerRevision that owns all that is generated for a Canary; its data are immutable (DESIGN Anchor). */
export function renderAnchor(canary: Canary, originals: Originals): KubeObject {
  const data: AnchorData = { canaryUid: canary.metadata.uid, ...originals };
  return record(canary, names(canary).anchor, 'anchor', 0, data);
}

/** What was promoted, as history keeps it: what a failed promotion puts back. */
export interface TemplateRevisionData {
  revision: string;
  spec: PrimarySpec;
  /** The template as the target had it, which an undo puts back; absent where it was not seen. */
  target?: PodTemplate;
}

/**
 * The record of one promoted template. Named by its content: recording it again is the same object with a higher `number`,
 * which is the order of promotions. `anchor`, as the server holds it, becomes the owner.
 */
export function renderTemplateRevision(
  canary: Canary,
  spec: PrimarySpec,
  revision: string,
  number: number,
  anchor?: KubeObject,
  target?: PodTemplate,
): KubeObject {
  const data: TemplateRevisionData = { revision, spec, ...(target && { target }) };
  const name = `${canary.metadata.name.slice(0, 230)}-serin-${digest(data).slice(0, 12)}`;
  const rendered = record(canary, name, 'template', number, data);
  if (anchor?.metadata.uid === undefined) return rendered;
  const { apiVersion, kind, metadata } = anchor;
  const owner = { apiVersion, kind, name: metadata.name, uid: anchor.metadata.uid, controller: true, blockOwnerDeletion: false };
  return { ...rendered, metadata: { ...rendered.metadata, ownerReferences: [owner] } };
}

/** The anchor's data; undefined when the object is not an anchor. */
export function readAnchor(object: KubeObject): AnchorData | undefined {
  return object.metadata.labels?.[recordLabel] === 'anchor' ? object.data : undefined;
}

/** The promoted template in a record; undefined when the object is none. */
export function readTemplateRevision(object: KubeObject): TemplateRevisionData | undefined {
  return object.metadata.labels?.[recordLabel] === 'template' ? object.data : undefined;
}

/** The oldest template records beyond the newest `limit`; never the newest one, and never the anchor. */
export function historyToPrune(revisions: readonly KubeObject[], limit: number): KubeObject[] {
  return revisions
    .filter((object) => readTemplateRevision(object) !== undefined)
    .toSorted((a, b) => b.revision - a.revision)
    .slice(Math.max(1, limit));
}

/** Label selector of all records of a Canary. */
export function recordsOf(canary: Canary): string {
  return `${canaryLabel}=${canaryLabelValue(canary.metadata.name)}`;
}

function record(canary: Canary, name: string, role: 'anchor' | 'template', revision: number, data: object): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name,
      namespace: canary.metadata.namespace,
      labels: { [canaryLabel]: canaryLabelValue(canary.metadata.name), [recordLabel]: role },
      annotations: { [ownerAnnotation]: canary.metadata.uid },
    },
    revision,
    data,
  };
}

/** Object names may have 253 characters, label values 63. */
export function canaryLabelValue(name: string): string {
  return name.length <= 63 ? name : `${name.slice(0, 50)}-${digest(name).slice(0, 12)}`;
}
