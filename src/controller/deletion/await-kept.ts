import { apiVersion, type Canary } from '../../api/canary.ts';
import { acceptAnnotation, keptAnnotation } from '../../api/names.ts';
import { secretsPolicy } from '../../workloads/configs/read-configs.ts';
import { workloadFor } from '../../workloads/index.ts';
import { countOf } from '../../workloads/pods/sides.ts';
import { labelOf } from '../canary/read-canary.ts';
import type { DepsOf } from '../controller-deps.ts';
import { primaryRefOf, targetRefOf } from '../facts/gather-facts.ts';
import { followConfigs } from '../facts/tracked-configs.ts';

const FOLLOWER = '/deleted';

/** The Canary `namespace/name` of a follower of config watches. */
export const deletedOf = (follower: string): string => (follower.endsWith(FOLLOWER) ? follower.slice(0, -FOLLOWER.length) : follower);

type AwaitKeptDeps = DepsOf<'view' | 'config' | 'clock' | 'configWatches'> & {
  /** Resolves when a config has changed, or a Canary was made over the target. */
  woken(): Promise<void>;
};

/** Waits until something has changed of a kept primary that can end it. No request is made for it; its configs are watched as those of a Canary. */
export async function awaitKept(canary: Canary, deps: AwaitKeptDeps): Promise<void> {
  const { view, config, clock, configWatches: watches, woken } = deps;
  const { namespace, name } = canary.metadata;
  const [target, primary, self] = [targetRefOf(canary), primaryRefOf(canary), { apiVersion, kind: 'Canary', name, namespace }];
  const workload = workloadFor(canary.spec.targetRef);
  const seen = (): string => {
    const found = view.find(target);
    const { uid, deletionTimestamp, annotations } = found?.object.metadata ?? {};
    const serving = view.find(primary)?.object;
    return JSON.stringify([
      [uid, deletionTimestamp, annotations?.[acceptAnnotation], annotations?.[keptAnnotation], found?.revision],
      'unsupported' in workload ? [] : [found && countOf(workload, found.object), serving && workload.carries(serving)],
      [serving?.metadata.uid, view.find(self)?.object.metadata.uid],
    ]);
  };
  const before = seen();
  const follower = labelOf(canary) + FOLLOWER;
  const refs = (config.enableConfigTracking && view.find(target)?.configs) || [];
  const tracked = { follower, namespace, uid: '', template: '', refs };
  followConfigs({ watches, secrets: (home) => secretsPolicy(config, home) }, tracked, { configs: {}, isPinned: false });
  const over = new AbortController();
  const signal = AbortSignal.any([deps.signal, over.signal]);
  const changed = view.untilAll([target, primary, self], () => seen() !== before, { clock, signal, late: 'unbounded' });
  await Promise.race([changed, woken()]).finally(() => {
    changed.catch(() => undefined); // the race has been decided
    over.abort(new Error('woken'));
    watches.follow(follower, '', []);
  });
}
