import type { CanaryStatus, Verdict } from '../../api/canary-status.ts';
import { asDeployment } from '../../api/kinds/deployment.ts';
import { asEvent } from '../../api/kinds/event.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { APP, type DemoCluster, NAMESPACE } from './demo-cluster.ts';
import type { DemoUsers } from './users.ts';

/** Everything that one frame of the demo shows. */
export interface DemoFrame {
  act: string;
  phase: string;
  weight: number;
  step: string;
  primaryReady: string;
  canaryReady: string;
  verdicts: readonly Verdict[];
  users: ReturnType<DemoUsers['counts']>;
  /** All of them, the oldest first. */
  events: readonly string[];
}

/** Follows the Canary, its two Deployments and its events by watches; the demo asks nothing of the controller. */
export function followDemo(demo: DemoCluster, users: DemoUsers, onPhase: (status: CanaryStatus) => void) {
  const { cluster } = demo.embedded;
  const ready = new Map<string, string>();
  const events: string[] = [];
  let status: CanaryStatus | undefined;
  let act = '';
  const seen = (object: KubeObject) => {
    if (object.kind === 'Canary') {
      status = object.status as CanaryStatus | undefined;
      if (status) onPhase(status);
    } else if (object.kind === 'Deployment') {
      const { spec, status: found } = asDeployment(object);
      ready.set(object.metadata.name, `${found?.readyReplicas ?? 0}/${spec.replicas}`);
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
  const watches = [follow('flagger.app/v1beta1', 'Canary'), follow('apps/v1', 'Deployment'), follow('v1', 'Event')];
  return {
    synced: Promise.all(watches.map((watch) => watch.synced)),
    status: () => status,
    setAct(title: string) {
      act = title;
    },
    frame: (): DemoFrame => ({
      act,
      phase: status?.phase || 'waiting for the controller',
      weight: status?.canaryWeight ?? 0,
      step: status?.release?.step ?? '',
      primaryReady: ready.get(`${APP}-primary`) ?? '0/0',
      canaryReady: ready.get(APP) ?? '0/0',
      verdicts: status?.release?.verdicts ?? [],
      users: users.counts(),
      events,
    }),
    stop() {
      for (const watch of watches) watch.stop();
    },
  };
}
