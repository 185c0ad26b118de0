import { apiVersion, type Canary } from '../../api/canary.ts';
import { labelOf } from '../../api/kube-object.ts';
import { acceptAnnotation, keptAnnotation } from '../../api/names.ts';
import { secretsPolicy } from '../../workloads/configs/read-configs.ts';
import { workloadFor } from '../../workloads/index.ts';
import { countOf } from '../../workloads/pods/sides.ts';
import type { ControllerDeps } from '../controller-deps.ts';
import { primaryRefOf, targetRefOf } from '../facts/gather-facts.ts';
import { followConfigs } from '../facts/tracked-configs.ts';
import type { KeepDeps } from './keep-primary.ts';
import type { PrimaryGuard, PrimaryTraffic } from './primary-guard.ts';

const FOLLOWER = '/deleted';

/** The Canary `namespace/name` of a follower of config watches. */
export const deletedOf = (follower: string): string => (follower.endsWith(FOLLOWER) ? follower.slice(0, -FOLLOWER.length) : follower);

type AwaitKeptDeps = KeepDeps & {
  configWatches: ControllerDeps['configWatches'];
  /** Resolves when a config has changed, or a Canary was made over the target. */
  woken(): Promise<void>;
};

const refsOf = (canary: Canary) => {
  const { namespace, name } = canary.metadata;
  return { target: targetRefOf(canary), primary: primaryRefOf(canary), self: { apiVersion, kind: 'Canary', name, namespace } };
};

/** All watched state that decides whether a primary is kept. It is taken before the decision, so that no change in between is missed. */
export function seenOfKept(canary: Canary, view: ControllerDeps['view']): string {
  const { target, primary, self } = refsOf(canary);
  const workload = workloadFor(canary.spec.targetRef);
  const found = view.find(target);
  const { uid, deletionTimestamp, annotations } = found?.object.metadata ?? {};
  const serving = view.find(primary)?.object;
  return JSON.stringify([
    [uid, deletionTimestamp, annotations?.[acceptAnnotation], annotations?.[keptAnnotation], found?.revision],
    'unsupported' in workload ? [] : [found && countOf(workload, found.object), serving && workload.carries(serving)],
    [serving?.metadata.uid, view.find(self)?.object.metadata.uid],
  ]);
}

/**
 * Waits until something has changed of a kept primary that can end it, and keeps its users there meanwhile. No request is made while nothing changes; its
 * configs are watched as those of a Canary.
 */
export async function awaitKept(kept: PrimaryTraffic, before: string, guard: PrimaryGuard, deps: AwaitKeptDeps): Promise<void> {
  const { canary } = kept;
  const { view, config, clock, configWatches: watches, woken } = deps;
  const { target, primary, self } = refsOf(canary);
  const { namespace } = canary.metadata;
  const follower = labelOf(canary) + FOLLOWER;
  const refs = (config.enableConfigTracking && view.find(target)?.configs) || [];
  const tracked = { follower, namespace, uid: '', template: '', refs };
  followConfigs({ watches, secrets: (home) => secretsPolicy(config, home) }, tracked, { configs: {}, isPinned: false });
  const over = new AbortController();
  const signal = AbortSignal.any([deps.signal, over.signal]);
  const changed = view.untilAll([target, primary, self], () => seenOfKept(canary, view) !== before, { clock, signal, late: 'unbounded' });
  const guarding = guard.guard(kept, { ...deps, signal });
  try {
    await Promise.race([changed, woken(), guarding]);
  } finally {
    over.abort(new Error('woken'));
    // The race has been decided; no write of the guard is under way any more.
    await Promise.allSettled([changed, guarding]);
    watches.follow(follower, '', []);
  }
}
