import type { NewBlocker } from '../../api/blocker.ts';
import { blockerText } from '../../api/blocker-text.ts';
import type { Canary } from '../../api/canary.ts';
import type { Release } from '../../api/canary-status.ts';
import { isResting } from '../../api/step.ts';
import type { Facts } from '../../engine/facts.ts';
import { decidesPods } from '../../engine/pin.ts';
import { revisionWithConfigs, type SeenConfigs } from '../../workloads/configs/revision.ts';
import type { Sides } from '../../workloads/workload.ts';
import type { ConfigsResult, TrackedTarget } from './tracked-configs.ts';

/** The fields of a target that identify its template: `revision` is the hash of that alone. */
type SeenTarget = NonNullable<Sides['target']>;
type Template = Pick<SeenTarget, 'uid' | 'generation' | 'rollout' | 'uncounted' | 'imagesChangedIn' | 'revision'>;
type TargetFacts = NonNullable<Facts['target']>;

/** A look at the configs that a template reads. Absent: none is tracked. */
export type TargetConfigs = ConfigsResult & Pick<TrackedTarget, 'uid' | 'template'>;

/** Said of a target while `isUncounted`. */
export const UNCOUNTED = {
  code: 'TargetUnobserved',
  detail: 'its controller has not observed the last change yet, so that it is not known whether its pods change',
} as const satisfies NewBlocker;

/** Said of a target while `hasPodsLeft`. */
const PODS_LEFT = {
  code: 'TargetUnobserved',
  detail: 'pods may be left that have read other configs; the release begins when its status counts none',
} as const satisfies NewBlocker;

/**
 * The release that was recorded for this very template. The same uid and generation has the same one, whatever the hash says: a newer
 * server may show new default fields. A generation moves with replicas and other fields, too, and some kinds have none: then the kind's own
 * count of templates decides, and where there is none the hash. What is not counted yet is what it was, until it is.
 */
export function recordedFor(canary: Canary, target: Template): Release | undefined {
  const { release } = canary.status ?? {};
  if (release === undefined || release.targetUid !== target.uid || release.observedGeneration === 0) return undefined;
  if (templateOf(release) === target.revision || isUncounted(canary, target)) return release;
  const { rollout, uncounted } = target;
  const isCounted = uncounted !== true && rollout !== undefined && rollout === release.observedRollout;
  // The same generation can be counted after it was recorded.
  const isSame = release.observedGeneration === target.generation ? !isCountedAnew(release, target) : isCounted;
  return isSame ? release : undefined;
}

/**
 * Its hash is another one, and its controller has yet to say whether that is another template, or only how a newer server shows it. No server changes
 * images: where the watch has brought others since, it is another template.
 */
export function isUncounted(canary: Canary, target: Template): boolean {
  const { release } = canary.status ?? {};
  const { uid, generation, uncounted, imagesChangedIn = 0, revision } = target;
  if (uncounted !== true || release?.targetUid !== uid || release.observedRollout === undefined) return false;
  if (release.observedGeneration === 0 || release.observedGeneration === generation) return false;
  if (imagesChangedIn > release.observedGeneration) return false;
  return templateOf(release) !== revision && !isCountedAnew(release, target);
}

/** Numbers only rise: a lower one comes from an old manifest that was applied again, for a moment. */
function isCountedAnew({ observedRollout }: Release, { rollout }: Template): boolean {
  return rollout !== undefined && observedRollout !== undefined && Number(rollout) > Number(observedRollout);
}

/** The template's revision, as it was recorded or as it is. */
export function templateOfTarget(canary: Canary, target: Template): string {
  const recorded = recordedFor(canary, target);
  return recorded ? templateOf(recorded) : target.revision;
}

/** The parts that decide the target's pods (ARCHITECTURE.md, Revisions): its template, and the configs that they read. `carried`: the primary's revision. */
export function targetFacts(
  canary: Canary,
  target: SeenTarget,
  look: TargetConfigs | undefined,
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
  if (look === undefined) return { ...same, ...counting(template, recorded?.configs) };
  if (look.uid === target.uid && look.template === template && 'configs' in look) {
    // Recorded without configs: they were not tracked then, and that starts no release.
    const counts = recorded === undefined || recorded.configs !== undefined;
    if (recorded === undefined && hasPodsLeft(canary, target, look.configs))
      return { ...same, undetermined: PODS_LEFT, revision: canary.status?.release?.revision ?? template };
    if (!counts) return { ...same, ...counting(template, undefined) };
    // What was promoted before checksums had a salt is known by the plain ones.
    const before = counting(template, look.unsalted);
    const isPromoted = [canary.status?.release?.promotedRevision, carried].includes(before.revision);
    return { ...same, ...(isPromoted ? before : counting(template, look.configs)) };
  }
  const undetermined: NewBlocker = 'problem' in look ? look.problem : { code: 'TargetUnobserved', detail: 'the target has just changed' };
  if (recorded) return { ...same, undetermined, ...counting(template, recorded.configs) };
  const { phase, release } = canary.status ?? {};
  const unknown = { ...same, undetermined, revision: release?.revision ?? template };
  if ((phase !== 'Progressing' && phase !== 'WaitingPromotion') || !primaryServes) return unknown;
  // Its pods are not those of the revision under analysis, and their revision is unknown: they get no traffic meanwhile.
  return { ...unknown, serving: false, readiness: { ...side.readiness, state: 'waiting', reason: blockerText(undetermined) } };
}

/**
 * A new version of an idle target that is asked for no pods: those that may be left go by themselves, and none is started to be recycled (E56).
 * While its controller has not observed the change, there may be one.
 */
function hasPodsLeft({ status }: Canary, { replicas, pods = 0 }: SeenTarget, configs: SeenConfigs): boolean {
  const release = status?.release;
  return isResting(release) && replicas === 0 && pods > 0 && Object.values({ ...release?.configs, ...configs }).some(decidesPods);
}

function counting(template: string, configs: TargetFacts['configs']): Pick<TargetFacts, 'revision' | 'configs'> {
  return { revision: revisionWithConfigs(template, configs ?? {}), ...(configs && { configs }) };
}

export function templateOf({ template, revision }: Release): string {
  return template ?? revision;
}
