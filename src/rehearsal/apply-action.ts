import type { HookType } from '../api/canary.ts';
import { asPod, type Pod } from '../api/kinds/pod.ts';
import type { ObjectRef } from '../api/kube-object.ts';
import { type Clock, sleep } from '../base/clock.ts';
import { DEMAND_ANNOTATION } from '../embedded/controllers/hpa-controller.ts';
import type { KubeCluster } from '../kube/kube-cluster.ts';
import type { ModelledApps, Version, VersionModel } from './modelled-apps.ts';
import type { PodQuota } from './quota.ts';
import type { Action } from './scenario.ts';
import type { Users } from './users.ts';

/** The parts of a rehearsal that steps of a scenario change. */
export interface ScenarioControls {
  clock: Clock;
  cluster: KubeCluster;
  apps: ModelledApps;
  users: Users;
  quota: PodQuota;
  /** Bounds of the lag of proxies, which they read each time. */
  lagMs: [number, number];
  state: { isPrometheusUp: boolean; webhooks: { types: readonly HookType[] | undefined; status: number } | undefined };
  /** The Deployments of both sides. */
  sides: readonly ObjectRef[];
  controller: { kill(): Promise<void>; start(): void };
}

const DRAINED_NODE = 'node-a';

export async function applyAction(controls: ScenarioControls, action: Action): Promise<void> {
  const { clock, cluster, apps, users, quota, lagMs, state, sides, controller } = controls;
  switch (action.do) {
    case 'new-version':
      return apps.change('new', behaviourIn(action));
    case 'old-version':
      return apps.change('old', behaviourIn(action));
    case 'traffic':
      return users.rate(action.requestsPerSecond);
    case 'prometheus':
      state.isPrometheusUp = action.answers;
      return;
    case 'webhooks':
      state.webhooks = action.status === undefined ? undefined : { types: action.types, status: action.status };
      return;
    case 'kill-controller':
      await controller.kill();
      await sleep(clock, action.for);
      return controller.start();
    case 'drain-node':
      return await drain(cluster, action.node ?? DRAINED_NODE);
    case 'quota':
      return quota.limitTo(action.pods);
    case 'cpu-demand':
      for (const side of sides)
        if (await cluster.get(side))
          await cluster.patch(side, { metadata: { annotations: { [DEMAND_ANNOTATION]: String(action.millicores) } } });
      return;
    case 'proxy-lag':
      lagMs[0] = action.least;
      lagMs[1] = action.most;
      return;
    default:
      action satisfies never;
  }
}

function behaviourIn({ errorRate, latencyMs, latencySpread, readyAfter, crashes, neverReady }: Action & { do: `${Version}-version` }) {
  const changes = { errorRate, latencyMs, latencySpread, readyAfterMs: readyAfter, crashes, neverReady };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Partial<VersionModel>;
}

/** Works as `kubectl drain`, but ignores disruption budgets. */
async function drain(cluster: KubeCluster, name: string): Promise<void> {
  const taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
  await cluster.patch({ apiVersion: 'v1', kind: 'Node', name }, { spec: { unschedulable: true, taints: [taint] } });
  const { items } = await cluster.list({ apiVersion: 'v1', kind: 'Pod' });
  const isEvicted = ({ spec, metadata }: Pod): boolean =>
    spec?.nodeName === name && !metadata.ownerReferences?.some(({ kind }) => kind === 'DaemonSet');
  for (const { metadata } of items.map(asPod).filter(isEvicted))
    await cluster.delete({ apiVersion: 'v1', kind: 'Pod', name: metadata.name, namespace: metadata.namespace ?? 'default' });
}

/** An action in words for a timeline. */
export function wordsOf({ do: name, ...fields }: Action): string {
  const values = Object.entries(fields).map(([field, value]) => `${field} ${Array.isArray(value) ? value.join(', ') : value}`);
  return values.length === 0 ? name : `${name}: ${values.join(', ')}`;
}
