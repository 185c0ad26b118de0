import type { Release, SeenConfig } from '../api/canary-status.ts';
import { isResting } from '../api/step.ts';
import type { TargetRevision } from './facts.ts';

type Pin = Pick<Release, 'targetUid' | 'revision' | 'observedGeneration' | 'observedRollout' | 'template' | 'configs'>;

/** Record of the target of a release. A target whose configs are not known gets no generation: it is compared again. */
export function pinOf(target: TargetRevision): Pin {
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

/** The release with this target; the memory of the last target is removed. */
export function pinTo(target: TargetRevision, release: Release): Release {
  const { template: _template, configs: _configs, observedRollout: _rollout, ...rest } = release;
  return { ...rest, ...pinOf(target) };
}

/**
 * The release with the present generation and rollout of its target, if that still has the recorded revision: replicas, or Serin's own scaling, have changed
 * them (E58). A record without a generation stays without.
 */
export function seenAgain(target: TargetRevision | undefined, release: Release): Release {
  if (target === undefined || target.undetermined !== undefined || release.observedGeneration === 0) return release;
  if (target.uid !== release.targetUid || target.revision !== release.revision) return release;
  const { generation, rollout } = target;
  if (generation === release.observedGeneration && rollout === release.observedRollout) return release;
  return { ...release, observedGeneration: generation, ...(rollout === undefined ? {} : { observedRollout: rollout }) };
}

/** The release with a revision other than that of its pin, which still names the template that was read. */
export function withRevision(release: Release, revision: string): Release {
  return { ...release, revision, template: release.template ?? release.revision };
}

/** True if the change needs a write of its own; a counter that was not recorded earlier does not. */
export function hasMoved({ generation, rollout }: TargetRevision, { observedGeneration, observedRollout }: Release): boolean {
  const isRecounted = rollout !== undefined && observedRollout !== undefined && rollout !== observedRollout;
  return generation !== observedGeneration || isRecounted;
}

/** The release with a target that is at zero while no release is in progress: later pods are those of another writer (E90). */
export function seenAtZero(target: (TargetRevision & { replicas: number }) | undefined, release: Release): Release {
  if (!isResting(release) || target?.replicas !== 0 || target.uid === release.scaledDownUid) return release;
  return { ...release, scaledDownUid: target.uid };
}

/** The target has pods that another writer has started since it was at zero, and that no release needs. */
export function isIdle(target: { uid: string; replicas: number }, { scaledDownUid }: Pick<Release, 'scaledDownUid'>): boolean {
  return target.replicas > 0 && target.uid === scaledDownUid;
}

type Configs = Readonly<Record<string, SeenConfig>>;

/** True if the config is part of the revision; a missing config is, since pods read it when it appears. */
export function decidesPods({ uid, checksum }: SeenConfig): boolean {
  return uid === undefined || checksum !== undefined;
}

/** True if pods read the same content; a missing config differs from a config that is not read. */
export function areSameConfigs(one: Configs, other: Configs): boolean {
  return changedConfigs(one, other).length === 0;
}

/** Keys of the configs whose content differs for pods. */
export function changedConfigs(one: Configs, other: Configs): string[] {
  const said = (config: SeenConfig | undefined) =>
    config === undefined ? 'unread' : config.uid === undefined ? 'absent' : config.checksum;
  return Object.keys({ ...one, ...other }).filter((key) => said(one[key]) !== said(other[key]));
}

/**
 * True if a config was written since `other` and has the same content again, or was created and deleted again: its content in between is unknown. The version
 * of a missing config is the start of its watch; it also changes if the config could have been created and deleted unseen.
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
