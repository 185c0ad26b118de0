import { isRecord, type Json, type JsonObject, type RawObject } from './json.ts';
import { isExternallyAccessible } from './service-traffic.ts';

/** Fills fields that are absent, in place. Source: the defaulting functions of Kubernetes' API groups (`v1/defaults.go`). */
function fill(record: JsonObject, defaults: JsonObject): void {
  for (const [key, value] of Object.entries(defaults)) if (record[key] === undefined) record[key] = value;
}

/** The same in a field that is a record, made where it is absent. */
function fillIn(record: JsonObject, field: string, defaults: JsonObject): void {
  record[field] ??= {};
  fill(record[field], defaults);
}

const list = (value: Json): Json[] => (Array.isArray(value) ? value : []);

/** The server's own defaults for built-in kinds. */
export function applyBuiltinDefaults(object: RawObject): void {
  defaultsByKind[`${object.apiVersion}/${object.kind}`]?.(object);
}

const defaultsByKind: Record<string, (object: RawObject) => void> = {
  'v1/Namespace': (object) => {
    fillIn(object, 'spec', { finalizers: ['kubernetes'] });
    object.metadata.labels = { ...object.metadata.labels, 'kubernetes.io/metadata.name': object.metadata.name };
    fillIn(object, 'status', { phase: 'Active' });
  },
  'v1/Pod': (object) => {
    podSpec(object.spec ?? {});
    for (const item of [...list(object.spec?.containers), ...list(object.spec?.initContainers)]) requestsFromLimits(item);
    fill(object.spec, { enableServiceLinks: true, preemptionPolicy: 'PreemptLowerPriority', priority: 0, serviceAccountName: 'default' });
    fill(object.spec, { serviceAccount: object.spec.serviceAccountName });
    fillIn(object, 'status', { phase: 'Pending', qosClass: qosClass(object.spec) });
  },
  'v1/Service': (object) => service(object.spec ?? {}),
  'v1/Secret': (object) => {
    fill(object, { type: 'Opaque' });
    if (!isRecord(object.stringData)) return;
    const encoded = Object.entries(object.stringData).map(([key, value]) => [key, Buffer.from(String(value)).toString('base64')]);
    object.data = { ...object.data, ...Object.fromEntries(encoded) };
    delete object.stringData;
  },
  'v1/Event': (object) => fill(object, { source: {}, involvedObject: {} }),
  'apps/v1/Deployment': (object) => {
    const { spec } = object;
    fill(spec, { replicas: 1, strategy: {}, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
    fill(spec.strategy, { type: 'RollingUpdate' });
    if (spec.strategy.type === 'RollingUpdate') fillIn(spec.strategy, 'rollingUpdate', { maxUnavailable: '25%', maxSurge: '25%' });
    template(spec.template);
  },
  'apps/v1/ReplicaSet': (object) => {
    fill(object.spec, { replicas: 1 });
    template(object.spec.template);
  },
  'apps/v1/StatefulSet': (object) => {
    fill(object.spec, { replicas: 1, podManagementPolicy: 'OrderedReady', updateStrategy: {}, revisionHistoryLimit: 10 });
    fill(object.spec, { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' }, serviceName: '' });
    fill(object.spec.updateStrategy, { type: 'RollingUpdate' });
    if (object.spec.updateStrategy.type === 'RollingUpdate') fill(object.spec.updateStrategy, { rollingUpdate: { partition: 0 } });
    template(object.spec.template);
  },
  'apps/v1/DaemonSet': (object) => {
    const { spec } = object;
    fill(spec, { updateStrategy: {}, revisionHistoryLimit: 10 });
    fill(spec.updateStrategy, { type: 'RollingUpdate' });
    if (spec.updateStrategy.type === 'RollingUpdate') fillIn(spec.updateStrategy, 'rollingUpdate', { maxUnavailable: 1, maxSurge: 0 });
    template(spec.template);
  },
  'autoscaling/v2/HorizontalPodAutoscaler': (object) => {
    fill(object.spec, { minReplicas: 1 });
    fill(object.spec, {
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }],
    });
    fillIn(object, 'status', { currentMetrics: null, desiredReplicas: 0 });
  },
  'policy/v1/PodDisruptionBudget': (object) => {
    fill(object, { spec: {} });
    fillIn(object, 'status', { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 });
  },
  'networking.k8s.io/v1/NetworkPolicy': (object) => {
    object.spec ??= {};
    const { ingress, egress, policyTypes } = object.spec;
    fill(object.spec, { podSelector: {} });
    if (list(policyTypes).length === 0) object.spec.policyTypes = ['Ingress', ...(list(egress).length > 0 ? ['Egress'] : [])];
    const rules = [...list(ingress), ...list(egress)];
    for (const { ports } of rules) for (const port of list(ports)) fill(port, { protocol: 'TCP' });
    // Stored as protobuf, which has no empty lists.
    for (const part of [object.spec, ...rules])
      for (const [field, value] of Object.entries(part)) if (Array.isArray(value) && value.length === 0) delete part[field];
  },
  'networking.k8s.io/v1/Ingress': (object) => fillIn(object, 'status', { loadBalancer: {} }),
  'discovery.k8s.io/v1/EndpointSlice': (object) => {
    for (const port of list(object.ports)) fill(port, { name: '', protocol: 'TCP' });
    // Stored as protobuf, which has no empty lists: both are null when they are read back.
    for (const field of ['endpoints', 'ports']) if (list(object[field]).length === 0) object[field] = null;
  },
  'apiextensions.k8s.io/v1/CustomResourceDefinition': (object) => {
    const names = object.spec?.names;
    if (isRecord(names)) fill(names, { singular: String(names.kind).toLowerCase(), listKind: `${names.kind}List` });
    if (isRecord(object.spec)) fill(object.spec, { conversion: { strategy: 'None' } });
  },
};

function template(value: Json): void {
  if (!isRecord(value)) return;
  // metadata is a struct, not a pointer: it always exists when it is read back.
  value.metadata ??= {};
  if (isRecord(value.spec)) podSpec(value.spec);
}

function podSpec(spec: JsonObject): void {
  fill(spec, {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
  });
  if (spec.serviceAccountName !== undefined) fill(spec, { serviceAccount: spec.serviceAccountName });
  for (const item of [...list(spec.containers), ...list(spec.initContainers)]) if (isRecord(item)) container(item);
  for (const item of list(spec.volumes)) if (isRecord(item)) volume(item);
}

function container(item: JsonObject): void {
  const image = String(item.image ?? '');
  const tag = /:([^/:@]+)(@|$)/.exec(image)?.[1];
  const pullPolicy = image.includes('@') || (tag !== undefined && tag !== 'latest') ? 'IfNotPresent' : 'Always';
  fill(item, {
    resources: {},
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: pullPolicy,
  });
  for (const port of list(item.ports)) fill(port, { protocol: 'TCP' });
  for (const entry of list(item.env)) if (isRecord(entry.valueFrom?.fieldRef)) fill(entry.valueFrom.fieldRef, { apiVersion: 'v1' });
  for (const probe of [item.livenessProbe, item.readinessProbe, item.startupProbe]) if (isRecord(probe)) fillProbe(probe);
  for (const hook of [item.lifecycle?.postStart, item.lifecycle?.preStop])
    if (isRecord(hook?.httpGet)) fill(hook.httpGet, { path: '/', scheme: 'HTTP' });
}

/** Only for pods: a template is kept as written. */
function requestsFromLimits(item: JsonObject): void {
  const { limits, requests } = item.resources;
  if (isRecord(limits)) item.resources.requests = { ...limits, ...requests };
}

function fillProbe(probe: JsonObject): void {
  fill(probe, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 });
  if (isRecord(probe.httpGet)) fill(probe.httpGet, { path: '/', scheme: 'HTTP' });
  if (isRecord(probe.grpc)) fill(probe.grpc, { service: '' });
}

function volume(item: JsonObject): void {
  for (const source of ['configMap', 'secret', 'downwardAPI', 'projected'])
    if (isRecord(item[source])) fill(item[source], { defaultMode: 420 });
  if (isRecord(item.hostPath)) fill(item.hostPath, { type: '' });
}

/** Three hours, where a Service that keeps its clients says no time. */
function keepFor(spec: JsonObject): void {
  const { clientIP } = isRecord(spec.sessionAffinityConfig) ? spec.sessionAffinityConfig : {};
  spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: 10_800, ...(isRecord(clientIP) ? clientIP : {}) } };
}

function service(spec: JsonObject): void {
  // Treated as absent, unlike the policies, whose empty value is refused.
  if (spec.sessionAffinity === '') delete spec.sessionAffinity;
  fill(spec, { type: 'ClusterIP', sessionAffinity: 'None' });
  if (spec.sessionAffinity === 'ClientIP') keepFor(spec);
  else if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.type !== 'ExternalName') {
    fill(spec, { internalTrafficPolicy: 'Cluster' });
    // Without a selector the families of its endpoints are not known.
    const isOpen = spec.clusterIP === 'None' && Object.keys(spec.selector ?? {}).length === 0;
    if (isOpen) fill(spec, { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' });
    else fill(spec, { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });
  }
  if (isExternallyAccessible(spec)) fill(spec, { externalTrafficPolicy: 'Cluster' });
  if (spec.type === 'LoadBalancer') fill(spec, { allocateLoadBalancerNodePorts: true });
  for (const port of list(spec.ports)) {
    if (!isRecord(port)) continue;
    fill(port, { protocol: 'TCP' });
    if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === '') port.targetPort = port.port;
  }
}

function qosClass(spec: JsonObject): string {
  const containers = list(spec.containers);
  const parts = containers.flatMap((item) =>
    ['cpu', 'memory'].map((name) => [item.resources?.requests?.[name], item.resources?.limits?.[name]]),
  );
  if (parts.every(([request, limit]) => request === undefined && limit === undefined)) return 'BestEffort';
  return parts.every(([request, limit]) => limit !== undefined && request === limit) ? 'Guaranteed' : 'Burstable';
}
