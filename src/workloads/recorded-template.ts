import type { Canary } from '../api/canary.ts';
import type { Release } from '../api/canary-status.ts';
import type { Sides } from './workload.ts';

/** The fields of a target that identify its template: `revision` is the hash of that alone. */
type Template = Pick<NonNullable<Sides['target']>, 'uid' | 'generation' | 'rollout' | 'uncounted' | 'imagesChangedIn' | 'revision'>;

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

/** The revision of the template alone, without the configs that it reads. */
export function templateOf({ template, revision }: Release): string {
  return template ?? revision;
}
