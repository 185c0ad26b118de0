import type { KubeObject } from '../../src/api/kube-object.ts';
import { raw } from '../fakes/raw.ts';
import type { CanaryView } from './world.ts';

/** Explains nothing: definitions that are removed are back before a life is looked at again. */
const PAST = 'KindNotFound';

/** A Canary as lives and invariants see it, in each world. */
export function canaryView(canary: KubeObject): CanaryView {
  const { metadata, spec, status } = raw(canary);
  const { phase = '', release, failedChecks = 0, conditions = [] } = status ?? {};
  const says = (type: string, value: string) =>
    conditions.some((one: { type: string; status: string }) => one.type === type && one.status === value);
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
    standing: JSON.stringify([phase, release?.step, release?.run, release?.routes, failedChecks, release?.iterations, release?.revision]),
    isExplained:
      (release?.blockers ?? []).some(({ code }: { code: string }) => code !== PAST) || contested !== undefined || says('Accepted', 'False'),
    ...(contested && { contested: contested.message }),
  };
}
