import type { Condition } from '../../api/kinds/condition.ts';
import type { Deployment } from '../../api/kinds/deployment.ts';
import type { KnativeService, KnativeTraffic } from '../../api/kinds/knative-service.ts';
import { statusOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { canonicalJson } from '../../base/json.ts';

const INGRESS_CLASS = 'networking.knative.dev/ingress.class';

/** Ready when a pod of it is available; Knative gives a Revision up when its Deployment does. */
export function revisionConditions(deployment: Deployment | undefined): Condition[] {
  const progressing = (deployment?.status?.conditions ?? []).find(({ type }) => type === 'Progressing');
  const available = deployment?.status?.availableReplicas ?? 0;
  if (available > 0) return [{ type: 'Ready', status: 'True' }];
  if (progressing?.reason === 'ProgressDeadlineExceeded')
    return [{ type: 'Ready', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'its pods did not become ready in time' }];
  return [{ type: 'Ready', status: 'Unknown', reason: 'Deploying' }];
}

/** Its own condition Ready. */
export const readyOf = (object: KubeObject | undefined): Condition =>
  ((object && statusOf<{ conditions: Condition[] }>(object).conditions) ?? []).find(({ type }) => type === 'Ready') ?? {
    type: 'Ready',
    status: 'Unknown',
  };

export const isReady = (object: KubeObject): boolean => readyOf(object).status === 'True';

/** Result of a Route for a traffic block. */
export interface Routing {
  /** Revisions by name; `undefined` keeps the previous traffic of the status, which stays in force. */
  traffic: KnativeTraffic[] | undefined;
  /** Condition of the type RoutesReady. */
  condition: Condition;
}

const ROUTES_READY = 'RoutesReady';
const routesReady = (status: string, reason: string, message: string): Condition => ({ type: ROUTES_READY, status, reason, message });

/** One revision that is missing or not ready holds up the whole block, also without a share. */
export function resolveTraffic(service: KnativeService, revisions: readonly KubeObject[]): Routing {
  const block = blockOf(service);
  const sum = block.reduce((total, { percent = 0 }) => total + percent, 0);
  // The webhook refuses it; without a webhook it is never in force.
  if (sum !== 100) return { traffic: undefined, condition: routesReady('False', 'Invalid', `Traffic targets sum to ${sum}, want 100`) };
  const latestReady = revisions.findLast(isReady)?.metadata.name;
  const traffic: KnativeTraffic[] = [];
  for (const { percent = 0, tag, revisionName } of block) {
    const name = revisionName ?? latestReady;
    const revision = revisions.find(({ metadata }) => metadata.name === name);
    if (name === undefined)
      return waitsFor('Unknown', `Configuration "${service.metadata.name}" is waiting for a Revision to become ready.`);
    if (!revision) return waitsFor('False', `Revision "${name}" referenced in traffic not found.`);
    if (!isReady(revision)) return waitsFor('Unknown', `Revision "${name}" is not yet ready.`);
    const latestRevision = revisionName === undefined;
    const same = traffic.find((each) => each.revisionName === name && each.tag === tag && each.latestRevision === latestRevision);
    if (same) same.percent = (same.percent ?? 0) + percent;
    else traffic.push({ revisionName: name, latestRevision, percent, ...(tag && { tag, url: urlOf(service, `${tag}-`) }) });
  }
  return { traffic, condition: conditionOf(service, block, traffic) };
}

/** The address of a Service, or with the prefix that of a tag. */
export const urlOf = ({ metadata: { name, namespace } }: KnativeService, prefix = ''): string =>
  `http://${prefix}${name}.${namespace}.svc.cluster.local`;

function blockOf({ spec }: KnativeService): readonly KnativeTraffic[] {
  return spec?.traffic?.length ? spec.traffic : [{ latestRevision: true, percent: 100 }];
}

const waitsFor = (status: string, message: string): Routing => ({
  traffic: undefined,
  condition: routesReady(status, 'RevisionMissing', message),
});

/** The status names the traffic before the gateways follow it, and the condition says when they do. */
function conditionOf(service: KnativeService, block: readonly KnativeTraffic[], traffic: readonly KnativeTraffic[]): Condition {
  const { status, metadata } = service;
  const isKnown = status?.observedGeneration === metadata.generation && canonicalJson(status?.traffic) === canonicalJson(traffic);
  // Another one than ours carries it out.
  const isOthers = metadata.annotations?.[INGRESS_CLASS] !== undefined;
  if (!isKnown || isOthers) return routesReady('Unknown', 'IngressNotConfigured', 'Ingress has not yet been reconciled.');
  if (block.length !== traffic.length)
    return routesReady('Unknown', 'TrafficNotMigrated', 'Traffic is not yet migrated to the latest revision.');
  return { type: ROUTES_READY, status: 'True' };
}
