import { SERVICE_KIND } from '../../api/kinds/service.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { ControllerDeps } from '../controller-deps.ts';
import { admitSpec } from './admission.ts';
import { routedOf } from './edited-routes.ts';
import { editedTarget } from './edited-target.ts';
import { suspected } from './service-fit.ts';

/**
 * True if an edit of a runnable Canary is refused, or could be for its route fields: its objects stay those of the previous spec, also when it is deleted
 * (E65).
 */
export function isRefusedEdit(raw: KubeObject, before: KubeObject | undefined, deps: Pick<ControllerDeps, 'config' | 'view'>): boolean {
  if (before === undefined || before.metadata.uid !== raw.metadata.uid) return false;
  if (before.metadata.generation === raw.metadata.generation) return false;
  const [was, now] = [admitSpec(before, deps), admitSpec(raw, deps)];
  if ('reason' in was) return false;
  if ('reason' in now || routedOf(was.canary) !== routedOf(now.canary)) return true;
  // A pass decides when these are listed.
  const kinds = [SERVICE_KIND, ...[was, now].flatMap(({ workload, canary }) => workload.watches(canary))];
  if (!kinds.every(({ apiVersion, kind }) => deps.view.isListed({ apiVersion, kind, namespace: now.canary.metadata.namespace })))
    return true;
  return suspected(now, deps.view) !== undefined || editedTarget(now, was.canary.spec, deps.view) !== undefined;
}
