import { setTimeout as sleep } from 'node:timers/promises';
import type { CanaryStatus, Verdict } from '../../api/canary-status.ts';
import { asDeployment } from '../../api/kinds/deployment.ts';
import { asEvent } from '../../api/kinds/event.ts';
import type { ServiceSpec } from '../../api/kinds/service.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { readTraffic } from '../../reading/traffic/read-traffic.ts';
import { APP, type DemoCluster, NAMESPACE } from './demo-cluster.ts';
import type { DemoUsers } from './users.ts';

const LOOK_AT_ROUTES_EVERY_MS = 100;

/** The split of the requests, as the objects in the cluster say it. */
export interface DemoRoutes {
  primary: number;
  canary: number;
  /** The object that they were read from: `VirtualService podinfo`. */
  by: string;
}

/** Everything that one frame of the demo shows. */
export interface DemoFrame {
  act: string;
  phase: string;
  routes: DemoRoutes;
  step: string;
  primaryReady: string;
  canaryReady: string;
  verdicts: readonly Verdict[];
  users: ReturnType<DemoUsers['counts']>;
  /** All of them, the oldest first. */
  events: readonly string[];
}

/** Follows the Canary, its two Deployments, its events and its routes in the cluster; the demo requests nothing from the controller. */
export function followDemo(demo: DemoCluster, users: DemoUsers, onPhase: (status: CanaryStatus) => void) {
  const { cluster } = demo.embedded;
  const ready = new Map<string, string>();
  const events: string[] = [];
  let status: CanaryStatus | undefined;
  let act = '';
  // Until Serin takes over, the Service selects the pods of the target.
  let bySelector: DemoRoutes = { primary: 0, canary: 100, by: `Service ${APP}` };
  let byRoutes: DemoRoutes | undefined;
  let isFollowing = true;
  const seen = (object: KubeObject) => {
    if (object.kind === 'Canary') {
      status = object.status as CanaryStatus | undefined;
      if (status) onPhase(status);
    } else if (object.kind === 'Deployment') {
      const { spec, status: found } = asDeployment(object);
      ready.set(object.metadata.name, `${found?.readyReplicas ?? 0}/${spec.replicas}`);
    } else if (object.kind === 'Service') {
      if (object.metadata.name !== APP) return;
      const isOnTarget = specOf<ServiceSpec>(object).selector?.app === APP;
      bySelector = { ...bySelector, primary: isOnTarget ? 0 : 100, canary: isOnTarget ? 100 : 0 };
    } else {
      const { involvedObject, reason, message } = asEvent(object);
      const line = `${reason}: ${message}`;
      if (involvedObject?.kind === 'Canary' && events.at(-1) !== line) events.push(line);
    }
  };
  const follow = (apiVersion: string, kind: string) =>
    cluster.watch(
      { apiVersion, kind, namespace: NAMESPACE },
      { onEvent: ({ type, object }) => type !== 'DELETED' && seen(object), onList: (items) => items.forEach(seen) },
    );
  const kinds = [
    ['flagger.app/v1beta1', 'Canary'],
    ['apps/v1', 'Deployment'],
    ['v1', 'Event'],
    ['v1', 'Service'],
  ] as const;
  const watches = kinds.map(([apiVersion, kind]) => follow(apiVersion, kind));
  const lookAtRoutes = async (): Promise<void> => {
    while (isFollowing) {
      const report = await readTraffic(cluster, NAMESPACE, APP, '').catch(() => undefined);
      const [object] = report?.readFrom ?? [];
      if (report?.traffic && object) byRoutes = { ...report.traffic, by: object.replace(`${NAMESPACE}/`, '') };
      await sleep(LOOK_AT_ROUTES_EVERY_MS);
    }
  };
  void lookAtRoutes();
  return {
    synced: Promise.all(watches.map((watch) => watch.synced)),
    status: () => status,
    setAct(title: string) {
      act = title;
    },
    frame: (): DemoFrame => ({
      act,
      phase: status?.phase || '(no status)',
      routes: byRoutes ?? bySelector,
      step: status?.release?.step ?? '',
      primaryReady: ready.get(`${APP}-primary`) ?? '0/0',
      canaryReady: ready.get(APP) ?? '0/0',
      verdicts: status?.release?.verdicts ?? [],
      users: users.counts(),
      events,
    }),
    stop() {
      isFollowing = false;
      for (const watch of watches) watch.stop();
    },
  };
}
