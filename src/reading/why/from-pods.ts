import type { Cause } from '../../api/codes/codes.ts';
import { asPod, type Pod } from '../../api/kinds/pod.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { asRecord } from '../canary-reading.ts';
import { aboutIt, fieldProof, type Trouble } from './finding.ts';

/** `part`: the part of the pod template to correct. */
type PodProblem = { cause: Cause; field: string; value: unknown; part?: string; look?: string };

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

/** The first pod that does not become ready, and the reason in its own status. */
export function fromPods(pods: readonly KubeObject[]): Trouble | undefined {
  for (const pod of pods) {
    if (pod.metadata.deletionTimestamp !== undefined) continue;
    const problem = problemOfPod(pod);
    if (problem === undefined) continue;
    const { cause, field, value, part, look } = problem;
    return {
      cause,
      about: aboutIt(pod),
      proof: [fieldProof(pod, field, value)],
      ...(look === undefined ? {} : { look }),
      ...(part === undefined ? {} : { change: { template: part } }),
    };
  }
  return undefined;
}

function problemOfPod(pod: KubeObject): PodProblem | undefined {
  const { spec, status = {} } = asPod(pod);
  const conditions = status.conditions ?? [];
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (ready?.status === 'True') return undefined;
  if (spec?.schedulingGates?.length) return { cause: 'PodGated', field: 'spec.schedulingGates', value: spec.schedulingGates };
  const unscheduled = conditions.find(({ type, status: is }) => type === 'PodScheduled' && is === 'False');
  if (unscheduled)
    return { cause: 'Unschedulable', field: 'status.conditions[PodScheduled].message', value: unscheduled.message, part: '.spec' };
  for (const list of ['initContainers', 'containers'] as const) {
    for (const one of status[STATUSES[list]] ?? []) {
      const problem = problemOfContainer(one, `status.${STATUSES[list]}[${one.name}]`);
      if (problem) return { ...problem, part: `.spec.${list}[${one.name}]${PARTS[problem.cause] ?? ''}` };
    }
  }
  if (ready?.reason === 'ReadinessGatesNotReady')
    return { cause: 'PodGated', field: 'status.conditions[Ready].message', value: ready.message };
  const { nodeName } = spec ?? {};
  if (ready !== undefined && nodeName !== undefined && wasReadyLast(status))
    return { cause: 'NodeNotReady', field: 'spec.nodeName', value: nodeName, look: `kubectl describe node ${nodeName}` };
  return { cause: 'PodsStarting', field: 'status.phase', value: status.phase };
}

/**
 * The control plane marks the pods of a node that does not report as not ready, and gives no reason; the kubelet's last report stays. So each container is
 * still called ready, which a running kubelet never writes into a pod that is not, but for readiness gates.
 */
function wasReadyLast({ containerStatuses = [] }: NonNullable<Pod['status']>): boolean {
  return containerStatuses.length > 0 && containerStatuses.every(({ ready }) => ready === true);
}

function problemOfContainer(status: Record<string, unknown>, path: string): PodProblem | undefined {
  const waiting = asRecord(asRecord(status.state).waiting);
  for (const at of ['state', 'lastState'] as const) {
    const { reason } = asRecord(asRecord(status[at]).terminated);
    if (reason === 'OOMKilled') return { cause: 'OutOfMemory', field: `${path}.${at}.terminated.reason`, value: reason };
  }
  const cause = typeof waiting.reason === 'string' ? WAITING[waiting.reason] : undefined;
  if (cause) return { cause, field: `${path}.state.waiting`, value: [waiting.reason, waiting.message].filter(Boolean).join(': ') };
  const isRunning = asRecord(status.state).running !== undefined;
  return isRunning && status.ready === false ? { cause: 'ProbeFails', field: `${path}.ready`, value: false } : undefined;
}
