import { every } from '../../api/clock.ts';
import type { Node } from '../../api/kinds/node.ts';
import type { Pod } from '../../api/kinds/pod.ts';
import type { Labels } from '../../api/kube-object.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { keyOf, watchObjects } from '../controllers/object-store.ts';
import { isPodFinished } from '../controllers/pods.ts';
import { workQueue } from '../controllers/work-queue.ts';
import { realWorld, secondsText, type World } from '../world.ts';
import type { App, startApp } from './app.ts';
import type { AppBehaviour } from './behaviour.ts';
import { chooseNode, ownerOf, type Placed } from './choose-node.ts';
import { type RunningPod, runPod } from './kubelet.ts';
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
  const { world = realWorld, onError = () => undefined } = options;
  const { clock } = world;
  const nodes: NodeIdentity[] = (options.nodes ?? DEFAULT_NODES).map((node, index) => ({ ...node, ip: `10.0.0.${index + 1}` }));
  const ipOfNode = new Map(nodes.map(({ name, ip }) => [name, ip]));
  const running = new Map<string, RunningPod>();
  const addresses = podAddresses();
  const narrow = options.namespace === undefined ? {} : { namespace: options.namespace };
  const kubelet = {
    startupMs: options.startupMs ?? 20,
    graceScale: options.graceScale ?? 0.1,
    probeScale: options.probeScale ?? 0.1,
    world,
    ...(options.runApp && { runApp: options.runApp }),
    ...(options.appFor ? { appFor: options.appFor.bind(options) } : {}),
    onError,
  };

  const scheduling = workQueue(
    clock,
    async (key) => {
      const pod = pods.get(key);
      if (!pod || pod.spec.nodeName || pod.metadata.deletionTimestamp || (pod.spec.schedulingGates ?? []).length > 0) return;
      const uid = pod.metadata.uid ?? '';
      const mine = registered.list().filter(({ metadata }) => ipOfNode.has(metadata.name));
      const chosen = chooseNode(pod, mine, placed());
      if (chosen === undefined) return await tellUnschedulable(cluster, pod, mine.length, secondsText(world));
      // Pods are placed side by side: the next one has to count this one before the watch brings it back.
      assigned.set(uid, { node: chosen, owner: ownerOf(pod) });
      await options.calls.bind(pod, chosen).catch((error: unknown) => {
        assigned.delete(uid);
        throw error;
      });
    },
    onError,
  );
  const assigned = new Map<string, Placed>();
  const placed = (): Placed[] => {
    const living = pods.list().filter((pod) => !isPodFinished(pod));
    return living.flatMap((pod) => {
      if (pod.spec.nodeName) return { node: pod.spec.nodeName, owner: ownerOf(pod) };
      return assigned.get(pod.metadata.uid ?? '') ?? [];
    });
  };
  const registered = watchObjects<Node>(cluster, { apiVersion: 'v1', kind: 'Node' }, () => {
    for (const pod of pods.list()) if (!pod.spec.nodeName) scheduling.add(keyOf(pod));
  });

  const pods = watchObjects<Pod>(cluster, { apiVersion: 'v1', kind: 'Pod', ...narrow }, ({ previous, next }) => {
    const pod = next ?? previous;
    const uid = pod?.metadata.uid ?? '';
    if (!pod) return;
    if (previous && previous.metadata.uid !== next?.metadata.uid) {
      const gone = previous.metadata.uid ?? '';
      void running.get(gone)?.kill();
      running.delete(gone);
    }
    if (!next || next.spec.nodeName) assigned.delete(uid);
    if (!next) return;
    const hostIP = ipOfNode.get(next.spec.nodeName ?? '');
    if (!next.spec.nodeName) {
      // No kubelet runs it yet, so that its deletion would never finish.
      if (next.metadata.deletionTimestamp) void options.calls.forceDelete(next).catch((error: unknown) => onError(error, keyOf(next)));
      else scheduling.add(keyOf(next));
    } else if (hostIP !== undefined) {
      const known = running.get(uid);
      if (known) known.update(next);
      else running.set(uid, runPod(cluster, options.calls, next, { podIP: addresses.take(next), hostIP }, kubelet));
    }
  });

  const register = async (): Promise<void> => {
    for (const node of nodes) {
      await registerNode(cluster, clock, node);
      await renewLease(cluster, clock, node.name);
    }
  };
  const stopRenewing = every(clock, options.renewLeasesEveryMs ?? LEASE_RENEW_MS, () => {
    for (const { name } of nodes) void renewLease(cluster, clock, name).catch((error: unknown) => onError(error, name));
  });

  const appsByKey = (): Map<string, App> => {
    const apps = new Map<string, App>();
    for (const pod of pods.list()) {
      const app = running.get(pod.metadata.uid ?? '')?.app();
      if (app) apps.set(keyOf(pod), app);
    }
    return apps;
  };
  return {
    ready: Promise.all([register(), pods.synced, registered.synced]).then(() => undefined),
    app: (namespace, pod) => appsByKey().get(`${namespace}/${pod}`),
    apps: appsByKey,
    async stop() {
      stopRenewing();
      scheduling.stop();
      pods.stop();
      registered.stop();
      await Promise.all([...running.values()].map((each) => each.kill()));
      running.clear();
    },
  };
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
