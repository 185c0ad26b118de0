import type { Canary } from '../api/canary.ts';
import { parseDuration } from '../api/duration.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { isRecord } from '../base/json.ts';

/** Limits of one rehearsal: manifests can come from a pull request of a stranger, and a CI job has to end. */
export const MOST_REHEARSED_CHECKS = 2_000;
export const LONGEST_MS = 72 * 3_600_000;
/** Pods of one side. Shares of traffic do not depend on their number; 30 take four seconds more than 2, and 100 twelve. */
export const MOST_REHEARSED_PODS = 30;
/** Rehearsals of a run: Canaries times scenarios. */
export const MOST_REHEARSALS = 1_000;

const MINUTE_MS = 60_000;

/** Checks that a release takes at the least, by the fields that say so. */
export function leastChecks({ stepWeights, stepWeight, maxWeight, stepWeightPromotion, iterations }: Canary['spec']['analysis']) {
  return {
    stepWeights: stepWeights?.length ?? 0,
    stepWeight: stepWeights ? 0 : Math.ceil((maxWeight ?? 100) / (stepWeight || 100)),
    stepWeightPromotion: stepWeightPromotion ? Math.ceil(100 / stepWeightPromotion) : 0,
    iterations: iterations ?? 0,
  };
}

/** The field by which a release is longer than a rehearsal can be, and the remedy. */
export function tooLong({ spec: { analysis } }: Canary): { field: string; message: string } | undefined {
  const checks = Object.entries(leastChecks(analysis)).toSorted(([, a], [, b]) => b - a);
  const [[longest, most] = ['iterations', 0]] = checks;
  const count = checks.reduce((sum, [, each]) => sum + each, 0);
  const intervalMs = parseDuration(analysis.interval) ?? MINUTE_MS;
  const remedy = 'rehearse a copy with less of it';
  if (count > MOST_REHEARSED_CHECKS)
    return {
      field: `spec.analysis.${longest}`,
      message: `makes ${most} checks of a release, and a rehearsal plays ${MOST_REHEARSED_CHECKS} at the most: ${remedy}`,
    };
  if (count * intervalMs <= LONGEST_MS) return undefined;
  return {
    field: 'spec.analysis.interval',
    message: `is ${analysis.interval}, so that a release takes longer than the ${LONGEST_MS / 3_600_000} h that a rehearsal plays: ${remedy}`,
  };
}

/** An object with fewer pods, and the field that says how many it has. */
export interface FewerPods {
  object: KubeObject;
  field: string;
  pods: number;
}

/** Numbers of pods in specs of workloads, scalers and Canaries. */
const COUNTS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  Deployment: [['replicas']],
  HorizontalPodAutoscaler: [['minReplicas'], ['maxReplicas']],
  ScaledObject: [['minReplicaCount'], ['maxReplicaCount'], ['idleReplicaCount']],
  Canary: [
    ['autoscalerRef', 'primaryScalerReplicas', 'minReplicas'],
    ['autoscalerRef', 'primaryScalerReplicas', 'maxReplicas'],
  ],
};

/** An object with more pods than can be modelled, reduced to the maximum; undefined if it has fewer. */
export function withFewerPods(object: KubeObject): FewerPods | undefined {
  let spec: unknown = object.spec;
  let found: Pick<FewerPods, 'field' | 'pods'> | undefined;
  for (const path of COUNTS[object.kind] ?? []) {
    const pods = path.reduce<unknown>((value, step) => (isRecord(value) ? value[step] : undefined), spec);
    if (typeof pods !== 'number' || !(pods > MOST_REHEARSED_PODS)) continue;
    spec = withCount(spec, path);
    found ??= { field: ['spec', ...path].join('.'), pods };
  }
  return found && { object: { ...object, spec } as KubeObject, ...found };
}

const withCount = (value: unknown, [step, ...rest]: readonly string[]): unknown =>
  step !== undefined && isRecord(value) ? { ...value, [step]: withCount(value[step], rest) } : MOST_REHEARSED_PODS;

/** A ResourceQuota of pods in the proportion in which a target has fewer. */
export function withLessQuota(object: KubeObject, share: number): KubeObject {
  const hard = object.kind === 'ResourceQuota' && isRecord(object.spec) ? object.spec.hard : undefined;
  if (!isRecord(hard)) return object;
  const less = (key: string, limit: unknown): unknown => (['pods', 'count/pods'].includes(key) ? Math.floor(Number(limit) * share) : limit);
  return {
    ...object,
    spec: { hard: Object.fromEntries(Object.entries(hard).map(([key, limit]) => [key, less(key, limit)])) },
  } as KubeObject;
}
