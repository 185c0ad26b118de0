import type { Condition } from '../../api/kinds/condition.ts';
import type { Pod } from '../../api/kinds/pod.ts';

/** A container of a pod, as the kubelet has it. */
export interface ContainerSeen {
  /** `ended`: it has just ended; `crashed`: it waits for its back-off. */
  state: 'starting' | 'running' | 'ended' | 'crashed';
  /** Reason for a missing start, if the kubelet can say more than that it will come. */
  waitsFor?: string;
  /** Reason of its end, if it has ended. */
  endsBy: 'Error' | 'OOMKilled';
  exitCode?: number;
  /** Time of its last end. */
  finishedAt?: string;
  isReady: boolean;
  restarts: number;
  podIP: string;
  hostIP: string;
  startedAt: string;
}

/** Others belong to their writers, such as the condition of a readiness gate. */
const OWN_CONDITIONS = ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'];

/** The whole pod status for the kubelet's observation; times change only with a condition's status. */
export function podStatus(pod: Pod, seen: ContainerSeen, nowText: string): Record<string, unknown> {
  const { conditions: previous = [] } = pod.status ?? {};
  const condition = (type: string, isTrue: boolean): Condition => {
    const status = isTrue ? 'True' : 'False';
    const before = previous.find((each) => each.type === type);
    const lastTransitionTime = (before?.status === status ? before.lastTransitionTime : undefined) ?? nowText;
    return { type, status, lastTransitionTime, ...(isTrue ? {} : whyNot[type]) };
  };
  const { readinessGates: gates = [], containers = [] } = pod.spec;
  const closed = gates.find(({ conditionType }) => !previous.some(({ type, status }) => type === conditionType && status === 'True'));
  const unready = { reason: 'ContainersNotReady', message: 'containers with unready status' };
  const whyNot: Record<string, object> = {
    ContainersReady: unready,
    Ready:
      seen.isReady && closed
        ? { reason: 'ReadinessGatesNotReady', message: `the readiness gate ${closed.conditionType} is not open` }
        : unready,
  };
  return {
    phase: seen.state === 'starting' ? 'Pending' : 'Running',
    conditions: [
      condition('PodScheduled', true),
      condition('Initialized', true),
      condition('ContainersReady', seen.isReady),
      condition('Ready', seen.isReady && !closed),
      ...previous.filter(({ type }) => !OWN_CONDITIONS.includes(type)),
    ],
    hostIP: seen.hostIP,
    hostIPs: [{ ip: seen.hostIP }],
    podIP: seen.podIP,
    podIPs: [{ ip: seen.podIP }],
    startTime: pod.status?.startTime ?? nowText,
    containerStatuses: containers.map(({ name, image = '' }) => ({
      name,
      image,
      imageID: image,
      ready: seen.isReady,
      started: seen.state === 'running',
      restartCount: seen.restarts,
      state: containerState(seen),
      ...((seen.restarts > 0 || seen.state === 'crashed') && { lastState: ended(seen) }),
    })),
  };
}

function ended({ endsBy, exitCode = endsBy === 'Error' ? 1 : 137, finishedAt }: ContainerSeen): object {
  return { terminated: { exitCode, reason: endsBy, ...(finishedAt !== undefined && { finishedAt }) } };
}

function containerState(seen: ContainerSeen): object {
  const { state, startedAt, waitsFor = 'ContainerCreating' } = seen;
  if (state === 'ended') return ended(seen);
  if (state === 'running') return { running: { startedAt } };
  if (state === 'starting') return { waiting: { reason: waitsFor } };
  return { waiting: { reason: 'CrashLoopBackOff', message: 'back-off restarting failed container' } };
}
