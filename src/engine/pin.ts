import type { Release, SeenConfig } from '../api/canary-status.ts';
import { isResting } from '../api/step.ts';
import type { Target } from './facts.ts';

type Pin = Pick<Release, 'targetUid' | 'revision' | 'observedGeneration' | 'observedRollout' | 'template' | 'configs'>;

/** Record of the target that a release is about. Of one whose configs are not known, no generation: it is compared again. */
export function pinOf(target: Target): Pin {
  const { uid, revision, generation, rollout, template, configs, undetermined } = target;
  return {
    targetUid: uid,
    revision,
    observedGeneration: undetermined === undefined ? generation : 0,
    ...(rollout === undefined || undetermined !== undefined ? {} : { observedRollout: rollout }),
    ...(template === undefined || template === revision ? {} : { template }),
    ...(configs && undetermined === undefined ? { configs } : {}),
  };
}

/** The release about this target; what it remembered of the last one goes. */
export function pinTo(target: Target, release: Release): Release {
  const { template: _template, configs: _configs, observedRollout: _rollout, ...rest } = release;
  return { ...rest, ...pinOf(target) };
}

/**
 * The release with the generation and the rollout that its target has now, where that is still the recorded revision: replicas, or our own
 * scaling, have moved them (E58). What was recorded without a generation stays without.
 */
export function seenAgain(target: Target | undefined, release: Release): Release {
  if (target === undefined || target.undetermined !== undefined || release.observedGeneration === 0) return release;
  if (target.uid !== release.targetUid || target.revision !== release.revision) return release;
  const { generation, rollout } = target;
  if (generation === release.observedGeneration && rollout === release.observedRollout) return release;
  return { ...release, observedGeneration: generation, ...(rollout === undefined ? {} : { observedRollout: rollout }) };
}

/** The release with a revision that is not the one of its pin, which goes on saying which template was read. */
export function withRevision(release: Release, revision: string): Release {
  return { ...release, revision, template: release.template ?? release.revision };
}

/** True where that is worth a write of its own: a count that was not kept before is not. */
export function hasMoved({ generation, rollout }: Target, { observedGeneration, observedRollout }: Release): boolean {
  const isRecounted = rollout !== undefined && observedRollout !== undefined && rollout !== observedRollout;
  return generation !== observedGeneration || isRecounted;
}

/** The release with a target that is at zero while nothing is released: pods that it has later were asked for by another writer (E90). */
export function seenAtZero(target: (Target & { replicas: number }) | undefined, release: Release): Release {
  if (!isResting(release) || target?.replicas !== 0 || target.uid === release.scaledDownUid) return release;
  return { ...release, scaledDownUid: target.uid };
}

/** The target has pods that another writer has asked for since it was at zero, and that no release needs. */
export function isIdle(target: { uid: string; replicas: number }, { scaledDownUid }: Pick<Release, 'scaledDownUid'>): boolean {
  return target.replicas > 0 && target.uid === scaledDownUid;
}

type Configs = Readonly<Record<string, SeenConfig>>;

/** True where the config is part of the revision; a missing one is, since pods read it when it appears. */
export function decidesPods({ uid, checksum }: SeenConfig): boolean {
  return uid === undefined || checksum !== undefined;
}

/** True where pods that read these read the same; one that is missing is not the same as one that is not read. */
export function areSameConfigs(one: Configs, other: Configs): boolean {
  return changedConfigs(one, other).length === 0;
}

/** Keys of the configs that pods do not read the same in both. */
export function changedConfigs(one: Configs, other: Configs): string[] {
  const said = (config: SeenConfig | undefined) =>
    config === undefined ? 'unread' : config.uid === undefined ? 'absent' : config.checksum;
  return Object.keys({ ...one, ...other }).filter((key) => said(one[key]) !== said(other[key]));
}

/**
 * True where one was written since `other` and holds the same again, or came and is gone again: what it held in between is unknown. Of one
 * that is missing the version says since when it has been watched; it is another one also when it may have come and gone unseen.
 */
export function wereWrittenBetween(one: Configs, other: Configs): boolean {
  return Object.entries(one).some(([key, { uid, resourceVersion, checksum }]) => {
    const then = other[key];
    const isStillMissing = uid === undefined && then !== undefined && then.uid === undefined;
    if (isStillMissing) return resourceVersion !== undefined && resourceVersion !== then.resourceVersion;
    if (checksum === undefined || then?.checksum !== checksum) return false;
    return then.uid !== uid || then.resourceVersion !== resourceVersion;
  });
}
