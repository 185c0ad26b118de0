import type { Cause, WaitCode } from '../../src/api/codes/codes.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import type { CanarySnapshot } from '../../src/reading/snapshot.ts';
import { mayNotRead } from '../../src/reading/snapshot.ts';
import { pushed, type StalledRelease, snapshotIn } from './stalled-release.ts';
import { aCanary, initialized, World } from './world.ts';

const steps = { stepWeight: 20 };
const aPod = (status: object, spec: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'podinfo-1', namespace: 'test' },
  spec,
  status: { phase: 'Pending', ...status },
});
const container = (one: object) => ({ containerStatuses: [{ name: 'web', ready: false, ...one }] });
const waits = (reason: string) => container({ state: { waiting: { reason } } });

/** A canary whose pods do not come. */
function unready(over: Partial<StalledRelease> = {}): CanarySnapshot {
  const world = initialized(aCanary(steps));
  world.behaviour.brokenCanary.add('s1:b');
  world.push('s1:b');
  return snapshotIn({ world, ...over });
}
const withPod = (status: object, spec?: object) => (): CanarySnapshot => unready({ targetPods: [aPod(status, spec)] });
const inCondition = (condition: object, spec: object = { replicas: 1 }): Partial<StalledRelease> => ({
  target: { spec, status: { conditions: [condition] } },
});

/** A snapshot for each cause other than a wait, as a user sees it; a cause without a scene does not compile. */
export const caused: Readonly<Record<Exclude<Cause, WaitCode>, () => CanarySnapshot>> = {
  PrimaryMissing() {
    const world = pushed(initialized(aCanary(steps)), ({ step }) => step === 'analysing');
    world.behaviour.brokenPrimary.add('s1:b');
    world.tickUntil(({ step }) => step === 'awaitingPrimary');
    return snapshotIn({ world, primary: undefined });
  },
  ScaledToZero: () => unready({ target: { spec: { replicas: 0 } } }),
  RolloutPaused: () => unready({ target: { spec: { replicas: 1, paused: true } } }),
  PodsRefused: () => unready(inCondition({ type: 'ReplicaFailure', status: 'True', message: 'exceeded quota' })),
  Unschedulable: withPod({ conditions: [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes are available' }] }),
  ImageUnavailable: withPod(waits('ImagePullBackOff')),
  ContainerConfig: withPod(waits('CreateContainerConfigError')),
  OutOfMemory: withPod(container({ lastState: { terminated: { reason: 'OOMKilled' } } })),
  CrashLoop: withPod(waits('CrashLoopBackOff')),
  ProbeFails: withPod(container({ state: { running: {} } })),
  NodeNotReady: withPod(
    { ...container({ ready: true, state: { running: {} } }), conditions: [{ type: 'Ready', status: 'False' }] },
    { nodeName: 'node-2' },
  ),
  PodGated: withPod({}, { schedulingGates: [{ name: 'example.com/queue' }] }),
  PodsStarting: withPod({}),
  NotYetAvailable: () =>
    unready({
      target: { spec: { replicas: 1, minReadySeconds: 30 } },
      targetPods: [aPod({ conditions: [{ type: 'Ready', status: 'True' }] })],
    }),
  Restoring() {
    const world = initialized(aCanary({ stepWeight: 50 }));
    world.behaviour.brokenPrimary.add('s1:b');
    pushed(world, ({ step }) => step === 'awaitingPrimary');
    world.behaviour.brokenPrimary.add('s1:a');
    world.tickUntil(({ phase, step }) => phase === 'Failed' && step === 'restoringPrimary');
    return snapshotIn({ world });
  },
  Unreadable: () => ({ ...unready({ target: undefined }), hidden: [mayNotRead('Deployment')] }),
  Unseen() {
    const { raw } = snapshotIn({ world: new World(aCanary(steps)) });
    return { raw, targetPods: [], primaryPods: [], events: [], hidden: [] };
  },
  Deleting() {
    const snapshot = unready();
    Object.assign(snapshot.raw.metadata, { deletionTimestamp: '1970-01-01T01:00:00Z', finalizers: ['flagger.app/finalizer'] });
    return snapshot;
  },
  Undelivered() {
    const world = initialized(aCanary(steps));
    world.deliversAtOnce = false;
    return snapshotIn({ world: pushed(world) });
  },
};
