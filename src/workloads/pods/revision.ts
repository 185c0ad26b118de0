import type { PodTemplate } from '../../api/kinds/pod-template.ts';
import { asPodWorkload } from '../../api/kinds/pod-workload.ts';
import type { Slim } from '../../api/kube-object.ts';
import { revisionAnnotation } from '../../api/names.ts';
import { digest } from '../digest.ts';
import { ownRevision, REVISION_FORMAT } from '../revision-format.ts';

/** The revision of a pod template. */
export function templateRevision({ metadata, ...rest }: PodTemplate): string {
  // API servers before 1.34 serve `creationTimestamp: null` here; an upgrade must not look like a new revision.
  const { creationTimestamp: _none, ...served } = metadata ?? {};
  return REVISION_FORMAT + digest({ ...rest, metadata: served });
}

/** The primary's `flagger-id` is the revision itself: readable by us, opaque to others. */
export function carriedRevision(primary: Slim): string | undefined {
  return ownRevision(asPodWorkload(primary).spec?.template?.metadata?.annotations?.[revisionAnnotation]);
}
