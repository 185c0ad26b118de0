import { type Clock, systemClock } from '../../api/clock.ts';
import type { ControllerRevision } from '../../api/kinds/controller-revision.ts';
import type { DaemonSet } from '../../api/kinds/daemon-set.ts';
import type { Deployment } from '../../api/kinds/deployment.ts';
import type { EndpointSlice } from '../../api/kinds/endpoint-slice.ts';
import type { HorizontalPodAutoscaler } from '../../api/kinds/horizontal-pod-autoscaler.ts';
import type { Node } from '../../api/kinds/node.ts';
import type { Pod } from '../../api/kinds/pod.ts';
import type { ReplicaSet } from '../../api/kinds/replica-set.ts';
import type { Service } from '../../api/kinds/service.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { syncDaemonSet } from './daemon-set-controller.ts';
import { syncDeployment } from './deployment-controller.ts';
import { syncEndpointSlices } from './endpoint-slice-controller.ts';
import { scaleTargetOf, syncAutoscaler } from './hpa-controller.ts';
import { keyOf, type ObjectChange, type ObjectStore, watchObjects } from './object-store.ts';
import { syncReplicaSet } from './replica-set-controller.ts';
import { controllerOf, matchesSelector } from './selectors.ts';
import { topologyOf } from './topology-hints.ts';
import { type WorkQueue, workQueue } from './work-queue.ts';

export interface EmbeddedControllerOptions {
  /** Narrows everything to one namespace; default: all. */
  namespace?: string;
  /** Default: the machine's. */
  clock?: Clock;
  /** Gets the error of each failed pass (most are conflicts, and are tried again). Default: ignored. */
  onError?(error: unknown, key: string): void;
}

export interface Controllers {
  /** Resolves when every kind has been listed once. */
  readonly synced: Promise<void>;
  stop(): void;
}

/** Deployment → ReplicaSet → Pod, DaemonSet → Pod, HPAs, and EndpointSlices: what kube-controller-manager does on a real server. */
export function startControllers(cluster: Cluster, options: EmbeddedControllerOptions = {}): Controllers {
  return new ControllerManager(cluster, options);
}

const ofEither = ({ previous, next }: ObjectChange): KubeObject | undefined => next ?? previous;
const keyOfEither = (change: ObjectChange): string => keyOf(ofEither(change) ?? { metadata: { name: '' } });

type Queues = Record<'deployments' | 'replicaSets' | 'daemonSets' | 'autoscalers' | 'endpoints', WorkQueue>;
interface Stores {
  deployments: ObjectStore<Deployment>;
  autoscalers: ObjectStore<HorizontalPodAutoscaler>;
  replicaSets: ObjectStore<ReplicaSet>;
  pods: ObjectStore<Pod>;
  daemonSets: ObjectStore<DaemonSet>;
  revisions: ObjectStore<ControllerRevision>;
  services: ObjectStore<Service>;
  nodes: ObjectStore<Node>;
  slices: ObjectStore<EndpointSlice>;
}

class ControllerManager implements Controllers {
  readonly #cluster: Cluster;
  readonly #clock: Clock;
  readonly #narrow: { namespace?: string };
  /** UIDs of pods whose deletion was requested. */
  readonly #leaving = new Set<string>();
  readonly #queues: Queues;
  readonly #stores: Stores;
  readonly synced: Promise<void>;

  constructor(cluster: Cluster, { clock = systemClock, onError = () => undefined, namespace }: EmbeddedControllerOptions) {
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

  #startQueues(onError: NonNullable<EmbeddedControllerOptions['onError']>): Queues {
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
    const watch = <T extends KubeObject>(apiVersion: string, kind: T['kind'], onChange: (change: ObjectChange<T>) => void) =>
      watchObjects<T>(this.#cluster, { apiVersion, kind, ...this.#narrow }, onChange);
    return {
      deployments: watch<Deployment>('apps/v1', 'Deployment', (change) => {
        deployments.add(keyOfEither(change));
        for (const hpa of this.#stores.autoscalers.list()) if (scaleTargetOf(hpa) === keyOfEither(change)) autoscalers.add(keyOf(hpa));
      }),
      autoscalers: watch<HorizontalPodAutoscaler>('autoscaling/v2', 'HorizontalPodAutoscaler', (change) =>
        autoscalers.add(keyOfEither(change)),
      ),
      replicaSets: watch<ReplicaSet>('apps/v1', 'ReplicaSet', (change) => {
        replicaSets.add(keyOfEither(change));
        wakeOwner(deployments, 'Deployment', ofEither(change));
      }),
      pods: watch<Pod>('v1', 'Pod', (change) => this.#podChanged(change)),
      daemonSets: watch<DaemonSet>('apps/v1', 'DaemonSet', (change) => daemonSets.add(keyOfEither(change))),
      revisions: watch<ControllerRevision>('apps/v1', 'ControllerRevision', (change) =>
        wakeOwner(daemonSets, 'DaemonSet', ofEither(change)),
      ),
      services: watch<Service>('v1', 'Service', (change) => endpoints.add(keyOfEither(change))),
      nodes: watchObjects<Node>(this.#cluster, { apiVersion: 'v1', kind: 'Node' }, (change) => this.#nodeChanged(change)),
      slices: watch<EndpointSlice>('discovery.k8s.io/v1', 'EndpointSlice', (change) => {
        const service = ofEither(change)?.metadata.labels?.['kubernetes.io/service-name'];
        if (service) endpoints.add(`${ofEither(change)?.metadata.namespace}/${service}`);
      }),
    };
  }

  #podChanged(change: ObjectChange<Pod>): void {
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

  #nodeChanged({ previous, next }: ObjectChange<Node>): void {
    for (const set of this.#stores.daemonSets.list()) this.#queues.daemonSets.add(keyOf(set));
    // A heartbeat changes no endpoint.
    if (topologyOf(previous) === topologyOf(next)) return;
    for (const service of this.#stores.services.list()) this.#queues.endpoints.add(keyOf(service));
  }

  #wakeServices(pod: Pod | undefined): void {
    if (!pod) return;
    for (const service of this.#stores.services.list())
      if (
        service.metadata.namespace === pod.metadata.namespace &&
        service.spec?.selector &&
        matchesSelector({ matchLabels: service.spec.selector }, pod.metadata.labels)
      )
        this.#queues.endpoints.add(keyOf(service));
  }
}

function wakeOwner(queue: WorkQueue, kind: string, object: KubeObject | undefined): void {
  const owner = object && controllerOf(object);
  if (owner?.kind === kind) queue.add(`${object?.metadata.namespace}/${owner.name}`);
}
