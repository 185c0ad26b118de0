import type { Canary, Provider } from '../api/canary.ts';
import type { Condition } from '../api/canary-status.ts';
import { findings } from '../api/findings.ts';
import { foreignRefs } from '../api/foreign-refs.ts';
import { foreignRoutes } from '../api/foreign-routes.ts';
import { type KubeObject, refOf } from '../api/kube-object.ts';
import { providerOf } from '../api/mesh-provider.ts';
import { parseCanary } from '../api/parse-canary.ts';
import type { Reason } from '../engine/reasons.ts';
import { isConflict } from '../kube/errors.ts';
import { routerFor } from '../routers/index.ts';
import type { Router } from '../routers/router.ts';
import { placedRefusal } from '../routers/routing-error.ts';
import { workloadFor } from '../workloads/index.ts';
import type { Workload } from '../workloads/workload.ts';
import type { ControllerRoom } from './controller-room.ts';

export interface Admitted {
  canary: Canary;
  provider: Provider;
  router: Router;
  workload: Workload;
}

/** Why a Canary cannot be run, in words that name the field. */
export interface Refusal {
  reason: Reason;
  message: string;
  /** The spec before it, where that is known from the cluster. */
  before?: Readonly<Record<string, unknown>>;
}

/** Whether this Canary can be run, as it was written (I12). What comes first is what a person has to mend first. */
export function admit(raw: KubeObject, room: Pick<ControllerRoom, 'config' | 'olderRival'>): Admitted | Refusal {
  const readable = admitSpec(raw, room);
  if ('reason' in readable) return readable;
  const { canary } = readable;
  if (canary.spec.suspend === true && canary.status?.release === undefined) {
    return { reason: 'Suspended', message: 'spec.suspend is true: nothing is written until someone sets it to false' };
  }
  const rival = room.olderRival(canary);
  if (rival === undefined) return readable;
  const message = `spec.targetRef: Canary ${rival} releases the same target and is older: remove this Canary, or let it release another target`;
  return { reason: 'TargetTaken', message };
}

/** The same by its spec alone, whatever else there is in the cluster. */
export function admitSpec(raw: KubeObject, { config }: Pick<ControllerRoom, 'config'>): Admitted | Refusal {
  const parsed = parseCanary(raw);
  if ('problems' in parsed) {
    const [first] = parsed.problems;
    return { reason: 'InvalidSpec', message: first ? `${first.path}: ${first.message}` : 'the spec cannot be read' };
  }
  const { canary } = parsed;
  const named = canary.spec.provider ?? config.meshProvider;
  const router = routerFor(named, config);
  const refused = 'unsupported' in router ? router.unsupported : router.refuses?.(canary);
  if ('unsupported' in router || refused !== undefined) {
    const { field, message } = placedRefusal(refused ?? named);
    return { reason: 'ProviderRefused', message: `${field}: ${message}` };
  }
  const workload = workloadFor(canary.spec.targetRef);
  if ('unsupported' in workload) return { reason: 'InvalidSpec', message: workload.unsupported };
  const hopeless = findings(canary, { provider: config.meshProvider }).filter(({ severity }) => severity === 'error');
  if (hopeless[0]) {
    const more = hopeless.length > 1 ? ` (and ${hopeless.length - 1} more: run "serin validate")` : '';
    return { reason: 'InvalidSpec', message: `${hopeless[0].path} ${hopeless[0].message}${more}` };
  }
  const [foreign] = config.noCrossNamespaceRefs ? foreignRefs(canary) : [];
  if (foreign) {
    const { path, namespace } = foreign;
    return { reason: 'CrossNamespaceRef', message: `${path}: ${namespace} is another namespace, which --no-cross-namespace-refs forbids` };
  }
  const [route] = foreignRoutes(canary, providerOf(named), config);
  if (route) return { reason: 'CrossNamespaceRef', message: `${route.path}: ${route.message}` };
  return { canary, provider: providerOf(named), router, workload };
}

/** A Canary that cannot be run: said in its condition and an event, once; what serves goes on serving. */
export async function refuse(raw: KubeObject, { reason, message }: Refusal, room: ControllerRoom, signal: AbortSignal): Promise<void> {
  const { clock, cluster, view } = room;
  const status = (raw.status ?? {}) as { conditions?: Condition[] };
  const condition = { type: 'Accepted', status: 'False', reason, message } as const;
  const known = (status.conditions ?? []).find(({ type }) => type === 'Accepted');
  if (known?.reason === reason && known.message === message) return;
  const now = new Date(clock.nowMs()).toISOString().replace(/\.\d+Z$/, 'Z');
  const before = (status.conditions ?? []).find(({ type }) => type === 'Promoted');
  // Another controller's status stays, and a failure stays a failure.
  const isKept = before !== undefined && (reason === 'ForeignController' || before.status === 'False');
  const promoted: Condition = {
    type: 'Promoted',
    status: 'Unknown',
    reason: before?.reason ?? 'Initializing',
    message,
    lastUpdateTime: now,
    lastTransitionTime: before?.status === 'Unknown' ? (before.lastTransitionTime ?? now) : now,
  };
  const others = (status.conditions ?? []).filter(({ type }) => type !== 'Accepted' && type !== 'Promoted');
  const conditions = [isKept ? before : promoted, ...others, { ...condition, lastUpdateTime: now, lastTransitionTime: now }];
  try {
    const patch = { metadata: { resourceVersion: raw.metadata.resourceVersion }, status: { ...statusBasics(status), conditions } };
    view.learn(await cluster.patch(refOf(raw), patch, { subresource: 'status', signal }));
  } catch (error) {
    // Whoever wrote first is heard of by the watch; of a rival for the status itself it is told once, whatever he writes.
    if (!isConflict(error)) throw error;
    if (reason !== 'ForeignController') return;
  }
  room.announceOn(raw, { reason, type: 'Warning', message });
}

/** The CRD requires these in any status. */
function statusBasics(status: object): object {
  return { phase: 'Initializing', failedChecks: 0, canaryWeight: 0, iterations: 0, ...status };
}
