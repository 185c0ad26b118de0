import type { Canary } from '../api/canary.ts';
import type { PodTemplate } from '../api/kinds/pod-template.ts';
import type { KubeObject, ObjectRef, OwnerReference } from '../api/kube-object.ts';
import { anchorName, names, ownerAnnotation } from '../api/names.ts';
import { fieldPath } from '../base/field-path.ts';
import { AnchorData, type Originals, TemplateRevisionData } from './anchor-data.ts';
import { digest } from './digest.ts';
import type { PrimarySpec } from './workload.ts';

export type { ApexOriginal, Originals, TemplateRevisionData } from './anchor-data.ts';

/** The kind of all records of Serin. */
export const recordKind = { apiVersion: 'apps/v1', kind: 'ControllerRevision' } as const;

/** Makes the anchor the owner of an object, which is deleted together with it. */
export const anchorReference = ({ name, uid }: { name: string; uid: string }): OwnerReference => ({ ...recordKind, name, uid });

export const anchorRef = ({ metadata }: { metadata: { name: string; namespace: string } }): ObjectRef => ({
  ...recordKind,
  name: anchorName({ metadata }),
  namespace: metadata.namespace,
});

/** Finds the records of one Canary. */
export const canaryLabel = 'serin.dev/canary';
/** Distinguishes the anchor from the promoted templates. */
export const recordLabel = 'serin.dev/record';

/** The ControllerRevision that owns all objects generated for a Canary; its data are immutable (docs/internals.md, Anchor). */
export function renderAnchor(canary: Canary, originals: Originals): KubeObject {
  const data = { canaryUid: canary.metadata.uid, ...originals };
  return record(canary, names(canary).anchor, 'anchor', 0, data);
}

/**
 * The record of one promoted template. Named by its content: recording it again gives the same object with a higher `number`, which is the order of promotions.
 * `anchor`, as stored on the server, becomes the owner.
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

export function isAnchor(object: KubeObject): boolean {
  return object.metadata.labels?.[recordLabel] === 'anchor';
}

/**
 * The anchor's data, if they can be trusted. Anyone who may write in its namespace can have written it: it is parsed by schema, and its name, its mark and its
 * data must name the same Canary. That Canary is in the anchor's own namespace, for any data.
 */
export function readAnchor(object: KubeObject): { data: AnchorData } | { problem: string } | undefined {
  if (!isAnchor(object)) return undefined;
  const parsed = AnchorData.safeParse(object.data);
  if (!parsed.success) return { problem: `${fieldPath(['data', ...(parsed.error.issues[0]?.path ?? [])])} cannot be read` };
  const { data } = parsed;
  const { name, namespace = '', annotations } = object.metadata;
  const { canary } = data;
  if (annotations?.[ownerAnnotation] !== data.canaryUid || (canary && canary.metadata.uid !== data.canaryUid))
    return { problem: `the annotation ${ownerAnnotation} and the uids in data are not the same` };
  if (canary === undefined) return { data };
  if (anchorName(canary) !== name) return { problem: `data.canary.metadata.name is not that of the Canary whose anchor is called ${name}` };
  return { data: { ...data, canary: { ...canary, metadata: { ...canary.metadata, namespace } } } };
}

/** The promoted template in a record; undefined if the object is not a record, or cannot be read. */
export function readTemplateRevision(object: KubeObject): TemplateRevisionData | undefined {
  if (object.metadata.labels?.[recordLabel] !== 'template' || !Number.isSafeInteger(object.revision)) return undefined;
  return TemplateRevisionData.safeParse(object.data).data;
}

/** Order of records. Records without an owner are left from an anchor that was deleted without them, and are older than all later ones. */
export function newestFirst(a: KubeObject, b: KubeObject): number {
  const isOwned = ({ metadata: { ownerReferences = [] } }: KubeObject): number => Number(ownerReferences.length > 0);
  return isOwned(b) - isOwned(a) || Number(b.revision) - Number(a.revision);
}

/** The oldest template records beyond the newest `limit`; never the newest record, and never the anchor. */
export function historyToPrune(revisions: readonly KubeObject[], limit: number): KubeObject[] {
  return revisions
    .filter((object) => readTemplateRevision(object) !== undefined)
    .toSorted(newestFirst)
    .slice(Math.max(1, limit));
}

/** Label selector of all records of a Canary. */
export function recordsOf(canary: Canary): string {
  return `${canaryLabel}=${canaryLabelValue(canary.metadata.name)}`;
}

function record(canary: Canary, name: string, role: 'anchor' | 'template', revision: number, data: object): KubeObject {
  return {
    ...recordKind,
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

/** Object names can have 253 characters, label values 63. */
export function canaryLabelValue(name: string): string {
  return name.length <= 63 ? name : `${name.slice(0, 50)}-${digest(name).slice(0, 12)}`;
}
