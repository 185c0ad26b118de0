import type { Canary } from '../api/canary.ts';
import type { Release } from '../api/canary-status.ts';
import type { Sides } from './workload.ts';

/** The fields of a target that identify its template: `revision` is the hash of only the template. */
type Template = Pick<NonNullable<Sides['target']>, 'uid' | 'generation' | 'rollout' | 'uncounted' | 'imagesChangedIn' | 'revision'>;

/**
 * The release that was recorded for exactly this template. The same uid and generation mean the same template, with any hash: a newer server can show new
 * default fields. A generation also changes with replicas and other fields, and some kinds do not have it. In that case the kind's own count of templates
 * decides, or else the hash. A template that is not counted yet counts as unchanged.
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
 * Its hash has changed, and its controller must still decide if it is another template, or only the form in which a newer server shows it. Servers never change
 * images: if the watch has shown other images since, it is another template.
 */
export function isUncounted(canary: Canary, target: Template): boolean {
  const { release } = canary.status ?? {};
  const { uid, generation, uncounted, imagesChangedIn = 0, revision } = target;
  if (uncounted !== true || release?.targetUid !== uid || release.observedRollout === undefined) return false;
  if (release.observedGeneration === 0 || release.observedGeneration === generation) return false;
  if (imagesChangedIn > release.observedGeneration) return false;
  return templateOf(release) !== revision && !isCountedAnew(release, target);
}

/** Numbers only rise: a lower one comes from an old manifest that was applied again, and is temporary. */
function isCountedAnew({ observedRollout }: Release, { rollout }: Template): boolean {
  return rollout !== undefined && observedRollout !== undefined && Number(rollout) > Number(observedRollout);
}

/** The template's revision, recorded or present. */
export function templateOfTarget(canary: Canary, target: Template): string {
  const recorded = recordedFor(canary, target);
  return recorded ? templateOf(recorded) : target.revision;
}

/** The revision of only the template, without the configs that it reads. */
export function templateOf({ template, revision }: Release): string {
  return template ?? revision;
}
