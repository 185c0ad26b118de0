import { isDeepStrictEqual } from 'node:util';
import { asPod } from '../../api/kinds/pod.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { PodFailings } from '../../api/pod-failing.ts';
import type { Cluster, WatchHandle, WatchHandler } from '../../kube/cluster.ts';
import {
  failingsIn,
  type KnownFailings,
  MOST_EVALUATED_PODS,
  noneSeen,
  type ObservedPod,
  podView,
  type SeenPods,
  withoutPod,
  withPod,
  withPods,
} from '../../workloads/pods/failings.ts';

/** The pods to watch, and what is known of them. */
export interface PodsToWatch {
  namespace: string;
  /** The API's form of a selector. */
  selector: string;
  /** Counts start again with another run. */
  run: number;
  /** Counts of the stored status, for a controller that has just started. */
  known?: KnownFailings | undefined;
}

type Watched = PodsToWatch & { handle: WatchHandle; seen: SeenPods; isListed: boolean; forbidden?: string | undefined };

/** Failures of one canary's pods, or the reason why they are unknown. */
export type SeenFailings = { failing: PodFailings } | { forbidden: string };

/** Watches the pods of canaries while a release is in progress, and keeps only what says whether they fail. */
export class PodWatches {
  readonly #cluster: Pick<Cluster, 'watch'>;
  readonly #onChange: (follower: string) => void;
  readonly #watched = new Map<string, Watched>();

  constructor(cluster: Pick<Cluster, 'watch'>, onChange: (follower: string) => void) {
    this.#cluster = cluster;
    this.#onChange = onChange;
  }

  /** Watches these, and no others, for this Canary from now on. */
  follow(follower: string, pods: PodsToWatch): void {
    const before = this.#watched.get(follower);
    if (before && before.run === pods.run && before.selector === pods.selector && before.namespace === pods.namespace) return;
    before?.handle.stop();
    const watched: Watched = { ...pods, seen: noneSeen(pods.known), isListed: false, handle: noWatch };
    this.#watched.set(follower, watched);
    watched.handle = this.#open(follower, watched);
  }

  unfollow(follower: string): void {
    this.#watched.get(follower)?.handle.stop();
    this.#watched.delete(follower);
  }

  /** Undefined until the first LIST has been answered, and while nothing is watched. */
  find(follower: string): SeenFailings | undefined {
    const watched = this.#watched.get(follower);
    if (watched?.forbidden !== undefined) return { forbidden: watched.forbidden };
    return watched?.isListed ? { failing: failingsIn(watched.seen) } : undefined;
  }

  /** Age of each watch in milliseconds, except forbidden ones: their Canaries say so. */
  watches(): { kind: string; ageMs: number; restarts: number }[] {
    const heard = [...this.#watched.values()].filter(({ isListed, forbidden }) => isListed && forbidden === undefined);
    return heard.map(({ handle }) => ({ kind: 'v1/Pod', ageMs: handle.ageMs(), restarts: handle.restarts }));
  }

  stop(): void {
    for (const follower of [...this.#watched.keys()]) this.unfollow(follower);
  }

  #open(follower: string, watched: Watched): WatchHandle {
    const changed = (seen: SeenPods) => {
      const before = this.find(follower);
      Object.assign(watched, { seen, isListed: true, forbidden: undefined });
      // Most changes of pods are none of their failings.
      if (!isDeepStrictEqual(saidBy(before), saidBy(this.find(follower)))) this.#onChange(follower);
    };
    const handler: WatchHandler = {
      slim: slimPod,
      onList: (items) => changed(withPods(watched.seen, items.slice(0, MOST_EVALUATED_PODS).map(viewOf))),
      onEvent: ({ type, object }) => {
        const view = viewOf(object);
        changed(type === 'DELETED' ? withoutPod(watched.seen, view.uid) : withPod(watched.seen, view));
      },
      onUnavailable: (_cause, message) => {
        const isNews = watched.forbidden === undefined;
        watched.forbidden = message;
        if (isNews) this.#onChange(follower);
      },
    };
    const { namespace, selector } = watched;
    return this.#cluster.watch({ apiVersion: 'v1', kind: 'Pod', namespace }, handler, { labelSelector: selector });
  }
}

/** Placeholder until the watch is made: a cluster can answer before that. */
const noWatch: WatchHandle = { synced: Promise.resolve(), ageMs: () => 0, restarts: 0, stop: () => undefined };

const viewOf = (object: KubeObject): ObservedPod => podView(asPod(object));

/** The fields of a pod that decide: a LIST of many is not kept as a whole. */
export function slimPod(item: KubeObject): KubeObject {
  const { apiVersion, kind, metadata, spec, status = {} } = asPod(item);
  const { name, namespace, uid, resourceVersion, deletionTimestamp } = metadata;
  const sidecars = (spec?.initContainers ?? []).flatMap(({ name, restartPolicy }) =>
    restartPolicy === 'Always' ? { name, restartPolicy } : [],
  );
  const { phase, reason, conditions, containerStatuses, initContainerStatuses } = status;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    },
    spec: {
      initContainers: sidecars,
      ...(spec?.schedulingGates && { schedulingGates: spec.schedulingGates }),
      ...(spec?.nodeName !== undefined && { nodeName: spec.nodeName }),
    },
    status: { phase, reason, conditions, containerStatuses, initContainerStatuses },
  };
}

/** The failings without pods that come and go, which change nothing. */
function saidBy(seen: SeenFailings | undefined) {
  if (seen === undefined || 'forbidden' in seen) return seen;
  const { ends: _, containers: _counts, problem, ...said } = seen.failing;
  // A pull that is tried again, and a back-off, change only the words.
  return { ...said, problem: problem && { cause: problem.cause, container: problem.container } };
}
