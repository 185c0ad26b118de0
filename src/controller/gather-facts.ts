import type { Canary, Provider } from '../api/canary.ts';
import { parseDuration } from '../api/duration.ts';
import type { ObjectRef } from '../api/kube-object.ts';
import type { Facts } from '../engine/facts.ts';
import type { Router } from '../routers/router.ts';
import { workloadFor } from '../workloads/index.ts';
import type { Sides } from '../workloads/workload.ts';
import type { ClusterView } from './cluster-view.ts';
import { type ControllerConfig, scaleDownDelayMs } from './config.ts';

const DEFAULT_INTERVAL_MS = 60_000;

export function targetRefOf(canary: Canary): ObjectRef {
  const workload = workloadFor(canary.spec.targetRef);
  return 'unsupported' in workload ? { ...canary.spec.targetRef, namespace: canary.metadata.namespace } : workload.targetRef(canary);
}

export function primaryRefOf(canary: Canary): ObjectRef {
  const workload = workloadFor(canary.spec.targetRef);
  return 'unsupported' in workload ? targetRefOf(canary) : workload.primaryRef(canary);
}

/** Milliseconds between two checks: the spec's interval, or 60 s where it cannot be read, raised to the configured floor. */
export function intervalMs(canary: Canary, config: Pick<ControllerConfig, 'minAnalysisIntervalMs'>): number {
  return Math.max(parseDuration(canary.spec.analysis.interval) ?? DEFAULT_INTERVAL_MS, config.minAnalysisIntervalMs);
}

/** The facts of one moment, from the watches alone: no request is made. */
export function gatherFacts(input: {
  canary: Canary;
  provider: Provider;
  router: Router;
  view: ClusterView;
  config: ControllerConfig;
  nowMs: number;
  converged: boolean;
  obstacle?: string | undefined;
  cookieWord: string;
  /** Of an adoption: whether the primary holds what the target is. */
  equalsTarget?: boolean | undefined;
}): Facts {
  const { canary, provider, router, view, config, nowMs, converged, obstacle, cookieWord, equalsTarget } = input;
  const everyMs = intervalMs(canary, config);
  const workload = workloadFor(canary.spec.targetRef);
  const { target, primary }: Sides = 'unsupported' in workload ? {} : workload.sides(canary, view);
  const live = router.readRoutes(
    canary,
    router.watches(canary).flatMap((ref) => view.find(ref)?.object ?? []),
  );
  return {
    nowMs,
    canary,
    provider,
    supports: router.supports,
    intervalMs: everyMs,
    scaleDownDelayMs: scaleDownDelayMs(config, everyMs),
    ...(target && { target: { ...target, generation: target.generation ?? 0, revision: stableRevision(canary, target) } }),
    ...(primary && { primary: { ...primary, ...(equalsTarget === undefined ? {} : { equalsTarget }) } }),
    ...(live !== undefined && { liveRoutes: live }),
    converged,
    ...(obstacle === undefined ? {} : { obstacle }),
    cookieWord,
  };
}

/**
 * The same uid and generation is never a new revision, whatever the hash says: a newer server may show new default fields. A kind without
 * a generation has its hash alone.
 */
function stableRevision(canary: Canary, { uid, generation, revision }: NonNullable<Sides['target']>): string {
  const release = canary.status?.release;
  const isUnmoved = generation !== undefined && release?.targetUid === uid && release.observedGeneration === generation;
  return release && isUnmoved ? release.revision : revision;
}
