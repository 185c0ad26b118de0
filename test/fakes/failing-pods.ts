import type { EndingCause } from '../../src/api/codes/codes.ts';
import type { Condition } from '../../src/api/kinds/condition.ts';
import type { Pod } from '../../src/api/kinds/pod.ts';
import type { PodFailings } from '../../src/api/pod-failing.ts';
import { failingsIn, noneSeen, podView, withPods } from '../../src/workloads/pods/failings.ts';

/** The status of a pod that is not ready, in the shape that a kubelet or the scheduler writes (Kubernetes 1.36). */
type PodStatus = NonNullable<Pod['status']>;

const conditions = (reason: string, message: string): Condition[] => [
  { type: 'Initialized', status: 'True' },
  { type: 'Ready', status: 'False', reason, message },
  { type: 'ContainersReady', status: 'False', reason, message },
  { type: 'PodScheduled', status: 'True' },
];
const unready = conditions('ContainersNotReady', 'containers with unready status: [web]');

const waiting = (reason: string, message: string): PodStatus => ({
  phase: 'Pending',
  conditions: unready,
  containerStatuses: [{ name: 'web', ready: false, restartCount: 0, started: false, state: { waiting: { reason, message } } }],
});

const ended = (reason: string, exitCode: number, message?: string): PodStatus => ({
  phase: 'Running',
  conditions: unready,
  containerStatuses: [
    {
      name: 'web',
      ready: false,
      restartCount: 3,
      state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 40s restarting failed container=web pod=podinfo-x_test(1)' } },
      lastState: { terminated: { reason, exitCode, finishedAt: '2026-01-01T00:00:00Z', ...(message && { message }) } },
    },
  ],
});

/** Statuses by the cause that they show. */
export const failingStatuses = {
  ImageUnavailable: waiting('ImagePullBackOff', 'Back-off pulling image "registry.example/shop:1.3.1"'),
  ContainerConfig: waiting('CreateContainerConfigError', 'configmap "settings" not found'),
  OutOfMemory: ended('OOMKilled', 137),
  CrashLoop: ended('Error', 1, 'DATABASE_URL is not set\n'),
  Unschedulable: {
    phase: 'Pending',
    conditions: [
      { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes are available: 3 Insufficient cpu.' },
    ],
  },
  PodGated: {
    phase: 'Running',
    conditions: conditions('ReadinessGatesNotReady', 'the status of pod readiness gate "lb.example/ready" is not "True"'),
  },
  ProbeFails: {
    phase: 'Running',
    conditions: unready,
    containerStatuses: [
      { name: 'web', ready: false, restartCount: 0, started: true, state: { running: { startedAt: '2026-01-01T00:00:00Z' } } },
    ],
  },
} as const satisfies Partial<Record<EndingCause, PodStatus>>;

/** Failures of a canary whose only pod has this status. */
export function failingsOf(status: PodStatus): PodFailings {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'podinfo-x', namespace: 'test', uid: 'p-1' },
    spec: { containers: [] },
    status,
  } as Pod;
  return failingsIn(withPods(noneSeen(), [podView(pod)]));
}
