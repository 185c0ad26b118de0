import type { Canary } from '../api/canary.ts';
import type { PodSpec } from '../api/kinds/pod-template.ts';
import type { PodWorkloadSpec } from '../api/kinds/pod-workload-spec.ts';
import { specOf } from '../api/kinds/spec-of.ts';
import type { KubeObject } from '../api/kube-object.ts';
import type { ParentReference } from '../api/service-spec.ts';
import { recordsIn } from '../base/json.ts';
import { configObjectRef } from '../workloads/configs/config-ref.ts';
import { configReferences } from '../workloads/configs/references.ts';
import { findEdge, makeEdge } from './edges.ts';
import { madeListed } from './listed-routes.ts';

const REPLICAS = 2;
const PORT = 8080;

/** Plausible objects in place of the objects that a Canary names and the manifests lack. */
export function suppliedFor(canary: Canary, objects: readonly KubeObject[]): KubeObject[] {
  const { spec, metadata } = canary;
  const { namespace } = metadata;
  const { targetRef, autoscalerRef, service, upstreamRef } = spec;
  const wanted = [isKnative(canary) ? knativeService(canary) : workload(canary)];
  if (autoscalerRef) wanted.push(autoscaler(canary));
  wanted.push(...madeListed(canary));
  const edge = spec.routeRefs?.length || findEdge(canary, objects) ? undefined : makeEdge(canary);
  if (edge) wanted.push(edge);
  const parents = objects.flatMap((object) => (isListed(canary, object) ? parentsOf(object) : []));
  for (const { kind = 'Gateway', name, namespace: at = namespace } of [...(service.gatewayRefs ?? []), ...parents])
    if (kind === 'Gateway' && name !== undefined) wanted.push(gateway(name, at));
  for (const { providerRef } of spec.analysis.alerts ?? []) {
    const at = providerRef.namespace ?? namespace;
    const provider = objects.find((each) => each.kind === 'AlertProvider' && isNamed(each, providerRef.name, at));
    const secret = specOf<{ secretRef: { name?: string } }>(provider).secretRef?.name;
    if (secret !== undefined) wanted.push(alertSecret(secret, at));
  }
  if (upstreamRef) {
    const { kind, name, namespace: at = namespace, apiVersion } = upstreamRef;
    wanted.push({ apiVersion, kind, metadata: { name, namespace: at }, spec: {} });
  }
  const target = objects.find((each) => each.kind === targetRef.kind && isNamed(each, targetRef.name, namespace));
  const podSpec = specOf<PodWorkloadSpec>(target).template?.spec;
  for (const { kind, name } of configReferences(podSpec)) {
    const { apiVersion } = configObjectRef({ kind, name }, namespace);
    wanted.push({ apiVersion, kind, metadata: { name, namespace } });
  }
  const account = serviceAccountOf(podSpec);
  if (account !== undefined) wanted.push({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: account, namespace } });
  const isThere = ({ kind, metadata: { name, namespace: at = '' } }: KubeObject): boolean =>
    objects.some((each) => each.kind === kind && isNamed(each, name, at));
  return wanted.filter((object) => !isThere(object));
}

const isListed = ({ spec, metadata: { namespace } }: Canary, object: KubeObject): boolean =>
  (spec.routeRefs ?? []).some(({ kind, name }) => object.kind === kind && isNamed(object, name, namespace));

const parentsOf = (route: KubeObject): Partial<ParentReference>[] => recordsIn(specOf<{ parentRefs: unknown }>(route).parentRefs);

const isNamed = ({ metadata }: KubeObject, name: string, namespace: string): boolean =>
  metadata.name === name && (metadata.namespace ?? namespace) === namespace;

/** The target is read with this API version; the one of `targetRef` is ignored. */
const APPS = 'apps/v1';

function workload({ spec: { targetRef, service }, metadata: { namespace } }: Canary): KubeObject {
  const { kind, name } = targetRef;
  const labels = { app: name };
  const named = typeof service.targetPort === 'string' && !/^\d+$/.test(service.targetPort);
  const port = {
    name: named ? String(service.targetPort) : 'http',
    containerPort: named ? PORT : Number(service.targetPort ?? service.port ?? PORT),
  };
  const container = { name, image: `${name}:1`, ports: [port] };
  const template = { metadata: { labels }, spec: { containers: [container] } };
  const replicas = kind === 'Deployment' ? { replicas: REPLICAS } : {};
  return {
    apiVersion: APPS,
    kind,
    metadata: { name, namespace, labels },
    spec: { ...replicas, selector: { matchLabels: labels }, template },
  };
}

const isKnative = ({ spec: { targetRef } }: Canary): boolean => targetRef.apiVersion.startsWith('serving.knative.dev/');

function knativeService({ spec: { targetRef }, metadata: { namespace } }: Canary): KubeObject {
  const { apiVersion, kind, name } = targetRef;
  const spec = { template: { spec: { containers: [{ image: `${name}:1`, ports: [{ containerPort: PORT }] }] } } };
  return { apiVersion, kind, metadata: { name, namespace }, spec };
}

function autoscaler({ spec: { targetRef, autoscalerRef }, metadata: { namespace } }: Canary): KubeObject {
  const { kind, name } = targetRef;
  const metadata = { name: autoscalerRef?.name ?? name, namespace };
  const scaleTargetRef = { apiVersion: APPS, kind, name };
  if (autoscalerRef?.kind === 'ScaledObject') {
    const cron = { type: 'cron', metadata: { timezone: 'UTC', start: '0 0 * * *', end: '59 23 * * *', desiredReplicas: String(REPLICAS) } };
    const spec = { scaleTargetRef, minReplicaCount: REPLICAS, maxReplicaCount: 2 * REPLICAS, triggers: [cron] };
    return { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', metadata, spec };
  }
  const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } };
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata,
    spec: { scaleTargetRef, minReplicas: REPLICAS, maxReplicas: 2 * REPLICAS, metrics: [cpu] },
  };
}

function gateway(name: string, namespace: string): KubeObject {
  return {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'Gateway',
    metadata: { name, namespace },
    spec: {
      gatewayClassName: 'rehearsal',
      listeners: [{ name: 'http', port: 80, protocol: 'HTTP', allowedRoutes: { namespaces: { from: 'All' } } }],
    },
  };
}

/** Pods that name a service account are refused while it is not found. */
function serviceAccountOf(podSpec: PodSpec | undefined): string | undefined {
  const name: unknown = podSpec?.serviceAccountName;
  return typeof name === 'string' && name !== '' && name !== 'default' ? name : undefined;
}

function alertSecret(name: string, namespace: string): KubeObject {
  const address = Buffer.from(`https://alerts.rehearsal.invalid/${name}`).toString('base64');
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, type: 'Opaque', data: { address } };
}
