import type { Node } from '../../api/kinds/node.ts';
import type { Pod } from '../../api/kinds/pod.ts';
import { type Labels, refOf } from '../../api/kube-object.ts';
import { every } from '../../base/clock.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { keyOf, type ObjectChange, type ObjectStore, watchObjects } from '../controllers/object-store.ts';
import { isPodFinished } from '../controllers/pods.ts';
import { type WorkQueue, workQueue } from '../controllers/work-queue.ts';
import { realWorld, secondsText } from '../world.ts';
import type { App } from './app.ts';
import { chooseNode, ownerOf, type Placed, unschedulableMessage } from './choose-node.ts';
import { type KubeletOptions, RunningPod } from './kubelet.ts';
import { LEASE_RENEW_MS, type NodeIdentity, registerNode, renewLease } from './node-registration.ts';
import type { PodCalls } from './pod-calls.ts';

export { httpPodCalls, type PodCalls } from './pod-calls.ts';

export interface NodeOptions extends Partial<KubeletOptions> {
  /** Binding and force deletion, which `Cluster` cannot express; `httpPodCalls(apiUrl)` for a server without credentials. */
  calls: PodCalls;
  /** Default: three nodes in two zones. */
  nodes?: readonly { name: string; zone: string; labels?: Labels }[];
  /** Default 10,000; nothing in this cluster judges nodes by their leases. */
  renewLeasesEveryMs?: number;
}

const DEFAULT_NODES = [
  { name: 'node-a', zone: 'zone-1' },
  { name: 'node-b', zone: 'zone-2' },
  { name: 'node-c', zone: 'zone-1' },
];

export const startNodes = (cluster: Cluster, options: NodeOptions): Nodes => new Nodes(cluster, options);

/** Scheduler and kubelet in one; an API client, so that it serves a real kube-apiserver too. */
export class Nodes {
  readonly #cluster: Cluster;
  readonly #calls: PodCalls;
  readonly #kubelet: KubeletOptions;
  readonly #nodes: readonly NodeIdentity[];
  readonly #ipOfNode: ReadonlyMap<string, string>;
  readonly #running = new Map<string, RunningPod>();
  /** Nodes of pods whose binding the watch has not shown yet, by uid. */
  readonly #assigned = new Map<string, Placed>();
  readonly #takeAddress = podAddresses();
  readonly #scheduling: WorkQueue;
  readonly #registered: ObjectStore<Node>;
  readonly #pods: ObjectStore<Pod>;
  readonly #stopRenewing: () => void;
  /** Resolves when the nodes are registered and the pods listed. */
  readonly ready: Promise<void>;

  constructor(cluster: Cluster, { calls, nodes = DEFAULT_NODES, renewLeasesEveryMs = LEASE_RENEW_MS, ...options }: NodeOptions) {
    this.#cluster = cluster;
    this.#calls = calls;
    this.#kubelet = { startupMs: 20, graceScale: 0.1, probeScale: 0.1, world: realWorld, onError: () => undefined, ...options };
    const { onError, world } = this.#kubelet;
    this.#nodes = nodes.map((node, index) => ({ ...node, ip: `10.0.0.${index + 1}` }));
    this.#ipOfNode = new Map(this.#nodes.map(({ name, ip }) => [name, ip]));
    this.#scheduling = workQueue(world.clock, (key) => this.#schedule(key), onError);
    this.#registered = watchObjects<Node>(cluster, { apiVersion: 'v1', kind: 'Node' }, () => {
      for (const pod of this.#pods.list()) if (!pod.spec.nodeName) this.#scheduling.add(keyOf(pod));
    });
    this.#pods = watchObjects<Pod>(cluster, { apiVersion: 'v1', kind: 'Pod' }, (change, pod) => this.#podChanged(pod, change));
    this.#stopRenewing = every(world.clock, renewLeasesEveryMs, () => {
      for (const { name } of this.#nodes) void renewLease(cluster, world.clock, name).catch((error: unknown) => onError(error, name));
    });
    this.ready = Promise.all([this.#register(), this.#pods.synced, this.#registered.synced]).then(() => undefined);
  }

  /** The running application of a pod; its `behaviour` can be changed. */
  app(namespace: string, pod: string): App | undefined {
    return this.apps().get(`${namespace}/${pod}`);
  }

  /** Ends the container of a pod, which is restarted as if it had ended by itself. Returns true if one ran. */
  crash(namespace: string, pod: string, exitCode: number): boolean {
    return this.#running.get(this.#pods.get(`${namespace}/${pod}`)?.metadata.uid ?? '')?.crash(exitCode) ?? false;
  }

  /** Every running application, by `namespace/pod`. */
  apps(): Map<string, App> {
    const apps = new Map<string, App>();
    for (const pod of this.#pods.list()) {
      const app = this.#running.get(pod.metadata.uid ?? '')?.app();
      if (app) apps.set(keyOf(pod), app);
    }
    return apps;
  }

  async stop(): Promise<void> {
    this.#stopRenewing();
    this.#scheduling.stop();
    this.#pods.stop();
    this.#registered.stop();
    await Promise.all([...this.#running.values()].map((each) => each.kill()));
    this.#running.clear();
  }

  async #register(): Promise<void> {
    const { clock } = this.#kubelet.world;
    for (const node of this.#nodes) {
      await registerNode(this.#cluster, clock, node);
      await renewLease(this.#cluster, clock, node.name);
    }
  }

  async #schedule(key: string): Promise<void> {
    const pod = this.#pods.get(key);
    if (!pod || pod.spec.nodeName || pod.metadata.deletionTimestamp || (pod.spec.schedulingGates ?? []).length > 0) return;
    const uid = pod.metadata.uid ?? '';
    const mine = this.#registered.list().filter(({ metadata }) => this.#ipOfNode.has(metadata.name));
    const chosen = chooseNode(pod, mine, this.#placed());
    if (chosen === undefined) return await this.#reportUnschedulable(pod, mine);
    // Pods are placed side by side: the next one has to count this one before the watch brings it back.
    this.#assigned.set(uid, { node: chosen, owner: ownerOf(pod) });
    await this.#calls.bind(pod, chosen).catch((error: unknown) => {
      this.#assigned.delete(uid);
      throw error;
    });
  }

  /** Says once in the pod's status, as the scheduler does, that no node fits; it is placed when a node changes. */
  async #reportUnschedulable(pod: Pod, nodes: readonly Node[]): Promise<void> {
    const { conditions: known = [] } = pod.status ?? {};
    if (known.some(({ type, reason }) => type === 'PodScheduled' && reason === 'Unschedulable')) return;
    const condition = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message: unschedulableMessage(pod, nodes),
      lastTransitionTime: secondsText(this.#kubelet.world),
    };
    const conditions = [...known.filter(({ type }) => type !== 'PodScheduled'), condition];
    await this.#cluster.patch(refOf(pod), { status: { conditions } }, { subresource: 'status' });
  }

  #placed(): Placed[] {
    const living = this.#pods.list().filter((pod) => !isPodFinished(pod));
    return living.flatMap((pod) => {
      if (pod.spec.nodeName) return { node: pod.spec.nodeName, owner: ownerOf(pod) };
      return this.#assigned.get(pod.metadata.uid ?? '') ?? [];
    });
  }

  #podChanged(pod: Pod, { previous, next }: ObjectChange<Pod>): void {
    const { uid = '' } = pod.metadata;
    if (previous && previous.metadata.uid !== next?.metadata.uid) {
      const gone = previous.metadata.uid ?? '';
      void this.#running.get(gone)?.kill();
      this.#running.delete(gone);
    }
    if (!next || next.spec.nodeName) this.#assigned.delete(uid);
    if (!next) return;
    const hostIP = this.#ipOfNode.get(next.spec.nodeName ?? '');
    if (!next.spec.nodeName) {
      // No kubelet runs it yet, so that its deletion would never finish.
      if (next.metadata.deletionTimestamp)
        void this.#calls.forceDelete(next).catch((error: unknown) => this.#kubelet.onError(error, keyOf(next)));
      else this.#scheduling.add(keyOf(next));
    } else if (this.#running.has(uid)) this.#running.get(uid)?.update(next);
    else if (hostIP !== undefined) {
      const address = { podIP: this.#takeAddress(next), hostIP };
      this.#running.set(uid, new RunningPod(this.#cluster, this.#calls, next, address, this.#kubelet));
    }
  }
}

/** Made-up addresses in 10.244.0.0/16; a pod that has one already keeps it. */
function podAddresses(): (pod: Pod) => string {
  const taken = new Set<string>();
  let last = 0;
  return (pod) => {
    let ip = pod.status?.podIP ?? '';
    while (ip === '' || (taken.has(ip) && ip !== pod.status?.podIP)) {
      last = (last + 1) % 65_000;
      ip = `10.244.${Math.floor(last / 250)}.${(last % 250) + 1}`;
    }
    taken.add(ip);
    return ip;
  };
}
