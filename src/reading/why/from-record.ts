import { statusOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { parseStatus } from '../../api/parse-status.ts';
import { failingText, type PodFailing } from '../../api/pod-failing.ts';
import type { CanarySnapshot } from '../snapshot.ts';
import { aboutIt, fieldProof, type Trouble, toSet } from './finding.ts';

const OF_SIDES = ['TargetUnreachable', 'PodsNotReady', 'RolloutStalled', 'PrimaryUnavailable'] as const;

/**
 * The controller's record of a side that is not ready, for a reader who sees none of its pods, or no pod with a reason. `fault`: the problem of the side;
 * without it only its state is known.
 */
export function fromRecord(snapshot: CanarySnapshot, role: 'target' | 'primary', side: KubeObject): { fault?: Trouble; state?: Trouble } {
  const { raw, targetPods } = snapshot;
  const { kind, metadata } = side;
  const { blockers = [], failing } = parseStatus(raw.status)?.release ?? {};
  const code = OF_SIDES.find((one) =>
    blockers.some(({ code: is, object }) => is === one && object?.kind === kind && object.name === metadata.name),
  );
  if (code === undefined) return {};
  const about = aboutIt(side);
  const at = `status.release.blockers[${code}]`;
  if (code === 'RolloutStalled')
    return {
      fault: { cause: code, about, proof: [fieldProof(raw, `${at}.object`, `${kind} ${metadata.name}`)], change: { template: '' } },
    };
  const { detail, field = 'spec' } = blockers.find((one) => one.code === code) ?? {};
  if (code === 'TargetUnreachable')
    return {
      fault: { cause: code, about: { ...about, field }, proof: [fieldProof(raw, `${at}.detail`, detail)], change: toSet(side, field) },
    };
  const state: Trouble = {
    cause: code,
    about,
    proof: [available(side), ...(detail === undefined ? [] : [fieldProof(raw, `${at}.detail`, detail)])],
  };
  const last = role === 'target' ? failing?.last : undefined;
  const cause = last && causeOf(last);
  if (last === undefined || cause === undefined) return { state };
  // With a pod its logs go.
  const isThere = targetPods.length === 0 || targetPods.some(({ metadata: { name } }) => name === last.pod);
  const pod = aboutIt({ kind: 'Pod', metadata: { name: last.pod, namespace: metadata.namespace } });
  const proof = [fieldProof(raw, 'status.release.failing.last', failingText(last))];
  return { fault: { cause, proof, change: { template: '' }, ...(isThere && { about: pod }) }, state };
}

/** Its count of pods that serve. */
export function available(side: KubeObject): Trouble['proof'][number] {
  const counter = side.kind === 'DaemonSet' ? 'numberAvailable' : 'availableReplicas';
  return fieldProof(side, `status.${counter}`, statusOf<Record<typeof counter, number>>(side)[counter] ?? 0);
}

function causeOf({ container, reason }: PodFailing) {
  if (reason === 'OOMKilled') return 'OutOfMemory';
  if (container !== undefined) return 'CrashLoop';
  return reason === 'Evicted' ? undefined : 'ProbeFails';
}
