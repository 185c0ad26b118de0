import { apiVersion, type Canary } from '../../api/canary.ts';
import { parseDuration } from '../../api/duration.ts';
import type { ObjectRef } from '../../api/kube-object.ts';
import { requestAnnotation } from '../../api/names.ts';
import type { PodFailing, PodFailings } from '../../api/pod-failing.ts';
import { capabilitiesFor } from '../../api/provider-capabilities.ts';
import { readRequest } from '../../api/verb-request.ts';
import { defined } from '../../base/defined.ts';
import type { Facts } from '../../engine/facts.ts';
import { withFailings, withPrimaryProblem } from '../../engine/failing.ts';
import type { Cluster } from '../../kube/cluster.ts';
import type { Router } from '../../routers/router.ts';
import { hasMainPort, lacksMainPort } from '../../routers/service-fit.ts';
import { workloadFor } from '../../workloads/index.ts';
import type { Sides, Workload } from '../../workloads/workload.ts';
import { type ControllerConfig, scaleDownDelayMs } from '../config.ts';
import type { ClusterView } from '../watch/cluster-view.ts';
import { scalerFacts } from './scaling.ts';
import { type TargetConfigs, targetFacts } from './target-facts.ts';

const DEFAULT_INTERVAL_MS = 60_000;

export function targetRefOf(canary: Canary): ObjectRef {
  const workload = workloadFor(canary.spec.targetRef);
  return 'unsupported' in workload ? { ...canary.spec.targetRef, namespace: canary.metadata.namespace } : workload.targetRef(canary);
}

export function primaryRefOf(canary: Canary): ObjectRef {
  const workload = workloadFor(canary.spec.targetRef);
  return 'unsupported' in workload ? targetRefOf(canary) : workload.primaryRef(canary);
}

/** Both sides as the API server holds them now. */
export async function readSides({ canary, cluster, signal }: { canary: Canary; cluster: Pick<Cluster, 'get'>; signal: AbortSignal }) {
  const refs = [targetRefOf(canary), primaryRefOf(canary)];
  const [target, primary] = await Promise.all(refs.map((ref) => cluster.get(ref, { signal })));
  return { target, primary };
}

/** Milliseconds between two checks: the spec's interval, or 60 s where it cannot be read, raised to the configured floor. */
export function intervalMs(canary: Canary, config: Pick<ControllerConfig, 'minAnalysisIntervalMs'>): number {
  return Math.max(parseDuration(canary.spec.analysis.interval) ?? DEFAULT_INTERVAL_MS, config.minAnalysisIntervalMs);
}

type Perhaps = 'writerBehindMs' | 'unconfirmed' | 'refused' | 'blocker' | 'unroutable' | 'globalAlerts' | 'globalEvents' | 'adoption';

type FactsInput = Pick<Facts, 'canary' | 'provider' | 'nowMs' | 'converged' | 'cookieWord'> & {
  [Name in Perhaps]?: Facts[Name] | undefined;
} & {
  router: Router;
  view: ClusterView;
  config: ControllerConfig;
  /** Failures of the canary's pods, `undefined` if they are not watched. */
  failing?: PodFailings | undefined;
  /** The most telling problem of the primary's pods, if they were read. */
  primaryProblem?: PodFailing | undefined;
  /** The configs of the target, `undefined` if none are tracked. */
  targetConfigs?: TargetConfigs | undefined;
};

/** The facts of one moment, only from the watches: no request is made. */
export function gatherFacts(input: FactsInput): Facts {
  const { canary, provider, router, view, config, nowMs, converged, unconfirmed, refused, blocker, unroutable } = input;
  const { globalAlerts, globalEvents, cookieWord, adoption, targetConfigs, failing, writerBehindMs } = input;
  const everyMs = intervalMs(canary, config);
  const workload = workloadFor(canary.spec.targetRef);
  const { target, primary }: Sides = 'unsupported' in workload ? {} : reachable(canary, workload, view, config);
  const live = router.readRoutes(
    canary,
    router.watches(canary).flatMap((ref) => view.find(ref)?.object ?? []),
  );
  const scaler = scalerFacts(canary, view);
  return defined({
    ...{ nowMs, canary, provider },
    supports: capabilitiesFor(canary, provider, router.supports),
    intervalMs: everyMs,
    scaleDownDelayMs: scaleDownDelayMs(config, everyMs),
    target: target && withFailings(targetFacts(canary, target, targetConfigs, primary?.serving === true, primary?.carries), failing),
    primary: primary && withPrimaryProblem(primary, input.primaryProblem),
    ...{ adoption, scaler, liveRoutes: live, converged, unconfirmed, refused },
    // Neither ends without an edit in the cluster.
    blocker: blocker ?? (targetConfigs && 'problem' in targetConfigs ? targetConfigs.problem : undefined),
    ...{ unroutable, writerBehindMs, globalAlerts: globalAlerts || undefined, globalEvents: globalEvents || undefined },
    request: requested(canary, view),
    cookieWord,
  });
}

/**
 * Both sides, as the Services reach them: a target that has lost the label or the port by which its primary serves serves no request, however ready its pods
 * are (E95). Neither side can declare a port that is injected into the pods.
 */
function reachable(canary: Canary, workload: Workload, view: ClusterView, { selectorLabels }: ControllerConfig): Sides {
  const sides = workload.sides(canary, view);
  const { target } = sides;
  const pods = workload.hasPods ? view.find(workload.targetRef(canary)) : undefined;
  const serving = view.find(workload.primaryRef(canary));
  if (!target || !pods || !serving) return sides;
  const selectors = workload.selectors({ target: pods.object, primary: serving.object }, selectorLabels);
  const unfit = hasMainPort(canary, serving.object) ? lacksMainPort(canary, pods.object) : undefined;
  const said = unfit && { problem: `${unfit.path}: ${unfit.message}`, field: unfit.path };
  const found = 'problem' in selectors ? selectors : said;
  if (found === undefined) return sides;
  const { problem: reason, field } = found;
  return { ...sides, target: { ...target, serving: false, readiness: { ...target.readiness, state: 'waiting', reason, field } } };
}

/** Read from the watch: a request is not part of the spec, whichever spec the release follows. */
function requested({ metadata: { namespace, name } }: Canary, view: ClusterView): Facts['request'] {
  const text = view.find({ apiVersion, kind: 'Canary', namespace, name })?.object.metadata.annotations?.[requestAnnotation];
  return text === undefined ? undefined : readRequest(text);
}
