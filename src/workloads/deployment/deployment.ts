import { revisionAnnotation } from '../../api/names.ts';
import { digest } from '../canonical-json.ts';
import type { Workload } from '../workload.ts';
import { promotionPatch } from './promotion-patch.ts';
import { deploymentReadiness, replicasOf } from './readiness.ts';
import { primarySpec, renderPrimary } from './render-primary.ts';
import { templateMatches } from './template-matches.ts';

/** Marks our own revisions, so that one of another controller (or of a later format) is never taken for ours. */
const REVISION_FORMAT = 's1:';

/** apps/v1 Deployment (03 §2). The primary's `flagger-id` is the revision itself: readable by us, opaque to others. */
export const deployment: Workload = {
  revision(target) {
    const { metadata, ...rest } = target.spec.template;
    // API servers before 1.34 serve `creationTimestamp: null` here; an upgrade must not look like a new revision.
    const { creationTimestamp: _none, ...served } = metadata ?? {};
    return REVISION_FORMAT + digest({ ...rest, metadata: served });
  },
  readiness: deploymentReadiness,
  isServing: (object) => (object.status?.availableReplicas ?? 0) >= 1,
  replicas: replicasOf,
  renderPrimary,
  primaryTemplate: primarySpec,
  carries(primary) {
    const mark: unknown = primary.spec?.template?.metadata?.annotations?.[revisionAnnotation];
    return typeof mark === 'string' && mark.startsWith(REVISION_FORMAT) ? mark : undefined;
  },
  promotionPatch,
  templateMatches,
  scaleUpTarget(target, primary) {
    const own = replicasOf(target);
    return own > 0 ? own : Math.max(1, primary ? replicasOf(primary) : 1);
  },
};
