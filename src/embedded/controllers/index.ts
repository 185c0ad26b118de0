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
import { keyOf, type ObjectChange, watchObjects } from './object-store.ts';
import { syncReplicaSet } from './replica-set-controller.ts';
import { controllerOf, matchesSelector } from './selectors.ts';
import { topologyOf } from './topology-hints.ts';
import { type WorkQueue, workQueue } from './work-queue.ts';

export interface ControllerOptions {
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
export function startControllers(cluster: Cluster, options: ControllerOptions = {}): Controllers {
  const { clock = systemClock, onError = () => undefined } = options;
  const narrow = options.namespace === undefined ? {} : { namespace: options.namespace };
  const leaving = new Set<string>();

  const deploymentQueue = workQueue(
    clock,
    (key) => passing(deploymentQueue, key, () => syncDeployment(cluster, stores, key, clock.nowMs())),
    onError,
  );
  const replicaSetQueue = workQueue(
    clock,
    (key) => passing(replicaSetQueue, key, () => syncReplicaSet(cluster, { ...stores, leaving }, key, clock.nowMs())),
    onError,
  );
  const daemonSetQueue = workQueue(
    clock,
    (key) => passing(daemonSetQueue, key, () => syncDaemonSet(cluster, { ...stores, leaving }, key, clock.nowMs())),
    onError,
  );
  const autoscalerQueue = workQueue(
    clock,
    (key) => passing(autoscalerQueue, key, () => syncAutoscaler(cluster, stores, key, clock.nowMs())),
    onError,
  );
  const endpointQueue = workQueue(clock, (key) => synced.then(() => syncEndpointSlices(cluster, stores, key)), onError);

  // A pass on half of the objects would make what exists already.
  const passing = async (queue: WorkQueue, key: string, pass: () => Promise<{ againInMs?: number }>): Promise<void> => {
    await synced;
    const { againInMs } = await pass();
    if (againInMs !== undefined) queue.addAfter(key, againInMs);
  };

  const wakeOwner = (queue: WorkQueue, kind: string, object: KubeObject | undefined): void => {
    const owner = object && controllerOf(object);
    if (owner?.kind === kind) queue.add(`${object?.metadata.namespace}/${owner.name}`);
  };
  const wakeServices = (pod: Pod | undefined): void => {
    if (!pod) return;
    for (const service of stores.services.list())
      if (
        service.metadata.namespace === pod.metadata.namespace &&
        service.spec?.selector &&
        matchesSelector({ matchLabels: service.spec.selector }, pod.metadata.labels)
      )
        endpointQueue.add(keyOf(service));
  };
  const ofEither = ({ previous, next }: ObjectChange): KubeObject | undefined => next ?? previous;
  const keyOfEither = (change: ObjectChange): string => keyOf(ofEither(change) ?? { metadata: { name: '' } });

  const stores = {
    deployments: watchObjects<Deployment>(cluster, { apiVersion: 'apps/v1', kind: 'Deployment', ...narrow }, (change) => {
      deploymentQueue.add(keyOfEither(change));
      for (const hpa of stores.autoscalers.list()) if (scaleTargetOf(hpa) === keyOfEither(change)) autoscalerQueue.add(keyOf(hpa));
    }),
    autoscalers: watchObjects<HorizontalPodAutoscaler>(
      cluster,
      { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', ...narrow },
      (change) => autoscalerQueue.add(keyOfEither(change)),
    ),
    replicaSets: watchObjects<ReplicaSet>(cluster, { apiVersion: 'apps/v1', kind: 'ReplicaSet', ...narrow }, (change) => {
      replicaSetQueue.add(keyOfEither(change));
      wakeOwner(deploymentQueue, 'Deployment', ofEither(change));
    }),
    pods: watchObjects<Pod>(cluster, { apiVersion: 'v1', kind: 'Pod', ...narrow }, (change) => {
      if (!change.next) {
        leaving.delete(change.previous?.metadata.uid ?? '');
        // Recreate waits for the last pod of the old revision, and a pod does not name its Deployment.
        for (const deployment of stores.deployments.list())
          if (deployment.spec.strategy?.type === 'Recreate') deploymentQueue.add(keyOf(deployment));
      }
      wakeOwner(replicaSetQueue, 'ReplicaSet', ofEither(change));
      wakeOwner(daemonSetQueue, 'DaemonSet', ofEither(change));
      wakeServices(change.next);
      wakeServices(change.previous);
    }),
    daemonSets: watchObjects<DaemonSet>(cluster, { apiVersion: 'apps/v1', kind: 'DaemonSet', ...narrow }, (change) =>
      daemonSetQueue.add(keyOfEither(change)),
    ),
    revisions: watchObjects<ControllerRevision>(cluster, { apiVersion: 'apps/v1', kind: 'ControllerRevision', ...narrow }, (change) =>
      wakeOwner(daemonSetQueue, 'DaemonSet', ofEither(change)),
    ),
    services: watchObjects<Service>(cluster, { apiVersion: 'v1', kind: 'Service', ...narrow }, (change) =>
      endpointQueue.add(keyOfEither(change)),
    ),
    nodes: watchObjects<Node>(cluster, { apiVersion: 'v1', kind: 'Node' }, ({ previous, next }) => {
      for (const set of stores.daemonSets.list()) daemonSetQueue.add(keyOf(set));
      // A heartbeat changes no endpoint.
      if (topologyOf(previous) !== topologyOf(next)) for (const service of stores.services.list()) endpointQueue.add(keyOf(service));
    }),
    slices: watchObjects<EndpointSlice>(cluster, { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', ...narrow }, (change) => {
      const service = ofEither(change)?.metadata.labels?.['kubernetes.io/service-name'];
      if (service) endpointQueue.add(`${ofEither(change)?.metadata.namespace}/${service}`);
    }),
  };

  const all = Object.values(stores);
  const synced = Promise.all(all.map((store) => store.synced)).then(() => undefined);
  return {
    synced,
    stop() {
      for (const store of all) store.stop();
      for (const queue of [deploymentQueue, replicaSetQueue, daemonSetQueue, autoscalerQueue, endpointQueue]) queue.stop();
    },
  };
}
