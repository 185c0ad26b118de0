import { isRecord, type Json, type RawObject, valueAtPath } from './json.ts';
import { kubectlSelectorText } from './selectors.ts';

export type CellValue = string | number | boolean | null;
export interface TableColumn {
  name: string;
  type: string;
  format?: string;
  priority?: number;
  description?: string;
  cell(object: RawObject, now: number): CellValue;
}

const column = (name: string, cell: TableColumn['cell'], priority = 0, type = 'string'): TableColumn => ({ name, type, cell, priority });
export const nameColumn: TableColumn = { ...column('Name', (object) => object.metadata.name), format: 'name' };
const created = column('Created At', (object) => object.metadata.creationTimestamp ?? '<none>');
export const age = column('Age', (object, now) => ageOf(object.metadata.creationTimestamp, now));
const at =
  (path: string, otherwise: CellValue = '<none>'): TableColumn['cell'] =>
  (object) =>
    (valueAtPath(object, path) as CellValue | undefined) ?? otherwise;
/** Zero where the object does not say. */
const count = (name: string, path: string): TableColumn => column(name, at(path, 0), 0, 'integer');
const joined = (values: unknown, otherwise = '<none>'): string =>
  Array.isArray(values) && values.length > 0 ? values.join(',') : otherwise;
const list = (value: Json): Json[] => (Array.isArray(value) ? value : []);

/** `45s`, `3m20s`, `5h`, `2d3h`: as kubectl writes a duration. */
function shortDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${seconds % 60}s`;
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return minutes % 60 === 0 ? `${hours}h` : `${hours}h${minutes % 60}m`;
  if (hours < 48) return `${hours}h`;
  if (hours < 192) return hours % 24 === 0 ? `${Math.floor(hours / 24)}d` : `${Math.floor(hours / 24)}d${hours % 24}h`;
  return hours < 24 * 365 * 2 ? `${Math.floor(hours / 24)}d` : `${Math.floor(hours / 24 / 365)}y`;
}

/** `time`: RFC 3339; `now`: epoch milliseconds. */
export const ageOf = (time: unknown, now: number): string =>
  typeof time === 'string' && time !== '' ? shortDuration(now - Date.parse(time)) : '<unknown>';

/** Three, and how many more. */
const few = (values: readonly unknown[]): string =>
  values.length === 0 ? '<unset>' : `${values.slice(0, 3).join(',')}${values.length > 3 ? ` + ${values.length - 3} more...` : ''}`;

const nodeAddress =
  (type: string): TableColumn['cell'] =>
  (node) =>
    list(node.status?.addresses).find((address) => address.type === type)?.address ?? '<none>';

const ROLE = 'node-role.kubernetes.io/';
function rolesOf({ metadata }: RawObject): string[] {
  const keys = Object.keys(metadata.labels ?? {}).filter((key) => key.startsWith(ROLE));
  return keys.map((key) => key.slice(ROLE.length));
}

const hostsOf = (ingress: RawObject): string[] => list(ingress.spec?.rules).map((rule) => rule.host ?? '*');

const architecture = (node: RawObject): string => (node.status?.nodeInfo?.architecture ? ` (${node.status.nodeInfo.architecture})` : '');

const subjects =
  (kind: string): TableColumn['cell'] =>
  (binding) =>
    list(binding.subjects)
      .filter((subject) => subject.kind === kind)
      .map((subject) => (kind === 'ServiceAccount' ? `${subject.namespace}/${subject.name}` : subject.name))
      .join(', ');
const bindingColumns = [
  nameColumn,
  column('Role', (binding) => `${binding.roleRef?.kind}/${binding.roleRef?.name}`),
  age,
  column('Users', subjects('User'), 1),
  column('Groups', subjects('Group'), 1),
  column('ServiceAccounts', subjects('ServiceAccount'), 1),
];

/** `cpu: 40%/80%`; an unmeasured value is `<unknown>`. */
function metricTarget(hpa: RawObject, metric: Json): string {
  const source = metric.resource ?? metric.containerResource;
  const wanted = Object.values(metric).find((value: Json) => isRecord(value) && isRecord(value.target)) as Json;
  const { averageUtilization, averageValue, value } = wanted?.target ?? {};
  const current = list(hpa.status?.currentMetrics).find(
    (each) => each.type === metric.type && each.resource?.name === metric.resource?.name,
  )?.resource?.current;
  const now = averageUtilization === undefined ? (current?.averageValue ?? current?.value) : percent(current?.averageUtilization);
  const target = averageUtilization === undefined ? `${averageValue ?? value}${averageValue ? ' (avg)' : ''}` : percent(averageUtilization);
  return `${source === undefined ? '' : `${source.name}: `}${now ?? '<unknown>'}/${target}`;
}

const percent = (value: unknown): string | undefined => (value === undefined ? undefined : `${value}%`);

const readyOfWanted = column('Ready', (object) => `${object.status?.readyReplicas ?? 0}/${object.spec?.replicas ?? 0}`);
const templateColumns = [
  column('Containers', (object) => joined(list(object.spec?.template?.spec?.containers).map((item) => item.name)), 1),
  column('Images', (object) => joined(list(object.spec?.template?.spec?.containers).map((item) => item.image)), 1),
  column('Selector', (object) => kubectlSelectorText(object.spec?.selector ?? {}), 1),
];

/** Columns of `kubectl get` for a built-in kind, by store. Source: Kubernetes' printers, from the answers of a real server. */
export const columnsByStore: Readonly<Record<string, readonly TableColumn[]>> = {
  '/pods': [
    nameColumn,
    column('Ready', (pod) => {
      const statuses = list(pod.status?.containerStatuses);
      return `${statuses.filter((status) => status.ready === true).length}/${list(pod.spec?.containers).length}`;
    }),
    column('Status', podStatus),
    column('Restarts', (pod) =>
      String(list(pod.status?.containerStatuses).reduce((sum, status) => sum + Number(status.restartCount ?? 0), 0)),
    ),
    age,
    column('IP', at('.status.podIP'), 1),
    column('Node', at('.spec.nodeName'), 1),
    column('Nominated Node', at('.status.nominatedNodeName'), 1),
    column('Readiness Gates', () => '<none>', 1),
  ],
  'apps/deployments': [
    nameColumn,
    readyOfWanted,
    count('Up-to-date', '.status.updatedReplicas'),
    count('Available', '.status.availableReplicas'),
    age,
    ...templateColumns,
  ],
  'apps/replicasets': [
    nameColumn,
    count('Desired', '.spec.replicas'),
    count('Current', '.status.replicas'),
    count('Ready', '.status.readyReplicas'),
    age,
    ...templateColumns,
  ],
  'apps/statefulsets': [nameColumn, readyOfWanted, age, ...templateColumns.slice(0, 2)],
  'apps/controllerrevisions': [
    nameColumn,
    column('Controller', (object) => {
      const owner = (object.metadata.ownerReferences ?? []).find(({ controller }) => controller === true);
      const group = owner?.apiVersion.includes('/') ? `.${owner.apiVersion.split('/')[0]}` : '';
      return owner === undefined ? '<none>' : `${owner.kind.toLowerCase()}${group}/${owner.name}`;
    }),
    count('Revision', '.revision'),
    age,
  ],
  'apps/daemonsets': [
    nameColumn,
    count('Desired', '.status.desiredNumberScheduled'),
    count('Current', '.status.currentNumberScheduled'),
    count('Ready', '.status.numberReady'),
    count('Up-to-date', '.status.updatedNumberScheduled'),
    count('Available', '.status.numberAvailable'),
    column('Node Selector', (object) => kubectlSelectorText({ matchLabels: object.spec?.template?.spec?.nodeSelector ?? {} }) || '<none>'),
    age,
    ...templateColumns,
  ],
  '/services': [
    nameColumn,
    column('Type', at('.spec.type')),
    column('Cluster-IP', at('.spec.clusterIP')),
    column('External-IP', (object) =>
      joined(object.spec?.externalIPs, object.spec?.type === 'ExternalName' ? object.spec.externalName : '<none>'),
    ),
    column('Port(s)', (object) =>
      joined(list(object.spec?.ports).map((port) => `${port.port}${port.nodePort ? `:${port.nodePort}` : ''}/${port.protocol}`)),
    ),
    age,
    column('Selector', (object) => kubectlSelectorText({ matchLabels: object.spec?.selector ?? {} }) || '<none>', 1),
  ],
  '/nodes': [
    nameColumn,
    column('Status', (node) => {
      const ready = list(node.status?.conditions).find((condition) => condition.type === 'Ready')?.status;
      return `${ready === 'True' ? 'Ready' : ready === undefined ? 'Unknown' : 'NotReady'}${node.spec?.unschedulable === true ? ',SchedulingDisabled' : ''}`;
    }),
    column('Roles', (node) => joined(rolesOf(node))),
    age,
    column('Version', at('.status.nodeInfo.kubeletVersion', '')),
    column('Internal-IP', nodeAddress('InternalIP'), 1),
    column('External-IP', nodeAddress('ExternalIP'), 1),
    column('OS-Image', (node) => node.status?.nodeInfo?.osImage || '<unknown>', 1),
    column('Kernel-Version', (node) => `${node.status?.nodeInfo?.kernelVersion || '<unknown>'}${architecture(node)}`, 1),
    column('Container-Runtime', (node) => node.status?.nodeInfo?.containerRuntimeVersion || '<unknown>', 1),
  ],
  '/namespaces': [nameColumn, column('Status', at('.status.phase')), age],
  '/configmaps': [nameColumn, column('Data', (object) => Object.keys({ ...object.data, ...object.binaryData }).length, 0, 'string'), age],
  '/secrets': [nameColumn, column('Type', at('.type')), column('Data', (object) => Object.keys(object.data ?? {}).length), age],
  '/events': [
    column('Last Seen', (event, now) =>
      ageOf(event.lastTimestamp ?? event.deprecatedLastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp, now),
    ),
    column('Type', at('.type', '')),
    column('Reason', at('.reason', '')),
    column('Object', (event) => {
      const object = event.involvedObject ?? event.regarding;
      return `${String(object?.kind ?? '').toLowerCase()}/${object?.name ?? ''}`;
    }),
    column('Subobject', (event) => (event.involvedObject ?? event.regarding)?.fieldPath ?? '', 1),
    column('Source', (event) => joined([event.source?.component, event.source?.host].filter(Boolean), event.reportingComponent ?? ''), 1),
    column('Message', (event) => String(event.message ?? event.note ?? '').trim()),
    column('First Seen', (event, now) => ageOf(event.firstTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp, now), 1),
    column('Count', (event) => event.count ?? event.series?.count ?? 1, 1),
    { ...column('Name', (event) => event.metadata.name, 1), format: 'name' },
  ],
  'autoscaling/horizontalpodautoscalers': [
    nameColumn,
    column('Reference', (object) => `${object.spec?.scaleTargetRef?.kind}/${object.spec?.scaleTargetRef?.name}`),
    column('Targets', (object) => joined(list(object.spec?.metrics).map((metric) => metricTarget(object, metric))).replaceAll(',', ', ')),
    column('MinPods', at('.spec.minReplicas', '<unset>')),
    column('MaxPods', at('.spec.maxReplicas'), 0, 'integer'),
    count('Replicas', '.status.currentReplicas'),
    age,
  ],
  'networking.k8s.io/ingresses': [
    nameColumn,
    column('Class', at('.spec.ingressClassName')),
    column('Hosts', (ingress) => joined(hostsOf(ingress), '*')),
    column('Address', () => ''),
    column('Ports', (object) => (object.spec?.tls === undefined ? '80' : '80, 443')),
    age,
  ],
  'networking.k8s.io/ingressclasses': [
    nameColumn,
    column('Controller', at('.spec.controller')),
    column('Parameters', (object) => {
      const { apiGroup, kind, name } = object.spec?.parameters ?? {};
      return name === undefined ? '<none>' : `${kind}${apiGroup ? `.${apiGroup}` : ''}/${name}`;
    }),
    age,
  ],
  'networking.k8s.io/networkpolicies': [
    nameColumn,
    column('Pod-Selector', (policy) => kubectlSelectorText(policy.spec?.podSelector ?? {}) || '<none>'),
    age,
  ],
  'policy/poddisruptionbudgets': [
    nameColumn,
    column('Min Available', (object) => String(object.spec?.minAvailable ?? 'N/A')),
    column('Max Unavailable', (object) => String(object.spec?.maxUnavailable ?? 'N/A')),
    count('Allowed Disruptions', '.status.disruptionsAllowed'),
    age,
  ],
  'discovery.k8s.io/endpointslices': [
    nameColumn,
    column('AddressType', at('.addressType')),
    column('Ports', (slice) => few(list(slice.ports).map((port) => port.port ?? '*'))),
    column('Endpoints', (slice) => few(list(slice.endpoints).flatMap((endpoint) => list(endpoint.addresses)))),
    age,
  ],
  'coordination.k8s.io/leases': [nameColumn, column('Holder', at('.spec.holderIdentity', '')), age],
  'rbac.authorization.k8s.io/roles': [nameColumn, created],
  'rbac.authorization.k8s.io/clusterroles': [nameColumn, created],
  'rbac.authorization.k8s.io/rolebindings': bindingColumns,
  'rbac.authorization.k8s.io/clusterrolebindings': bindingColumns,
  'apiextensions.k8s.io/customresourcedefinitions': [nameColumn, created],
};

function podStatus(pod: RawObject): string {
  if (pod.metadata.deletionTimestamp !== undefined) return 'Terminating';
  const states = list(pod.status?.containerStatuses).flatMap((status) => [status.state?.waiting?.reason, status.state?.terminated?.reason]);
  return String(states.findLast((reason) => typeof reason === 'string') ?? pod.status?.reason ?? pod.status?.phase ?? 'Unknown');
}
