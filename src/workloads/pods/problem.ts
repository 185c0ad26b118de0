import type { Cause } from '../../api/codes/codes.ts';
import type { ContainerState, ContainerStatus, Pod } from '../../api/kinds/pod.ts';

/** The reason for which a pod is not ready, from its own status. */
export interface PodProblem {
  cause: Cause;
  /** Path of the field of the pod that proves it. */
  field: string;
  value: unknown;
  /** The part of the pod template to correct. */
  part?: string;
  container?: string;
  /** Words of the kubelet or the scheduler, or the container's termination message. */
  message?: string | undefined;
  /** The node that does not report. */
  node?: string;
}

const WAITING: Readonly<Record<string, Cause>> = {
  ImagePullBackOff: 'ImageUnavailable',
  ErrImagePull: 'ImageUnavailable',
  InvalidImageName: 'ImageUnavailable',
  ErrImageNeverPull: 'ImageUnavailable',
  CrashLoopBackOff: 'CrashLoop',
  CreateContainerConfigError: 'ContainerConfig',
  CreateContainerError: 'ContainerConfig',
};

const STATUSES = { initContainers: 'initContainerStatuses', containers: 'containerStatuses' } as const;

/** Fields of a container, by cause. */
const PARTS: Readonly<Partial<Record<Cause, string>>> = { ImageUnavailable: '.image', OutOfMemory: '.resources.limits.memory' };

/** The problem of a pod; undefined if it is ready. */
export function problemOfPod({ spec, status = {} }: Pick<Pod, 'spec' | 'status'>): PodProblem | undefined {
  const conditions = status.conditions ?? [];
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (ready?.status === 'True') return undefined;
  if (spec?.schedulingGates?.length) return { cause: 'PodGated', field: 'spec.schedulingGates', value: spec.schedulingGates };
  const unscheduled = conditions.find(({ type, status: is }) => type === 'PodScheduled' && is === 'False');
  if (unscheduled) {
    const { message } = unscheduled;
    return { cause: 'Unschedulable', field: 'status.conditions[PodScheduled].message', value: message, part: '.spec', message };
  }
  for (const list of ['initContainers', 'containers'] as const) {
    for (const one of status[STATUSES[list]] ?? []) {
      const problem = problemOfContainer(one, `status.${STATUSES[list]}[${one.name}]`);
      if (problem) return { ...problem, container: one.name, part: `.spec.${list}[${one.name}]${PARTS[problem.cause] ?? ''}` };
    }
  }
  if (ready?.reason === 'ReadinessGatesNotReady')
    return { cause: 'PodGated', field: 'status.conditions[Ready].message', value: ready.message, message: ready.message };
  const { nodeName: node } = spec ?? {};
  if (ready !== undefined && node !== undefined && wasReadyLast(status))
    return { cause: 'NodeNotReady', field: 'spec.nodeName', value: node, node };
  return { cause: 'PodsStarting', field: 'status.phase', value: status.phase };
}

/**
 * The control plane marks the pods of a node that does not report as not ready, and gives no reason; the kubelet's last report stays. So each container is
 * still called ready, which a running kubelet never writes into a pod that is not, but for readiness gates.
 */
function wasReadyLast({ containerStatuses = [] }: NonNullable<Pod['status']>): boolean {
  return containerStatuses.length > 0 && containerStatuses.every(({ ready }) => ready === true);
}

function problemOfContainer({ state, lastState, ready }: ContainerStatus, path: string): PodProblem | undefined {
  for (const [at, { terminated }] of Object.entries({ state: state ?? {}, lastState: lastState ?? {} }))
    if (terminated?.reason === 'OOMKilled')
      return { cause: 'OutOfMemory', field: `${path}.${at}.terminated.reason`, value: terminated.reason, message: terminated.message };
  const { reason, message } = state?.waiting ?? {};
  const cause = reason === undefined ? undefined : WAITING[reason];
  if (cause) {
    const value = [reason, message].filter(Boolean).join(': ');
    // A message of the back-off only says how long it lasts; the end of the container says why.
    return { cause, field: `${path}.state.waiting`, value, message: cause === 'CrashLoop' ? endOf({ lastState })?.message : message };
  }
  const end = endOf({ state });
  if (end?.exitCode !== undefined && end.exitCode !== 0)
    return { cause: 'CrashLoop', field: `${path}.state.terminated.exitCode`, value: end.exitCode, message: end.message };
  return state?.running !== undefined && ready === false ? { cause: 'ProbeFails', field: `${path}.ready`, value: false } : undefined;
}

const endOf = ({ state, lastState }: { state?: ContainerState | undefined; lastState?: ContainerState | undefined }) =>
  state?.terminated ?? lastState?.terminated;
