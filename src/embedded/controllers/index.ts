import { type Clock, systemClock } from '../../api/clock.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { syncDaemonSet } from './daemon-set-controller.ts';
import { syncDeployment } from './deployment-controller.ts';
import { syncEndpointSlices } from './endpoint-slice-controller.ts';
import { scaleTargetOf, syncAutoscaler } from './hpa-controller.ts';
import { type Change, keyOf, type ObjectStore, watchObjects } from './object-store.ts';
import { syncReplicaSet } from './replica-set-controller.ts';
import { controllerOf, matchesSelector } from './selectors.ts';
import { topologyOf } from './topology-hints.ts';
import { type WorkQueue, workQueue } from './work-queue.ts';

export interface ControllerOptions {
  /** Narrows everything to one namespace; default: all. */
  namespace?: string;
  /** Default: the machine's. */
  clock?: Clock;
  /** Hears of each failed pass (most are conflicts, and are tried again). Default: silence. */
  onError?(error: unknown, key: string): void;
}

export interface Controllers {
  /** Resolves when every kind has been listed once. */
  readonly synced: Promise<void>;
  stop(): void;
}

/** Deployment → ReplicaSet → Pod, DaemonSet → Pod, HPAs, and EndpointSlices: what kube-controller-manager does on a real server. */
export function startControllers(cluster: Cluster, options: ControllerOptions = {}): Controllers {
  return new ControllerManager(cluster, options);
}

const ofEither = ({ previous, next }: Change): KubeObject | undefined => next ?? previous;
const keyOfEither = (change: Change): string => keyOf(ofEither(change) ?? { metadata: { name: '' } });

type Queues = Record<'deployments' | 'replicaSets' | 'daemonSets' | 'autoscalers' | 'endpoints', WorkQueue>;
type Stores = Record<
  'deployments' | 'autoscalers' | 'replicaSets' | 'pods' | 'daemonSets' | 'revisions' | 'services' | 'nodes' | 'slices',
  ObjectStore
>;

class ControllerManager implements Controllers {
  readonly #cluster: Cluster;
  readonly #clock: Clock;
  readonly #narrow: { namespace?: string };
  /** UIDs of pods whose deletion was requested. */
  readonly #leaving = new Set<string>();
  readonly #queues: Queues;
  readonly #stores: Stores;
  readonly synced: Promise<void>;

  constructor(cluster: Cluster, { clock = systemClock, onError = () => undefined, namespace }: ControllerOptions) {
    this.#cluster = cluster;
    this.#clock = clock;
    this.#narrow = namespace === undefined ? {} : { namespace };
    this.#queues = this.#startQueues(onError);
    this.#stores = this.#watchAll();
    this.synced = Promise.all(Object.values(this.#stores).map((store) => store.synced)).then(() => undefined);
  }

  stop(): void {
    for (const store of Object.values(this.#stores)) store.stop();
    for (const queue of Object.values(this.#queues)) queue.stop();
  }

  #startQueues(onError: NonNullable<ControllerOptions['onError']>): Queues {
    type Pass = (key: string, nowMs: number) => Promise<{ againInMs?: number }>;
    const queueOf = (pass: Pass): WorkQueue => {
      const queue: WorkQueue = workQueue(
        this.#clock,
        async (key) => {
          // A pass on half of the objects would make what exists already.
          await this.synced;
          const { againInMs } = await pass(key, this.#clock.nowMs());
          if (againInMs !== undefined) queue.addAfter(key, againInMs);
        },
        onError,
      );
      return queue;
    };
    const leaving = this.#leaving;
    return {
      deployments: queueOf((key, nowMs) => syncDeployment(this.#cluster, this.#stores, key, nowMs)),
      replicaSets: queueOf((key, nowMs) => syncReplicaSet(this.#cluster, { ...this.#stores, leaving }, key, nowMs)),
      daemonSets: queueOf((key, nowMs) => syncDaemonSet(this.#cluster, { ...this.#stores, leaving }, key, nowMs)),
      autoscalers: queueOf((key, nowMs) => syncAutoscaler(this.#cluster, this.#stores, key, nowMs)),
      endpoints: workQueue(this.#clock, (key) => this.synced.then(() => syncEndpointSlices(this.#cluster, this.#stores, key)), onError),
    };
  }

  #watchAll(): Stores {
    const { deployments, replicaSets, daemonSets, autoscalers, endpoints } = this.#queues;
    const watch = (apiVersion: string, kind: string, onChange: (change: Change) => void) =>
      watchObjects(this.#cluster, { apiVersion, kind, ...this.#narrow }, onChange);
    return {
      deployments: watch('apps/v1', 'Deployment', (change) => {
        deployments.add(keyOfEither(change));
        for (const hpa of this.#stores.autoscalers.list()) if (scaleTargetOf(hpa) === keyOfEither(change)) autoscalers.add(keyOf(hpa));
      }),
      autoscalers: watch('autoscaling/v2', 'HorizontalPodAutoscaler', (change) => autoscalers.add(keyOfEither(change))),
      replicaSets: watch('apps/v1', 'ReplicaSet', (change) => {
        replicaSets.add(keyOfEither(change));
        wakeOwner(deployments, 'Deployment', ofEither(change));
      }),
      pods: watch('v1', 'Pod', (change) => this.#podChanged(change)),
      daemonSets: watch('apps/v1', 'DaemonSet', (change) => daemonSets.add(keyOfEither(change))),
      revisions: watch('apps/v1', 'ControllerRevision', (change) => wakeOwner(daemonSets, 'DaemonSet', ofEither(change))),
      services: watch('v1', 'Service', (change) => endpoints.add(keyOfEither(change))),
      nodes: watchObjects(this.#cluster, { apiVersion: 'v1', kind: 'Node' }, (change) => this.#nodeChanged(change)),
      slices: watch('discovery.k8s.io/v1', 'EndpointSlice', (change) => {
        const service = ofEither(change)?.metadata.labels?.['kubernetes.io/service-name'];
        if (service) endpoints.add(`${ofEither(change)?.metadata.namespace}/${service}`);
      }),
    };
  }

  #podChanged(change: Change): void {
    const { deployments, replicaSets, daemonSets } = this.#queues;
    if (!change.next) {
      this.#leaving.delete(change.previous?.metadata.uid ?? '');
      // Recreate waits for the last pod of the old revision, and a pod does not name its Deployment.
      for (const deployment of this.#stores.deployments.list())
        if (deployment.spec.strategy?.type === 'Recreate') deployments.add(keyOf(deployment));
    }
    wakeOwner(replicaSets, 'ReplicaSet', ofEither(change));
    wakeOwner(daemonSets, 'DaemonSet', ofEither(change));
    this.#wakeServices(change.next);
    this.#wakeServices(change.previous);
  }

  #nodeChanged({ previous, next }: Change): void {
    for (const set of this.#stores.daemonSets.list()) this.#queues.daemonSets.add(keyOf(set));
    // A heartbeat changes no endpoint.
    if (topologyOf(previous) === topologyOf(next)) return;
    for (const service of this.#stores.services.list()) this.#queues.endpoints.add(keyOf(service));
  }

  #wakeServices(pod: KubeObject | undefined): void {
    if (!pod) return;
    for (const service of this.#stores.services.list())
      if (
        service.metadata.namespace === pod.metadata.namespace &&
        service.spec.selector &&
        matchesSelector({ matchLabels: service.spec.selector }, pod.metadata.labels)
      )
        this.#queues.endpoints.add(keyOf(service));
  }
}

function wakeOwner(queue: WorkQueue, kind: string, object: KubeObject | undefined): void {
  const owner = object && controllerOf(object);
  if (owner?.kind === kind) queue.add(`${object?.metadata.namespace}/${owner.name}`);
}
