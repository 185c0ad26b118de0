import { describe, expect, it } from 'vitest';
import type { ContainerState, Pod } from '../../api/kinds/pod.ts';
import { failingText } from '../../api/pod-failing.ts';
import { failingsIn, MOST_EVALUATED_PODS, noneSeen, podView, type SeenPods, withoutPod, withPod, withPods } from './failings.ts';

type Status = NonNullable<Pod['status']>;
interface Change {
  ready?: boolean;
  /** Reason of the Ready condition. */
  reason?: string;
  containersReady?: boolean;
  restarts?: number;
  state?: ContainerState;
  last?: ContainerState;
  deleted?: boolean;
  disrupted?: string;
  status?: Partial<Status>;
  sidecarRestarts?: number;
  sidecarLast?: ContainerState;
  initRestarts?: number;
}

const exited = (exitCode: number, reason = 'Error', finishedAt = '2026-01-01T00:00:00Z'): ContainerState => ({
  terminated: { exitCode, reason, finishedAt },
});
const backOff: ContainerState = { waiting: { reason: 'CrashLoopBackOff' } };
const condition = (type: string, isTrue: boolean, reason?: string) => ({
  type,
  status: isTrue ? 'True' : 'False',
  ...(reason && { reason }),
});

function aPod(change: Change = {}, name = 'shop-x'): Pod {
  const { ready = true, containersReady = ready, reason = ready ? undefined : 'ContainersNotReady', deleted, disrupted } = change;
  const conditions = [condition('Ready', ready, reason), condition('ContainersReady', containersReady)];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'test', uid: `uid-${name}`, ...(deleted && { deletionTimestamp: '2026-01-01T00:00:00Z' }) },
    spec: { containers: [{ name: 'app' }], initContainers: [{ name: 'proxy', restartPolicy: 'Always' }, { name: 'setup' }] },
    status: {
      phase: 'Running',
      conditions: [...conditions, ...(disrupted ? [condition('DisruptionTarget', true, disrupted)] : [])],
      containerStatuses: [
        {
          name: 'app',
          ...(change.restarts !== undefined && { restartCount: change.restarts }),
          ...(change.state && { state: change.state }),
          ...(change.last && { lastState: change.last }),
        },
      ],
      initContainerStatuses: [
        { name: 'proxy', restartCount: change.sidecarRestarts ?? 0, ...(change.sidecarLast && { lastState: change.sidecarLast }) },
        { name: 'setup', restartCount: change.initRestarts ?? 0 },
      ],
      ...change.status,
    },
  };
}

const seenAfter = (...changes: Change[]): SeenPods => changes.reduce((seen, one) => withPod(seen, podView(aPod(one))), noneSeen());
const counted = (...changes: Change[]): [number, number, number] => {
  const { crashes, lost, unready } = failingsIn(seenAfter(...changes));
  return [crashes, lost, unready];
};

describe('E27a: failures that count for a pod that was ready', () => {
  it.each<{ what: string; changes: Change[]; is: [crashes: number, lost: number, unready: number] }>([
    { what: 'nothing', changes: [{}], is: [0, 0, 0] },
    { what: 'a restart that readiness does not show', changes: [{ restarts: 1, last: exited(3) }], is: [1, 0, 0] },
    { what: 'an end, before the kubelet starts it again', changes: [{ ready: false, state: exited(3) }], is: [1, 0, 1] },
    {
      what: 'the same end all along its back-off and start',
      changes: [
        { ready: false, state: exited(3) },
        { ready: false, state: backOff, last: exited(3) },
        { restarts: 1, last: exited(3) },
      ],
      is: [1, 0, 0],
    },
    { what: 'two ends between two views', changes: [{ restarts: 2, last: exited(137, 'OOMKilled') }], is: [2, 0, 0] },
    { what: 'a restart of a native sidecar', changes: [{ sidecarRestarts: 1 }], is: [1, 0, 0] },
    { what: 'lost readiness', changes: [{ ready: false }], is: [0, 1, 1] },
    { what: 'readiness that comes and goes', changes: [{ ready: false }, {}, { ready: false }, {}], is: [0, 2, 0] },
    {
      what: 'eviction for pressure on the node',
      changes: [{ ready: false, disrupted: 'TerminationByKubelet', status: { phase: 'Failed', reason: 'Evicted' } }],
      is: [0, 1, 0],
    },
    {
      what: 'a closed readiness gate',
      changes: [{ ready: false, containersReady: true, reason: 'ReadinessGatesNotReady' }],
      is: [0, 1, 1],
    },
  ])('$what', ({ changes, is }) => expect(counted({}, ...changes)).toEqual(is));
});

describe('E27a: failures that do not count', () => {
  it.each<{ what: string; changes: Change[]; is?: [number, number, number] }>([
    { what: 'a pod that is deleted', changes: [{ deleted: true }, { deleted: true, ready: false, state: exited(143) }] },
    { what: 'eviction by the API (drain)', changes: [{ ready: false, disrupted: 'EvictionByEvictionAPI' }] },
    { what: 'a taint of its node', changes: [{ ready: false, disrupted: 'DeletionByTaintManager' }] },
    { what: 'preemption by the scheduler', changes: [{ ready: false, disrupted: 'PreemptionByScheduler' }] },
    { what: 'collection of a pod without a node', changes: [{ ready: false, disrupted: 'DeletionByPodGC' }] },
    {
      what: 'the shutdown of a node (spot)',
      changes: [{ ready: false, disrupted: 'TerminationByKubelet', status: { phase: 'Failed', reason: 'Terminated' } }],
    },
    { what: 'a node that does not answer', changes: [{ ready: false, containersReady: true, reason: '' }] },
    { what: 'a lost node', changes: [{ ready: false, status: { reason: 'NodeLost' } }] },
    { what: 'a node that was restarted', changes: [{ restarts: 1, last: exited(255, 'Unknown') }] },
    { what: 'the same by another runtime', changes: [{ restarts: 1, last: exited(137, 'ContainerStatusUnknown') }] },
    { what: 'an init container that runs again', changes: [{ initRestarts: 3 }] },
  ])('$what', ({ changes, is = [0, 0, 0] }) => expect(counted({}, ...changes)).toEqual(is));

  it('crashes before the pod was ready once: its start decides', () =>
    expect(counted({ ready: false }, { ready: false, restarts: 3 }, { restarts: 3 })).toEqual([0, 0, 0]));

  it('pods that are gone, and new ones in their place', () => {
    const gone = withoutPod(seenAfter({}), 'uid-shop-x');
    expect(failingsIn(withPod(gone, podView(aPod({ ready: false }, 'shop-y'))))).toMatchObject({ crashes: 0, lost: 0, unready: 0 });
  });
});

describe('E27a: counts over a start of the controller', () => {
  const before = failingsIn(seenAfter({}, { restarts: 1, last: exited(3) }));
  const again = (...pods: Pod[]) => failingsIn(withPods(noneSeen(before), pods.map(podView)));

  it('nothing is counted twice', () => expect(again(aPod({ restarts: 1, last: exited(3) }))).toEqual(before));
  it('a crash in between is counted', () => expect(again(aPod({ restarts: 2, last: exited(3) })).crashes).toBe(2));
  it('a pod that was deleted in between does not reduce the sum', () =>
    expect(again(aPod({ restarts: 0 }, 'shop-y'))).toMatchObject({ crashes: 1 }));
  it('earlier ends of an unknown pod are not counted', () => expect(again(aPod({ restarts: 5 }, 'shop-y'))).toMatchObject({ crashes: 1 }));
});

describe('E27a: the clock of the node is set back after the sidecar has ended', () => {
  const later = '2026-01-01T00:05:00Z';
  const after = (sidecarLast: ContainerState) =>
    failingsIn(seenAfter({}, { sidecarRestarts: 1, sidecarLast }, { sidecarRestarts: 1, sidecarLast, restarts: 1, last: exited(3) }));

  it('the container that ended last is named', () =>
    expect(after(exited(0, 'Completed', later))).toMatchObject({ crashes: 2, last: { container: 'app', exitCode: 3, times: 1 } }));

  it('its crash counts, although the sidecar ended with the node', () =>
    expect(after(exited(255, 'Unknown', later))).toMatchObject({ crashes: 1, last: { container: 'app', exitCode: 3 } }));
});

describe('E27a: the controller starts again after the sidecar has ended, and the clock of the node is set back', () => {
  const sidecar = { sidecarRestarts: 1, sidecarLast: exited(0, 'Completed', '2026-01-01T00:05:00Z') };
  const crashed = { ...sidecar, restarts: 1, last: exited(3) };
  const before = failingsIn(seenAfter({}, sidecar));

  it.each([
    { when: 'at once', known: before },
    { when: 'from a stored status', known: JSON.parse(JSON.stringify(before)) as typeof before },
  ])('the container that ended last is named $when', ({ known }) =>
    expect(failingsIn(withPods(noneSeen(known), [podView(aPod(crashed))]))).toMatchObject({
      crashes: 2,
      last: { container: 'app', exitCode: 3, times: 1 },
    }),
  );

  it('of a status of an earlier version the newest end is named', () => {
    const { containers: _, ...older } = before;
    expect(failingsIn(withPods(noneSeen(older), [podView(aPod(crashed))])).last).toMatchObject({ container: 'proxy' });
  });
});

it('E27a: nodes have different clocks: the failure that came last is named, also if its time is earlier', () => {
  const pod = (name: string, finishedAt?: string) =>
    podView(aPod(finishedAt === undefined ? {} : { restarts: 1, last: exited(3, 'Error', finishedAt) }, name));
  const seen = [pod('ahead'), pod('behind'), pod('ahead', '2026-01-01T00:05:00Z'), pod('behind', '2025-12-31T23:55:10Z')];
  expect(failingsIn(seen.reduce(withPod, noneSeen())).last).toMatchObject({ pod: 'behind' });
});

it('E27a, I15: a thousand pods cost no more memory than 500, and few are remembered', () => {
  const many = Array.from({ length: 1_000 }, (_, index) => podView(aPod({}, `shop-${index}`)));
  const seen = withPods(noneSeen(), many);
  expect([seen.pods.size, Object.keys(failingsIn(seen).ends).length]).toEqual([MOST_EVALUATED_PODS, 40]);
});

it.each<[string, Change[]]>([
  ['container app of pod shop-x exited with code 3, 3 times so far', [{ restarts: 3, last: exited(3) }]],
  ['container app of pod shop-x exited with code 3', [{ ready: false, state: exited(3) }]],
  ['container app of pod shop-x exited with code 3, 2 times so far', [{ restarts: 1, ready: false, state: exited(3) }]],
  ['container app of pod shop-x ran out of memory', [{ restarts: 1, last: exited(137, 'OOMKilled') }]],
  ['pod shop-x lost its readiness', [{ ready: false }]],
  ['pod shop-x was evicted by its node', [{ ready: false, status: { phase: 'Failed', reason: 'Evicted' } }]],
])('E27a: says: %s', (text, changes) => {
  const { last } = failingsIn(seenAfter({}, ...changes));
  expect(last && failingText(last)).toBe(text);
});
