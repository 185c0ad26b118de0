import type { Node } from '../../api/kinds/node.ts';
import type { Pod } from '../../api/kinds/pod.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { systemClock } from '../../base/clock.ts';
import type { Cluster } from '../../kube/cluster.ts';
import type { StandInOptions } from '../world.ts';
import { syncDaemonSet } from './daemon-set-controller.ts';
import { syncDeployment } from './deployment-controller.ts';
import { isUnder } from './disruption-budget.ts';
import { syncDisruptionBudget } from './disruption-controller.ts';
import { selectsPods, syncEndpointSlices } from './endpoint-slice-controller.ts';
import { scaleTargetOf, syncAutoscaler } from './hpa-controller.ts';
import { allSynced, keyOf, type ObjectChange, watchObjects } from './object-store.ts';
import { syncReplicaSet } from './replica-set-controller.ts';
import { controllerOf } from './selectors.ts';
import type { Stores } from './stores.ts';
import { topologyOf } from './topology-hints.ts';
import { type WorkQueue, workQueue } from './work-queue.ts';

type Queues = Record<'deployments' | 'replicaSets' | 'daemonSets' | 'autoscalers' | 'budgets' | 'endpoints', WorkQueue>;

/** Deployment → ReplicaSet → Pod, DaemonSet → Pod, HPAs, PodDisruptionBudgets, and EndpointSlices: the part of kube-controller-manager on a real server. */
export class Controllers {
  readonly #cluster: Cluster;
  /** UIDs of pods whose deletion was requested. */
  readonly #leaving = new Set<string>();
  readonly #queues: Queues;
  readonly #stores: Stores;
  /** Resolves when every kind has been listed once. */
  readonly synced: Promise<void>;

  constructor(cluster: Cluster, options: StandInOptions) {
    this.#cluster = cluster;
    this.#queues = this.#startQueues(options);
    this.#stores = this.#watchAll();
    this.synced = allSynced(this.#stores);
  }

  stop(): void {
    for (const store of Object.values(this.#stores)) store.stop();
    for (const queue of Object.values(this.#queues)) queue.stop();
  }

  #startQueues({ clock = systemClock, onError = () => undefined }: StandInOptions): Queues {
    const queueOf = (pass: (key: string, nowMs: number) => Promise<number | undefined>): WorkQueue => {
      const work = async (key: string): Promise<void> => {
        // A pass on half of the objects would make what exists already.
        await this.synced;
        const againInMs = await pass(key, clock.nowMs());
        if (againInMs !== undefined) queue.addAfter(key, againInMs);
      };
      const queue: WorkQueue = workQueue(clock, work, onError);
      return queue;
    };
    const leaving = this.#leaving;
    return {
      deployments: queueOf((key, nowMs) => syncDeployment(this.#cluster, this.#stores, key, nowMs)),
      replicaSets: queueOf((key, nowMs) => syncReplicaSet(this.#cluster, { ...this.#stores, leaving }, key, nowMs)),
      daemonSets: queueOf((key, nowMs) => syncDaemonSet(this.#cluster, { ...this.#stores, leaving }, key, nowMs)),
      autoscalers: queueOf((key, nowMs) => syncAutoscaler(this.#cluster, this.#stores, key, nowMs)),
      budgets: queueOf((key, nowMs) => syncDisruptionBudget(this.#cluster, this.#stores, key, nowMs)),
      endpoints: workQueue(clock, (key) => this.synced.then(() => syncEndpointSlices(this.#cluster, this.#stores, key)), onError),
    };
  }

  #watchAll(): Stores {
    const { deployments, replicaSets, daemonSets, autoscalers, budgets, endpoints } = this.#queues;
    const watch = <T extends KubeObject>(apiVersion: string, kind: T['kind'], onChange: (object: T, change: ObjectChange<T>) => void) =>
      watchObjects<T>(this.#cluster, { apiVersion, kind }, (change, object) => onChange(object, change));
    return {
      deployments: watch('apps/v1', 'Deployment', (deployment) => {
        deployments.add(keyOf(deployment));
        for (const hpa of this.#stores.autoscalers.list()) if (scaleTargetOf(hpa) === keyOf(deployment)) autoscalers.add(keyOf(hpa));
      }),
      autoscalers: watch('autoscaling/v2', 'HorizontalPodAutoscaler', (hpa) => autoscalers.add(keyOf(hpa))),
      replicaSets: watch('apps/v1', 'ReplicaSet', (set) => {
        replicaSets.add(keyOf(set));
        wakeOwner(deployments, 'Deployment', set);
      }),
      pods: watch('v1', 'Pod', (pod, change) => this.#podChanged(pod, change)),
      daemonSets: watch('apps/v1', 'DaemonSet', (set) => daemonSets.add(keyOf(set))),
      revisions: watch('apps/v1', 'ControllerRevision', (revision) => wakeOwner(daemonSets, 'DaemonSet', revision)),
      budgets: watch('policy/v1', 'PodDisruptionBudget', (budget) => budgets.add(keyOf(budget))),
      services: watch('v1', 'Service', (service) => endpoints.add(keyOf(service))),
      nodes: watch('v1', 'Node', (_, change) => this.#nodeChanged(change)),
      slices: watch('discovery.k8s.io/v1', 'EndpointSlice', ({ metadata: { namespace, labels } }) => {
        const service = labels?.['kubernetes.io/service-name'];
        if (service) endpoints.add(`${namespace}/${service}`);
      }),
    };
  }

  #podChanged(pod: Pod, { previous, next }: ObjectChange<Pod>): void {
    const { deployments, replicaSets, daemonSets } = this.#queues;
    if (!next) {
      this.#leaving.delete(pod.metadata.uid ?? '');
      // Recreate waits for the last pod of the old revision, and a pod does not name its Deployment.
      for (const deployment of this.#stores.deployments.list())
        if (deployment.spec.strategy?.type === 'Recreate') deployments.add(keyOf(deployment));
    }
    wakeOwner(replicaSets, 'ReplicaSet', pod);
    wakeOwner(daemonSets, 'DaemonSet', pod);
    for (const seen of [next, previous].filter((each) => each !== undefined)) {
      for (const service of this.#stores.services.list()) if (selectsPods(service, seen)) this.#queues.endpoints.add(keyOf(service));
      for (const budget of this.#stores.budgets.list()) if (isUnder(budget, seen)) this.#queues.budgets.add(keyOf(budget));
    }
  }

  #nodeChanged({ previous, next }: ObjectChange<Node>): void {
    for (const set of this.#stores.daemonSets.list()) this.#queues.daemonSets.add(keyOf(set));
    // A heartbeat changes no endpoint.
    if (topologyOf(previous) === topologyOf(next)) return;
    for (const service of this.#stores.services.list()) this.#queues.endpoints.add(keyOf(service));
  }
}

function wakeOwner(queue: WorkQueue, kind: string, object: KubeObject): void {
  const owner = controllerOf(object);
  if (owner?.kind === kind) queue.add(`${object.metadata.namespace}/${owner.name}`);
}
