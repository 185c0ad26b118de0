import type { KubeObject } from '../../src/api/kube-object.ts';
import { raw } from '../fakes/raw.ts';
import type { CanaryView } from './world.ts';

/** A Canary as lives and invariants see it, in each world. */
export function canaryView(canary: KubeObject): CanaryView {
  const { metadata, spec, status } = raw(canary);
  const { phase = '', release, failedChecks = 0, conditions = [] } = status ?? {};
  const contested = conditions.find((one: { type: string; status: string }) => one.type === 'Contested' && one.status === 'True');
  return {
    name: metadata.name,
    uid: metadata.uid,
    isDeleting: metadata.deletionTimestamp !== undefined,
    isSuspended: spec.suspend === true,
    phase,
    step: release?.step ?? '',
    run: release?.run ?? 0,
    failedChecks,
    ...(contested && { contested: contested.message }),
  };
}
