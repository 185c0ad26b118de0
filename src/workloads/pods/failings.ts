import type { Condition } from '../../api/kinds/condition.ts';
import type { ContainerStatus, Pod } from '../../api/kinds/pod.ts';
import { boundedMessage, type EndsByContainer, type PodFailing, type PodFailings } from '../../api/pod-failing.ts';
import { compareText } from '../../base/compare-text.ts';
import { defined } from '../../base/defined.ts';
import { type PodProblem, problemOfPod } from './problem.ts';

/** The part of a pod that shows its failures. Nothing else of it is kept. */
export interface ObservedPod {
  uid: string;
  name: string;
  /** Containers that have ended, sidecars included. */
  ends: number;
  isReady: boolean;
  /** The pod is being deleted, or its node is lost: its failures say nothing about the version. */
  isExcused: boolean;
  /** It will never run again; only its object is left. */
  isOver: boolean;
  /** The last end of one of its containers, or the reason for which the pod is over. */
  last: PodFailing;
  /** The last end of each of its containers, newest first by the clock of the node; none of an evicted pod. */
  lastEnds: readonly PodFailing[];
  /** Reason for which it is not ready; absent if it is ready, just starts or ends. */
  problem?: PodFailing;
}

/** A pod with its past. */
interface SeenPod extends ObservedPod {
  wasReady: boolean;
}

/** Pods of one canary, with the counts so far. */
export interface SeenPods extends Pick<PodFailings, 'crashes' | 'lost' | 'last'> {
  pods: ReadonlyMap<string, SeenPod>;
}

/** Knowledge of a starting controller about the run: the counts of its status, and the ends that are in them. */
export type KnownFailings = Pick<PodFailings, 'crashes' | 'lost' | 'ends'> & {
  last?: PodFailing | undefined;
  containers?: EndsByContainer | undefined;
};

/** Maximum number of pods that are evaluated: memory of one release is bounded (I15). */
export const MOST_EVALUATED_PODS = 500;
/** Maximum number of pods that are remembered over a start of the controller. */
const MOST_REMEMBERED = 40;

/** Ends that a container runtime does not know: the node was restarted. Source: kubelet convertStatusToAPIStatus, containerd's unknown exit. */
const UNKNOWN_ENDS = new Set(['ContainerStatusUnknown', 'Unknown']);

/**
 * The view of one pod.
 * Excused is a pod with a deletionTimestamp (drain, eviction by the API, scale-down, rollout, delete), with the condition DisruptionTarget, and on a lost node.
 * DisruptionTarget with reason TerminationByKubelet is also set for node pressure, which the pod's own use can have caused: then `status.reason` is Evicted,
 * and it counts. The pods of a lost node are marked by the node lifecycle controller, not by a kubelet: `status.reason` is NodeLost, or Ready is False while
 * ContainersReady stays True and no reason is given.
 * Source: Kubernetes documentation, "Disruptions", Pod disruption conditions; kubernetes pkg/controller/util/node MarkPodsNotReady.
 */
export function podView({ metadata: { uid = '', name, deletionTimestamp }, status = {}, spec }: Pod): ObservedPod {
  const { conditions = [], reason, phase } = status;
  const isEvicted = reason === 'Evicted';
  const isDisrupted = conditions.some((one) => one.type === 'DisruptionTarget' && one.status === 'True') && !isEvicted;
  const containers = running(spec, status);
  const lastEnds = isEvicted ? [] : lastEndsOf(name, containers);
  const [newest = { pod: name }] = lastEnds;
  const isExcused = deletionTimestamp !== undefined || isDisrupted || reason === 'NodeLost' || isOnLostNode(conditions);
  const isOver = phase === 'Failed' || phase === 'Succeeded';
  const problem = deletionTimestamp !== undefined || isOver ? undefined : problemOfPod({ spec, status });
  return {
    uid,
    name,
    ends: containers.reduce((sum, one) => sum + endsOf(one), 0),
    isReady: isTrue(conditions, 'Ready'),
    isExcused,
    isOver,
    last: isEvicted ? { pod: name, reason } : newest,
    lastEnds,
    ...(problem &&
      problem.cause !== 'PodsStarting' && { problem: shownProblem(name, problem, [...lastEnds, ...lastEndsOf(name, inits(status))]) }),
  };
}

/** The problem as a failing: with the end of its container, if that is the cause. */
function shownProblem(pod: string, { cause, container, message }: PodProblem, ends: readonly PodFailing[]): PodFailing {
  const isEnd = cause === 'CrashLoop' || cause === 'OutOfMemory';
  const end = isEnd ? ends.find((one) => one.container === container) : undefined;
  return defined({ pod, container, ...end, cause, message: boundedMessage(message) });
}

const inits = ({ initContainerStatuses = [] }: NonNullable<Pod['status']>) => initContainerStatuses;

/** Causes in the order in which they tell most about a version. */
const TELLING: readonly (PodFailing['cause'] & string)[] = [
  'ImageUnavailable',
  'ContainerConfig',
  'OutOfMemory',
  'CrashLoop',
  'Unschedulable',
  'PodGated',
  'ProbeFails',
  'NodeNotReady',
];

/** The most telling problem of these pods, the same one for the same pods. */
function problemIn(pods: readonly ObservedPod[]): PodFailing | undefined {
  const rank = ({ cause }: PodFailing) => (cause === undefined ? TELLING.length : TELLING.indexOf(cause));
  const [first] = pods.flatMap(({ problem }) => problem ?? []).toSorted((a, b) => rank(a) - rank(b) || compareText(a.pod, b.pod));
  return first;
}

/** Starts without counts; known pods begin with their recorded ends. */
export function noneSeen(known: KnownFailings = { crashes: 0, lost: 0, ends: {} }): SeenPods {
  const { ends, crashes, lost, last, containers = {} } = known;
  const pods = Object.entries(ends)
    .slice(0, MOST_REMEMBERED)
    .map(([uid, count]): [string, SeenPod] => [uid, remembered(uid, count, containers[uid])]);
  return { crashes, lost, ...(last && { last }), pods: new Map(pods) };
}

/** The pods after a new view of one of them (rule E27a). */
export function withPod(seen: SeenPods, now: ObservedPod): SeenPods {
  const before = seen.pods.get(now.uid);
  if (before === undefined && seen.pods.size >= MOST_EVALUATED_PODS) return seen;
  const { crashes, lost, last } = failingsOf(before, now);
  const pods = new Map(seen.pods).set(now.uid, { ...now, wasReady: now.isReady || before?.wasReady === true });
  if (crashes + lost === 0) return { ...seen, pods };
  return { pods, crashes: seen.crashes + crashes, lost: seen.lost + lost, last };
}

export function withoutPod(seen: SeenPods, uid: string): SeenPods {
  const pods = new Map(seen.pods);
  pods.delete(uid);
  return { ...seen, pods };
}

/** The same after a LIST: pods that it lacks are gone. */
export function withPods(seen: SeenPods, now: readonly ObservedPod[]): SeenPods {
  const there = new Set(now.map(({ uid }) => uid));
  const left = new Map([...seen.pods].filter(([uid]) => there.has(uid)));
  return now.reduce(withPod, { ...seen, pods: left });
}

export function failingsIn({ pods, crashes, lost, last }: SeenPods): PodFailings {
  const known = [...pods.values()].filter(({ wasReady }) => wasReady);
  const unready = known.filter(({ isReady, isExcused, isOver }) => !isReady && !isExcused && !isOver).length;
  const kept = known.slice(0, MOST_REMEMBERED);
  const ends = Object.fromEntries(kept.map(({ uid, ends: count }) => [uid, count]));
  const containers = Object.fromEntries(
    kept.flatMap(({ uid, lastEnds }) => (lastEnds.length > 0 ? [[uid, Object.fromEntries(lastEnds.flatMap(timesOf))]] : [])),
  );
  const problem = problemIn([...pods.values()]);
  const counts = { ends, ...(Object.keys(containers).length > 0 && { containers }) };
  return { crashes, lost, unready, ...(last && { last }), ...(problem && { problem }), ...counts };
}

/** A crash is not also a loss of readiness. Before a pod was ready once, its start decides, and not this rule. */
function failingsOf(before: SeenPod | undefined, now: ObservedPod): Pick<PodFailings, 'crashes' | 'lost'> & { last: PodFailing } {
  const loss = lossOf(now);
  if (before?.wasReady !== true || now.isExcused) return { crashes: 0, lost: 0, last: loss };
  const risen = Math.max(0, now.ends - before.ends);
  if (risen === 0) return { crashes: 0, lost: before.isReady && !now.isReady ? 1 : 0, last: loss };
  const last = newEnd(before, now);
  return { crashes: UNKNOWN_ENDS.has(last.reason ?? '') ? 0 : risen, lost: 0, last };
}

/** The end that did not exist before. Its time is not enough: the clock of a node can have been set back since an earlier end. */
function newEnd(before: SeenPod, { lastEnds, last }: ObservedPod): PodFailing {
  const known = new Map(before.lastEnds.map(({ container, times = 0 }) => [container, times]));
  return lastEnds.find(({ container, times = 0 }) => times > (known.get(container) ?? 0)) ?? last;
}

const lossOf = ({ name, last, isOver }: ObservedPod): PodFailing => (isOver && last.container === undefined ? last : { pod: name });

const timesOf = ({ container, times }: PodFailing): [string, number][] =>
  container === undefined || times === undefined ? [] : [[container, times]];

function remembered(uid: string, ends: number, containers: EndsByContainer[string] = {}): SeenPod {
  const lastEnds = Object.entries(containers).map(([container, times]) => ({ pod: '', container, times }));
  return { uid, name: '', ends, isReady: false, isExcused: false, isOver: false, last: { pod: '' }, lastEnds, wasReady: true };
}

/** Containers that run as long as the pod: native sidecars are init containers that restart always. */
function running(spec: Pod['spec'] | undefined, { containerStatuses = [], initContainerStatuses = [] }: NonNullable<Pod['status']>) {
  const sidecars = new Set((spec?.initContainers ?? []).flatMap((one) => (one.restartPolicy === 'Always' ? one.name : [])));
  return [...containerStatuses, ...initContainerStatuses.filter(({ name }) => sidecars.has(name))];
}

/** A container that has ended is counted as restarted only when it starts again, up to five minutes later. */
function endsOf({ restartCount = 0, state }: ContainerStatus): number {
  const isDown = state?.terminated !== undefined || state?.waiting?.reason === 'CrashLoopBackOff';
  return restartCount + (isDown ? 1 : 0);
}

function lastEndsOf(pod: string, containers: readonly ContainerStatus[]): PodFailing[] {
  const ended = containers.flatMap((one) => {
    const end = one.state?.terminated ?? one.lastState?.terminated;
    return end ? [{ end, container: one.name, times: endsOf(one) }] : [];
  });
  const newestFirst = ended.toSorted((a, b) => compareText(b.end.finishedAt ?? '', a.end.finishedAt ?? ''));
  return newestFirst.map(({ end: { reason, exitCode }, container, times }) => ({
    pod,
    container,
    times,
    ...(reason !== undefined && { reason: reason.slice(0, 64) }),
    ...(exitCode !== undefined && { exitCode }),
  }));
}

function isTrue(conditions: readonly Condition[], type: string): boolean {
  return conditions.some((one) => one.type === type && one.status === 'True');
}

function isOnLostNode(conditions: readonly Condition[]): boolean {
  const ready = conditions.find(({ type }) => type === 'Ready');
  return ready?.status !== 'True' && ready !== undefined && !ready.reason && isTrue(conditions, 'ContainersReady');
}
