import { every } from '../../api/clock.ts';
import type { Node } from '../../api/kinds/node.ts';
import type { Pod } from '../../api/kinds/pod.ts';
import type { Labels } from '../../api/kube-object.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { keyOf, type ObjectChange, type ObjectStore, watchObjects } from '../controllers/object-store.ts';
import { isPodFinished } from '../controllers/pods.ts';
import { type WorkQueue, workQueue } from '../controllers/work-queue.ts';
import { realWorld, secondsText, type World } from '../world.ts';
import type { App, startApp } from './app.ts';
import type { AppBehaviour } from './behaviour.ts';
import { chooseNode, ownerOf, type Placed } from './choose-node.ts';
import { type KubeletOptions, type RunningPod, runPod } from './kubelet.ts';
import { LEASE_RENEW_MS, type NodeIdentity, registerNode, renewLease } from './node-registration.ts';
import type { PodCalls } from './pod-calls.ts';
import { tellUnschedulable } from './unschedulable.ts';

export { PORT_ANNOTATION } from './kubelet.ts';
export { httpPodCalls, type PodCalls } from './pod-calls.ts';

export interface NodeOptions {
  /** Binding and force deletion, which `Cluster` cannot express; `httpPodCalls(apiUrl)` for a server without credentials. */
  calls: PodCalls;
  /** Default: three nodes in two zones. */
  nodes?: readonly { name: string; zone: string; labels?: Labels }[];
  namespace?: string;
  /** From binding to the container's start; default 20. */
  startupMs?: number;
  /** Part of the grace period during which a terminating app serves on, 0–1; default 0.1 (3 s of the usual 30 s). */
  graceScale?: number;
  /** Multiplies probe periods and delays; default 0.1. */
  probeScale?: number;
  world?: World;
  /** Default: a small HTTP server. */
  runApp?: typeof startApp;
  /** Default 10,000; nothing in this cluster judges nodes by their leases. */
  renewLeasesEveryMs?: number;
  /** Overrides what env and annotations of the pod say. */
  appFor?(pod: Pod): Partial<AppBehaviour>;
  onError?(error: unknown, what: string): void;
}

export interface Nodes {
  /** Resolves when the nodes are registered and the pods listed. */
  readonly ready: Promise<void>;
  /** The running application of a pod; its `behaviour` may be changed. */
  app(namespace: string, pod: string): App | undefined;
  /** Every running application, by `namespace/pod`. */
  apps(): Map<string, App>;
  stop(): Promise<void>;
}

const DEFAULT_NODES = [
  { name: 'node-a', zone: 'zone-1' },
  { name: 'node-b', zone: 'zone-2' },
  { name: 'node-c', zone: 'zone-1' },
];

/** Scheduler and kubelet in one; an API client, so that it serves a real kube-apiserver too. */
export function startNodes(cluster: Cluster, options: NodeOptions): Nodes {
  return new NodeGroup(cluster, options);
}

class NodeGroup implements Nodes {
  readonly #cluster: Cluster;
  readonly #options: NodeOptions;
  readonly #world: World;
  readonly #onError: NonNullable<NodeOptions['onError']>;
  readonly #nodes: readonly NodeIdentity[];
  readonly #ipOfNode: ReadonlyMap<string, string>;
  readonly #running = new Map<string, RunningPod>();
  /** Nodes of pods whose binding the watch has not shown yet, by uid. */
  readonly #assigned = new Map<string, Placed>();
  readonly #addresses = podAddresses();
  readonly #scheduling: WorkQueue;
  readonly #registered: ObjectStore<Node>;
  readonly #pods: ObjectStore<Pod>;
  readonly #stopRenewing: () => void;
  readonly ready: Promise<void>;

  constructor(cluster: Cluster, options: NodeOptions) {
    const { world = realWorld, onError = () => undefined, namespace } = options;
    const { clock } = world;
    this.#cluster = cluster;
    this.#options = options;
    this.#world = world;
    this.#onError = onError;
    this.#nodes = (options.nodes ?? DEFAULT_NODES).map((node, index) => ({ ...node, ip: `10.0.0.${index + 1}` }));
    this.#ipOfNode = new Map(this.#nodes.map(({ name, ip }) => [name, ip]));
    this.#scheduling = workQueue(clock, (key) => this.#schedule(key), onError);
    this.#registered = watchObjects<Node>(cluster, { apiVersion: 'v1', kind: 'Node' }, () => {
      for (const pod of this.#pods.list()) if (!pod.spec.nodeName) this.#scheduling.add(keyOf(pod));
    });
    const narrow = namespace === undefined ? {} : { namespace };
    this.#pods = watchObjects<Pod>(cluster, { apiVersion: 'v1', kind: 'Pod', ...narrow }, (change) => this.#podChanged(change));
    this.#stopRenewing = every(clock, options.renewLeasesEveryMs ?? LEASE_RENEW_MS, () => {
      for (const { name } of this.#nodes) void renewLease(cluster, clock, name).catch((error: unknown) => onError(error, name));
    });
    this.ready = Promise.all([this.#register(), this.#pods.synced, this.#registered.synced]).then(() => undefined);
  }

  app(namespace: string, pod: string): App | undefined {
    return this.apps().get(`${namespace}/${pod}`);
  }

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
    for (const node of this.#nodes) {
      await registerNode(this.#cluster, this.#world.clock, node);
      await renewLease(this.#cluster, this.#world.clock, node.name);
    }
  }

  async #schedule(key: string): Promise<void> {
    const pod = this.#pods.get(key);
    if (!pod || pod.spec.nodeName || pod.metadata.deletionTimestamp || (pod.spec.schedulingGates ?? []).length > 0) return;
    const uid = pod.metadata.uid ?? '';
    const mine = this.#registered.list().filter(({ metadata }) => this.#ipOfNode.has(metadata.name));
    const chosen = chooseNode(pod, mine, this.#placed());
    if (chosen === undefined) return await tellUnschedulable(this.#cluster, pod, mine.length, secondsText(this.#world));
    // Pods are placed side by side: the next one has to count this one before the watch brings it back.
    this.#assigned.set(uid, { node: chosen, owner: ownerOf(pod) });
    await this.#options.calls.bind(pod, chosen).catch((error: unknown) => {
      this.#assigned.delete(uid);
      throw error;
    });
  }

  #placed(): Placed[] {
    const living = this.#pods.list().filter((pod) => !isPodFinished(pod));
    return living.flatMap((pod) => {
      if (pod.spec.nodeName) return { node: pod.spec.nodeName, owner: ownerOf(pod) };
      return this.#assigned.get(pod.metadata.uid ?? '') ?? [];
    });
  }

  #podChanged({ previous, next }: ObjectChange<Pod>): void {
    const pod = next ?? previous;
    const uid = pod?.metadata.uid ?? '';
    if (!pod) return;
    if (previous && previous.metadata.uid !== next?.metadata.uid) {
      const gone = previous.metadata.uid ?? '';
      void this.#running.get(gone)?.kill();
      this.#running.delete(gone);
    }
    if (!next || next.spec.nodeName) this.#assigned.delete(uid);
    if (!next) return;
    const { calls } = this.#options;
    const hostIP = this.#ipOfNode.get(next.spec.nodeName ?? '');
    if (!next.spec.nodeName) {
      // No kubelet runs it yet, so that its deletion would never finish.
      if (next.metadata.deletionTimestamp) void calls.forceDelete(next).catch((error: unknown) => this.#onError(error, keyOf(next)));
      else this.#scheduling.add(keyOf(next));
    } else if (hostIP !== undefined) {
      const known = this.#running.get(uid);
      if (known) known.update(next);
      else this.#running.set(uid, runPod(this.#cluster, calls, next, { podIP: this.#addresses.take(next), hostIP }, this.#kubelet()));
    }
  }

  #kubelet(): KubeletOptions {
    const { startupMs = 20, graceScale = 0.1, probeScale = 0.1, runApp, appFor } = this.#options;
    return {
      ...{ startupMs, graceScale, probeScale, world: this.#world, onError: this.#onError },
      ...(runApp && { runApp }),
      ...(appFor && { appFor: appFor.bind(this.#options) }),
    };
  }
}

/** Made-up addresses in 10.244.0.0/16; a pod that has one already keeps it. */
function podAddresses(): { take(pod: Pod): string } {
  const taken = new Set<string>();
  let last = 0;
  return {
    take(pod) {
      let ip = pod.status?.podIP ?? '';
      while (ip === '' || (taken.has(ip) && ip !== pod.status?.podIP)) {
        last = (last + 1) % 65_000;
        ip = `10.244.${Math.floor(last / 250)}.${(last % 250) + 1}`;
      }
      taken.add(ip);
      return ip;
    },
  };
}
