import type { Analysis } from '../../api/canary.ts';
import { asReplicaSet } from '../../api/kinds/replica-set.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { parseStatus } from '../../api/parse-status.ts';
import { defined } from '../../base/defined.ts';
import { plannedStep } from '../../engine/next-weight.ts';
import type { Limit } from '../../metrics/limit.ts';
import { asRecord } from '../../reading/canary-reading.ts';
import { rangeOf } from '../../reading/canary-report.ts';
import type { CanaryReport } from '../../reading/documents/canary-documents.ts';
import { type PodRow, podOf } from '../../reading/pod-view.ts';
import type { CanarySnapshot } from '../../reading/snapshot.ts';
import { whyOf } from '../../reading/why/diagnose.ts';
import { onThisCluster } from '../why/why-command.ts';

/** Everything that the live screen of one Canary shows. */
export interface LiveRelease {
  report: CanaryReport;
  strategy: string;
  isPaused: boolean;
  step?: { at: number; of: number };
  /** Time at which the controller reconciles the running release next, in epoch milliseconds. */
  nextCheckMs?: number;
  blocker?: { sentence: string; command: string };
  /** By check: the range that its values must be in, and its query if the Canary itself contains that. */
  ranges: ReadonlyMap<string, { limit: Limit; query?: string }>;
  primaryPods: readonly PodGroup[];
  canaryPods: readonly PodGroup[];
}

/** The pods of one owner, such as a ReplicaSet. */
export interface PodGroup {
  owner: string;
  image: string;
  /** Where the ReplicaSet itself was read: its pods, and why it cannot make more. */
  ready?: number;
  replicas?: number;
  failure?: string;
  pods: readonly PodRow[];
}

/** The view of a snapshot. `clusterFlags`: for the command beside a blocker. Pure. */
export function releaseViewOf(snapshot: CanarySnapshot, report: CanaryReport, clusterFlags: readonly string[] = []): LiveRelease {
  const analysis = snapshot.canary?.spec.analysis;
  const release = parseStatus(snapshot.raw.status)?.release;
  const isRunning = ['Waiting', 'Progressing', 'WaitingPromotion'].includes(report.phase);
  return {
    report,
    strategy: strategyOf(analysis),
    isPaused: release?.paused !== undefined,
    ranges: new Map(
      (analysis?.metrics ?? []).map((metric) => [metric.name, { limit: rangeOf(metric).limit, ...defined({ query: metric.query }) }]),
    ),
    primaryPods: groupsOf(snapshot.primaryPods, setsOf(snapshot, snapshot.primary, snapshot.primaryPods)),
    canaryPods: groupsOf(snapshot.targetPods, setsOf(snapshot, snapshot.target, snapshot.targetPods)),
    ...defined({
      step: analysis && isRunning ? plannedStep(analysis, { weight: report.traffic.canary, iterations: report.iterations }) : undefined,
      nextCheckMs: isRunning ? release?.wakeAtMs : undefined,
      blocker: report.blockers === undefined && report.deleting !== true ? undefined : blockerOf(snapshot, report, clusterFlags),
    }),
  };
}

function blockerOf(snapshot: CanarySnapshot, { namespace, name }: CanaryReport, flags: readonly string[]): LiveRelease['blocker'] {
  const { sentence, command, look } = onThisCluster(whyOf(snapshot), flags).diagnosis;
  const onCluster = (line: string) => [line, ...flags].join(' ');
  // This view is what that command shows.
  const more = look === onCluster(`serin status ${name} -n ${namespace}`) ? undefined : look;
  return { sentence, command: command ?? more ?? onCluster(`serin why ${namespace}/${name}`) };
}

function strategyOf(analysis: Analysis | undefined): string {
  if (analysis === undefined) return 'unknown strategy';
  if ((analysis.match ?? []).length > 0) return 'A/B test';
  return (analysis.iterations ?? 0) > 0 ? 'blue/green' : 'canary';
}

/** The ReplicaSets of one side that have pods, or should have some. */
function setsOf({ replicaSets = [] }: CanarySnapshot, side: KubeObject | undefined, pods: readonly KubeObject[]): KubeObject[] {
  const isOwnedBy = ({ metadata }: KubeObject, owner: KubeObject | undefined) =>
    metadata.ownerReferences?.some(({ uid }) => uid === owner?.metadata.uid) === true;
  const wantsPods = ({ spec }: KubeObject) => (asRecord(spec).replicas ?? 1) !== 0;
  return replicaSets.filter((one) => isOwnedBy(one, side) && (wantsPods(one) || pods.some((pod) => isOwnedBy(pod, one))));
}

const newestFirst = (objects: readonly KubeObject[]): KubeObject[] => {
  const created = ({ metadata }: KubeObject) => metadata.creationTimestamp ?? '';
  return objects.toSorted((a, b) => (created(a) < created(b) ? 1 : -1));
};

/** Grouped by owner; the newest group and the newest pod first. */
function groupsOf(pods: readonly KubeObject[], replicaSets: readonly KubeObject[]): PodGroup[] {
  const groups = new Map<string, Omit<PodGroup, 'owner'> & { pods: PodRow[] }>();
  for (const one of newestFirst(replicaSets)) groups.set(`ReplicaSet/${one.metadata.name}`, { ...replicaSetOf(one), pods: [] });
  for (const object of newestFirst(pods)) {
    const [owner] = object.metadata.ownerReferences ?? [];
    const key = owner === undefined ? 'pods without owner' : `${owner.kind}/${owner.name}`;
    const group = groups.get(key) ?? { image: imageOf(object.spec), pods: [] };
    group.pods.push(podOf(object));
    groups.set(key, group);
  }
  return [...groups].map(([owner, group]) => ({ owner, ...group }));
}

function replicaSetOf(object: KubeObject): Omit<PodGroup, 'owner' | 'pods'> {
  const { spec, status = {} } = asReplicaSet(object);
  const failure = status.conditions?.find(({ type, status: is }) => type === 'ReplicaFailure' && is === 'True')?.message;
  const counts = { ready: status.readyReplicas ?? 0, replicas: spec.replicas ?? 1 };
  return { image: imageOf(asRecord(spec.template).spec), ...counts, ...defined({ failure }) };
}

/** `spec`: of a pod. */
function imageOf(spec: unknown): string {
  const { containers } = asRecord(spec);
  const image: unknown = Array.isArray(containers) ? asRecord(containers[0]).image : undefined;
  return typeof image === 'string' ? image : '-';
}
