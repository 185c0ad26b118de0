import type { KubeObject } from '../../api/kube-object.ts';
import { revisionAnnotation } from '../../api/names.ts';
import { digest } from '../canonical-json.ts';
import { ownRevision, REVISION_FORMAT } from '../revision-format.ts';
import type { PodTemplate } from '../workload.ts';

/** The revision of a pod template (03-H1). */
export function templateRevision({ metadata, ...rest }: PodTemplate): string {
  // API servers before 1.34 serve `creationTimestamp: null` here; an upgrade must not look like a new revision.
  const { creationTimestamp: _none, ...served } = metadata ?? {};
  return REVISION_FORMAT + digest({ ...rest, metadata: served });
}

/** The primary's `flagger-id` is the revision itself: readable by us, opaque to others. */
export function carriedRevision(primary: KubeObject): string | undefined {
  return ownRevision(primary.spec?.template?.metadata?.annotations?.[revisionAnnotation]);
}
