import type { KubeObject } from '../../src/api/kube-object.ts';
import { type LiveRelease, releaseViewOf } from '../../src/cli/view/release-view.ts';
import { reportOf } from '../../src/reading/canary-report.ts';
import type { CanarySnapshot } from '../../src/reading/snapshot.ts';
import { releasing } from './compared-release.ts';
import { pushed, snapshotIn, verdict, workload } from './stalled-release.ts';
import { aCanary, initialized, World, withHooks } from './world.ts';

/** A release in one phase, as its live screen shows it. */
export interface ViewedRelease {
  phase: string;
  view: LiveRelease;
  nowMs: number;
}

const metrics = [
  { name: 'request-success-rate', thresholdRange: { min: 99 } },
  { name: 'request-duration', thresholdRange: { max: 500 } },
];
const passed = [
  verdict({ check: 'request-success-rate', verdict: 'passed', value: 99.8, limit: 'at least 99%' }),
  verdict({ check: 'request-duration', verdict: 'passed', value: 212, limit: 'at most 500ms' }),
];
const failed = [
  verdict({
    check: 'request-success-rate',
    value: 94.5,
    limit: 'at least 99%',
    reason: 'request-success-rate: 94.5% is below the minimum of 99%',
  }),
  verdict({ check: 'request-duration', verdict: 'passed', value: 431, limit: 'at most 500ms' }),
];

const analysed = (more: Parameters<typeof aCanary>[0] = {}): World => {
  const world = initialized(aCanary({ stepWeight: 20, maxWeight: 60, metrics, ...more }));
  world.behaviour.verdicts = passed;
  return world;
};
const inPhase = (phase: string) => (world: World) => world.phase === phase;

/** A release in each phase. */
export const worldsByPhase: Readonly<Record<string, () => World>> = {
  Initializing: () => new World(aCanary({ stepWeight: 20, metrics })).begin(),
  Initialized: () => analysed(),
  Waiting: () => {
    const world = analysed(withHooks('confirm-rollout'));
    Object.assign(world.behaviour, { words: 'the change freeze lasts until Monday', hooks: { 'confirm-rollout': 'refused' } });
    return pushed(world, inPhase('Waiting'));
  },
  Progressing: () => pushed(analysed(), ({ canary }) => canary.status?.canaryWeight === 40),
  Compared: () => {
    const world = releasing(
      { mode: 'gate', pace: 'evidence', latency: {} },
      { canary: 0.0021, primary: 0.0008, perSecond: 500 },
      { metrics },
    );
    world.behaviour.verdicts = passed;
    world.tickUntil(({ release }) => release.awaitedEvidence !== undefined);
    for (let tick = 0; tick < 20; tick += 1) world.tick();
    return world;
  },
  Paused: () => {
    const world = pushed(analysed(), ({ canary }) => canary.status?.canaryWeight === 40);
    world.ask('pause', 'r-1');
    return world;
  },
  WaitingPromotion: () => {
    const world = analysed(withHooks('confirm-promotion'));
    Object.assign(world.behaviour, { words: 'not approved yet', hooks: { 'confirm-promotion': 'refused' } });
    return pushed(world, inPhase('WaitingPromotion'));
  },
  Promoting: () => {
    const world = analysed();
    world.behaviour.brokenPrimary.add('s1:b');
    return pushed(world, inPhase('Promoting'));
  },
  Finalising: () => pushed(analysed(), inPhase('Finalising')),
  Terminating: () => {
    const world = pushed(analysed(), inPhase('Succeeded'));
    const { metadata, status } = world.canary;
    const deletion = { deletionTimestamp: new Date(world.nowMs).toISOString(), finalizers: ['finalizer.flagger.app'] };
    Object.assign(world.canary, { metadata: { ...metadata, ...deletion }, status: { ...status, phase: 'Terminating' } });
    return world;
  },
  Succeeded: () => pushed(analysed(), inPhase('Succeeded')),
  Failed: () => {
    const world = analysed();
    world.pushUntil('s1:b', ({ canary }) => canary.status?.canaryWeight === 20);
    world.behaviour.verdicts = failed;
    world.tickUntil(inPhase('Failed'));
    return world;
  },
};

/** One release in each phase. */
export function viewedReleases(): ViewedRelease[] {
  return Object.entries(worldsByPhase).map(([phase, make]) => {
    const world = make();
    const at = (secondsAgo: number) => new Date(world.nowMs - secondsAgo * 1000).toISOString();
    const canary = sideOf({ name: 'podinfo', uid: 't-1', image: 'podinfo:1.1.0', pods: world.targetReplicas > 0 ? 15 : 0, at: at(95) });
    const isPromoted = ['Promoting', 'Finalising', 'Succeeded', 'Terminating'].includes(phase);
    const promoted = { image: `podinfo:${isPromoted ? '1.1.0' : '1.0.0'}`, at: at(isPromoted ? 20 : 3 * 86_400) };
    const primary = sideOf({ name: 'podinfo-primary', uid: 'p-1', pods: 3, ready: phase === 'Promoting' ? 1 : 3, ...promoted });
    const snapshot = snapshotIn({
      world,
      ...{ target: canary.deployment, targetPods: canary.pods },
      ...{ primary: primary.deployment, primaryPods: primary.pods },
    });
    const replicaSets = [...canary.replicaSets, ...primary.replicaSets];
    const seen: CanarySnapshot = { ...snapshot, replicaSets, events: eventsOf(phase, at), atMs: world.nowMs };
    const lease = { kind: 'Lease', namespace: 'serin', name: 'serin' };
    const report = { ...reportOf(seen), controller: { held: true, pod: 'serin-7f9c-x2x', lease } };
    return { phase, view: releaseViewOf(seen, report, ['--context=east']), nowMs: world.nowMs };
  });
}

/** A Deployment with its ReplicaSet and pods; `ready`: how many of these are, the others crash. */
function sideOf({ name, uid, image, pods, ready = pods, at }: SideForm) {
  const owned = (kind: string, owner: string, by: string) => ({ ownerReferences: [{ apiVersion: 'apps/v1', kind, name: owner, uid: by }] });
  const set = `${name}-6d4b75cb6d`;
  const spec = { containers: [{ name: 'podinfo', image: `registry.example.com/shop/${image}` }] };
  const replicaSet: KubeObject = {
    ...{
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      spec: { replicas: pods, template: { spec } },
      status: { replicas: pods, readyReplicas: ready },
    },
    metadata: { name: set, namespace: 'test', uid: set, creationTimestamp: at, ...owned('Deployment', name, uid) },
  };
  const podAt = (index: number): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...{ name: `${set}-${String(index).padStart(5, 'x')}`, namespace: 'test', creationTimestamp: at },
      ...owned('ReplicaSet', set, set),
    },
    spec,
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: index < ready ? 'True' : 'False' }],
      containerStatuses: [
        { name: 'podinfo', restartCount: index < ready ? 0 : 4, state: index < ready ? {} : { waiting: { reason: 'CrashLoopBackOff' } } },
      ],
    },
  });
  const { metadata, ...deployment } = workload(name, pods, ready);
  return {
    deployment: { ...deployment, metadata: { ...metadata, uid } },
    replicaSets: pods === 0 ? [] : [replicaSet],
    pods: Array.from({ length: pods }, (_, index) => podAt(index)),
  };
}

interface SideForm {
  name: string;
  uid: string;
  image: string;
  pods: number;
  ready?: number;
  /** When all of it was made. */
  at: string;
}

function eventsOf(phase: string, at: (secondsAgo: number) => string): KubeObject[] {
  const event = (secondsAgo: number, reason: string, message: string, type = 'Normal'): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `podinfo.${secondsAgo}`, namespace: 'test' },
    ...{ type, reason, message, lastTimestamp: at(secondsAgo) },
  });
  if (phase.startsWith('Init')) return [event(40, 'Initialized', 'test/podinfo is initialized: its primary serves')];
  if (phase === 'Waiting') return [event(7200, 'Initialized', 'test/podinfo is initialized: its primary serves')];
  return [
    event(7200, 'Initialized', 'test/podinfo is initialized: its primary serves'),
    event(95, 'NewRevision', 'New revision of podinfo found, its release begins'),
    event(30, 'WeightAdvanced', 'test/podinfo: canary weight is now 20%'),
    ...(phase === 'Failed'
      ? [event(5, 'RolledBack', `Rolled back podinfo after 3 failed checks: ${'94.5% is below 99%; '.repeat(8)}`, 'Warning')]
      : []),
  ];
}
