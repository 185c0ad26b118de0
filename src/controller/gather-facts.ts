import type { Canary, Provider } from '../api/canary.ts';
import { parseDuration } from '../api/duration.ts';
import type { ObjectRef } from '../api/kube-object.ts';
import { names } from '../api/names.ts';
import type { Facts, Side } from '../engine/facts.ts';
import type { Router } from '../routers/router.ts';
import { workloadFor } from '../workloads/index.ts';
import type { ClusterView, Seen } from './cluster-view.ts';
import { type ControllerConfig, scaleDownDelayMs } from './config.ts';

const DEFAULT_INTERVAL_MS = 60_000;

export function targetRefOf(canary: Canary): ObjectRef {
  const { apiVersion, kind, name } = canary.spec.targetRef;
  return { apiVersion: kind === 'Deployment' ? 'apps/v1' : apiVersion, kind, name, namespace: canary.metadata.namespace };
}

export function primaryRefOf(canary: Canary): ObjectRef {
  return { ...targetRefOf(canary), name: names(canary).primary };
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
  const { analysis } = canary.spec;
  const everyMs = intervalMs(canary, config);
  const target = view.find(targetRefOf(canary));
  const primary = view.find(primaryRefOf(canary));
  const workload = workloadFor(canary.spec.targetRef);
  const live = router.readRoutes(
    canary,
    router.watches(canary).flatMap((ref) => view.find(ref)?.object ?? []),
  );
  const side = (seen: Seen, thresholdPercent: number | undefined): Side => {
    if ('unsupported' in workload)
      return { readiness: { state: 'waiting', ready: 0, wanted: 1, reason: workload.unsupported }, serving: false, replicas: 0 };
    return {
      readiness: workload.readiness(seen.object, thresholdPercent ?? 100),
      serving: workload.isServing(seen.object),
      replicas: workload.replicas(seen.object),
    };
  };
  const carries = primary && !('unsupported' in workload) ? workload.carries(primary.object) : undefined;
  return {
    nowMs,
    canary,
    provider,
    supports: router.supports,
    intervalMs: everyMs,
    scaleDownDelayMs: scaleDownDelayMs(config, everyMs),
    ...(target && {
      target: {
        ...side(target, analysis.canaryReadyThreshold),
        uid: target.object.metadata.uid ?? '',
        generation: target.object.metadata.generation ?? 0,
        revision: stableRevision(canary, target),
      },
    }),
    ...(primary && {
      primary: {
        ...side(primary, analysis.primaryReadyThreshold),
        ...(carries === undefined ? {} : { carries }),
        ...(equalsTarget === undefined ? {} : { equalsTarget }),
      },
    }),
    ...(live !== undefined && { liveRoutes: live }),
    converged,
    ...(obstacle === undefined ? {} : { obstacle }),
    cookieWord,
  };
}

/** The same uid and generation is never a new revision, whatever the hash says: a newer server may show new default fields. */
function stableRevision(canary: Canary, target: Seen): string {
  const release = canary.status?.release;
  const { uid, generation } = target.object.metadata;
  if (release && release.targetUid === uid && release.observedGeneration === generation) return release.revision;
  return target.revision ?? '';
}
