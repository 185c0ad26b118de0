import type { Canary, Provider } from '../../api/canary.ts';
import type { CanaryCondition } from '../../api/canary-status.ts';
import { findingsOnce } from '../../api/findings.ts';
import { foreignRefs } from '../../api/foreign-refs.ts';
import { foreignRoutes } from '../../api/foreign-routes.ts';
import { isKstatusType, kstatusOfRefusal, writesKstatus } from '../../api/kstatus.ts';
import { type KubeObject, type ObjectRef, refOf } from '../../api/kube-object.ts';
import { providerOf } from '../../api/mesh-provider.ts';
import { parseCanaryOnce } from '../../api/parse-canary.ts';
import { parseStatus } from '../../api/parse-status.ts';
import { defined } from '../../base/defined.ts';
import { timestamp } from '../../base/timestamp.ts';
import type { RefusalCode } from '../../engine/facts.ts';
import { dated, refusedBlocker } from '../../engine/waits-of.ts';
import { isConflict } from '../../kube/errors.ts';
import { routerFor } from '../../routers/index.ts';
import type { Router } from '../../routers/router.ts';
import { workloadFor } from '../../workloads/index.ts';
import type { Workload } from '../../workloads/workload.ts';
import type { ControllerDeps } from '../controller-deps.ts';

export interface Admitted {
  canary: Canary;
  provider: Provider;
  router: Router;
  workload: Workload;
}

/** Reason why a Canary cannot be run, with the field to correct. */
export interface CanaryRejection {
  reason: RefusalCode;
  message: string;
  /** The field to correct, where one decides it. */
  field?: string;
  /** The object that has the field, `undefined` for the Canary. */
  object?: ObjectRef;
  /** Time until the next look, because the end of the refusal does not always cause a watch event. */
  retryInMs?: number;
  /** The spec before it, where that is known from the cluster. */
  before?: Readonly<Record<string, unknown>>;
}

/** Admits a Canary that can be run with its spec (I12), or rejects it. The first reason is the one to correct first. */
export function admit(raw: KubeObject, deps: Pick<ControllerDeps, 'config' | 'olderRival'>): Admitted | CanaryRejection {
  const readable = admitSpec(raw, deps);
  if ('reason' in readable) return readable;
  const { canary } = readable;
  if (canary.spec.suspend === true && canary.status?.release === undefined) {
    return {
      reason: 'Suspended',
      message: 'spec.suspend is true, and nothing is written. Set spec.suspend to false to start',
      field: 'spec.suspend',
    };
  }
  const rival = deps.olderRival(canary);
  if (rival === undefined) return readable;
  const message = `spec.targetRef: Canary ${rival} releases the same target and is older: remove this Canary, or let it release another target`;
  return { reason: 'TargetTaken', message, field: 'spec.targetRef' };
}

/** The same only by its spec, without a look at the cluster. */
export function admitSpec(raw: KubeObject, { config }: Pick<ControllerDeps, 'config'>): Admitted | CanaryRejection {
  const parsed = parseCanaryOnce(raw);
  if ('problems' in parsed) {
    const [first] = parsed.problems;
    return first
      ? { reason: 'InvalidSpec', message: `${first.path}: ${first.message}`, field: first.path }
      : { reason: 'InvalidSpec', message: 'the spec cannot be read', field: 'spec' };
  }
  const { canary } = parsed;
  const named = canary.spec.provider ?? config.meshProvider;
  const router = routerFor(named, config);
  if ('unsupported' in router)
    return { reason: 'UnsupportedByProvider', message: `spec.provider: ${router.unsupported}`, field: 'spec.provider' };
  const refused = router.refuses?.(canary);
  if (refused !== undefined) {
    const { field, message } = refused.placed;
    return { reason: 'UnsupportedByProvider', message: `${field}: ${message}`, field: refused.field ?? field };
  }
  const workload = workloadFor(canary.spec.targetRef);
  if ('unsupported' in workload) return { reason: 'InvalidSpec', message: workload.unsupported, field: 'spec.targetRef' };
  const hopeless = findingsOnce(canary, config.meshProvider).filter(({ severity }) => severity === 'error');
  if (hopeless[0]) {
    const more = hopeless.length > 1 ? ` (and ${hopeless.length - 1} more: run "serin validate")` : '';
    return { reason: 'InvalidSpec', message: `${hopeless[0].path} ${hopeless[0].message}${more}`, field: hopeless[0].path };
  }
  const [foreign] = config.noCrossNamespaceRefs ? foreignRefs(canary) : [];
  if (foreign) {
    const { path, namespace } = foreign;
    return {
      reason: 'CrossNamespaceRef',
      message: `${path}: ${namespace} is another namespace, which --no-cross-namespace-refs forbids`,
      field: path,
    };
  }
  const [route] = foreignRoutes(canary, providerOf(named), config);
  if (route) return { reason: 'CrossNamespaceRef', message: `${route.path}: ${route.message}`, field: route.path };
  return { canary, provider: providerOf(named), router, workload };
}

/** A Canary whose name is not free yet, since another one of it is being deleted. */
interface NameLeft {
  reason: 'Blocked';
  message: string;
  field?: undefined;
  object?: undefined;
}

/** Writes at once that a new Canary is not ready, if it has the conditions of kstatus: its first status otherwise comes after the look at its application. After a conflict the watch brings the other version. */
export async function noteArrival(
  raw: KubeObject,
  { cluster, view, config, clock }: ControllerDeps,
  signal: AbortSignal,
): Promise<'unneeded' | 'written' | 'conflict'> {
  if (raw.status !== undefined || !writesKstatus(raw, config)) return 'unneeded';
  const now = timestamp(clock.nowMs());
  const said = kstatusOfRefusal({
    reason: 'Initializing',
    message: 'The Canary is new: its application is read before anything is changed.',
  });
  const conditions = said.map((one) => ({ ...one, lastUpdateTime: now, lastTransitionTime: now }));
  const status = { ...statusBasics({}), conditions, observedGeneration: raw.metadata.generation };
  const patch = { metadata: { resourceVersion: raw.metadata.resourceVersion }, status };
  try {
    view.learn(await cluster.patch(refOf(raw), patch, { subresource: 'status', signal }));
  } catch (error) {
    if (!isConflict(error)) throw error;
    return 'conflict';
  }
  return 'written';
}

/** Reports a Canary that cannot be run in its condition and an event, once. Its application keeps serving. */
export async function refuse(
  raw: KubeObject,
  { reason, message, field, object }: CanaryRejection | NameLeft,
  deps: ControllerDeps,
  signal: AbortSignal,
): Promise<void> {
  const { clock, cluster, view } = deps;
  const status = (raw.status ?? {}) as { conditions?: CanaryCondition[]; observedGeneration?: number };
  // Another controller does not keep them up to date.
  const kstatus = writesKstatus(raw, deps.config) && reason !== 'ForeignController' ? kstatusOfRefusal({ reason, message }) : [];
  const observedGeneration = kstatus.length > 0 ? raw.metadata.generation : undefined;
  const condition = { type: 'Accepted', status: 'False', reason, message, ...defined({ field, object }) } as const;
  const known = (status.conditions ?? []).find(({ type }) => type === 'Accepted');
  const isSaid = known?.reason === reason && known.message === message;
  if (isSaid && status.observedGeneration === observedGeneration) return;
  const now = timestamp(clock.nowMs());
  const before = (status.conditions ?? []).find(({ type }) => type === 'Promoted');
  // Another controller's status stays, and a failure stays a failure.
  const isKept = before !== undefined && (reason === 'ForeignController' || before.status === 'False');
  const promoted: CanaryCondition = {
    type: 'Promoted',
    status: 'Unknown',
    reason: before?.reason ?? 'Initializing',
    message,
    lastUpdateTime: now,
    lastTransitionTime: before?.status === 'Unknown' ? (before.lastTransitionTime ?? now) : now,
  };
  const others = (status.conditions ?? []).filter(({ type }) => type !== 'Accepted' && type !== 'Promoted' && !isKstatusType(type));
  const news = [condition, ...kstatus].map((one) => ({ ...one, lastUpdateTime: now, lastTransitionTime: now }));
  const conditions = [isKept ? before : promoted, ...others, ...news];
  try {
    const patch = {
      metadata: { resourceVersion: raw.metadata.resourceVersion },
      status: {
        ...statusBasics(status),
        conditions,
        reason,
        ...(observedGeneration === status.observedGeneration ? {} : { observedGeneration: observedGeneration ?? null }),
        ...(reason === 'Blocked' ? {} : blockedBy(raw, { reason, message, ...defined({ field, object }) }, deps)),
      },
    };
    view.learn(await cluster.patch(refOf(raw), patch, { subresource: 'status', signal }));
  } catch (error) {
    // The watch brings the version of the other writer. A rival for the status itself is reported once, for any number of its writes.
    if (!isConflict(error)) throw error;
    if (reason !== 'ForeignController') return;
  }
  if (!isSaid) deps.announceOn(raw, { reason, type: 'Warning', message });
}

/** The blocker, stored only beside the memory of a release. A status of another controller has none, nor a status whose memory the CRD drops. */
function blockedBy({ status }: KubeObject, refusal: CanaryRejection, { clock, writer }: Pick<ControllerDeps, 'clock' | 'writer'>): object {
  const { release } = parseStatus(status) ?? {};
  if (release === undefined || refusal.reason === 'ForeignController' || refusal.reason === 'CRDOutdated') return {};
  return { release: { blockers: dated([refusedBlocker(refusal)], release.blockers, clock.nowMs()), dueMs: null, writer } };
}

/** The CRD requires these in any status. */
function statusBasics(status: object): object {
  return { phase: 'Initializing', failedChecks: 0, canaryWeight: 0, iterations: 0, ...status };
}
