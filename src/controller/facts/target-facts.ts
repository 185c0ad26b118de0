import type { NewBlocker } from '../../api/blocker.ts';
import { blockerText } from '../../api/blocker-text.ts';
import type { Canary } from '../../api/canary.ts';
import { isResting } from '../../api/step.ts';
import type { Facts } from '../../engine/facts.ts';
import { decidesPods } from '../../engine/pin.ts';
import { revisionWithConfigs, type SeenConfigs } from '../../workloads/configs/revision.ts';
import { isUncounted, recordedFor, templateOf } from '../../workloads/recorded-template.ts';
import type { Sides } from '../../workloads/workload.ts';
import type { ConfigsResult, TrackedTarget } from './tracked-configs.ts';

type SeenTarget = NonNullable<Sides['target']>;
type TargetFacts = NonNullable<Facts['target']>;

/** The configs that a template reads. `undefined` if none is tracked. */
export type TargetConfigs = ConfigsResult & Pick<TrackedTarget, 'uid' | 'template'>;

/** Said of a target while `isUncounted`. */
export const UNCOUNTED = {
  code: 'TargetUnobserved',
  detail: 'its controller has not observed the last change yet, so that it is not known whether its pods change',
} as const satisfies NewBlocker;

/** Said of a target while `hasPodsLeft`. */
const PODS_LEFT = {
  code: 'TargetUnobserved',
  detail: 'pods that have read other configs can be left; the release begins when its status counts none',
} as const satisfies NewBlocker;

/** The parts that decide the target's pods (docs/internals.md, Revisions): its template, and the configs that they read. `carried`: the primary's revision. */
export function targetFacts(
  canary: Canary,
  target: SeenTarget,
  targetConfigs: TargetConfigs | undefined,
  primaryServes: boolean,
  carried?: string,
): TargetFacts {
  const { configs: _refs, uncounted = false, imagesChangedIn: _changed, generation = 0, rollout, ...side } = target;
  const recorded = recordedFor(canary, target);
  const template = recorded ? templateOf(recorded) : target.revision;
  // A count that is not of this template must not be recorded with it.
  const same = { ...side, generation, template, ...(rollout === undefined || uncounted ? {} : { rollout }) };
  if (recorded && isUncounted(canary, target)) {
    const { revision, configs } = recorded;
    return { ...same, undetermined: UNCOUNTED, revision, ...(configs && { configs }) };
  }
  if (targetConfigs === undefined) return { ...same, ...counting(template, recorded?.configs) };
  if (targetConfigs.uid === target.uid && targetConfigs.template === template && 'configs' in targetConfigs) {
    // Recorded without configs: they were not tracked then, and that starts no release.
    const counts = recorded === undefined || recorded.configs !== undefined;
    if (recorded === undefined && hasPodsLeft(canary, target, targetConfigs.configs))
      return { ...same, undetermined: PODS_LEFT, revision: canary.status?.release?.revision ?? template };
    if (!counts) return { ...same, ...counting(template, undefined) };
    // A revision promoted before checksums had a salt is known by the plain ones.
    const before = counting(template, targetConfigs.unsalted);
    const isPromoted = [canary.status?.release?.promotedRevision, carried].includes(before.revision);
    return { ...same, ...(isPromoted ? before : counting(template, targetConfigs.configs)) };
  }
  const undetermined: NewBlocker =
    'problem' in targetConfigs ? targetConfigs.problem : { code: 'TargetUnobserved', detail: 'the target has just changed' };
  if (recorded) return { ...same, undetermined, ...counting(template, recorded.configs) };
  const { phase, release } = canary.status ?? {};
  const unknown = { ...same, undetermined, revision: release?.revision ?? template };
  if ((phase !== 'Progressing' && phase !== 'WaitingPromotion') || !primaryServes) return unknown;
  // Its pods are not those of the revision under analysis, and their revision is unknown: they get no traffic meanwhile.
  return { ...unknown, serving: false, readiness: { ...side.readiness, state: 'waiting', reason: blockerText(undetermined) } };
}

/**
 * True if an idle target without desired pods has a new version and pods left: those end by themselves, and none is started to be recycled (E56). While its
 * controller has not observed the change, a pod could exist.
 */
function hasPodsLeft({ status }: Canary, { replicas, pods = 0 }: SeenTarget, configs: SeenConfigs): boolean {
  const release = status?.release;
  return isResting(release) && replicas === 0 && pods > 0 && Object.values({ ...release?.configs, ...configs }).some(decidesPods);
}

function counting(template: string, configs: TargetFacts['configs']): Pick<TargetFacts, 'revision' | 'configs'> {
  return { revision: revisionWithConfigs(template, configs ?? {}), ...(configs && { configs }) };
}
