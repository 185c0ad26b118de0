import { isRecord, type Json, type RawObject, valueAt } from './json.ts';
import { selectorText } from './selectors.ts';

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
export const age = column('Age', (object, now) => ageOf(object.metadata.creationTimestamp, now));
const at =
  (path: string, otherwise: CellValue = '<none>'): TableColumn['cell'] =>
  (object) =>
    (valueAt(object, path) as CellValue | undefined) ?? otherwise;
const count = (path: string): TableColumn['cell'] => at(path, 0);
const joined = (values: unknown, otherwise = '<none>'): string =>
  Array.isArray(values) && values.length > 0 ? values.join(',') : otherwise;
const list = (value: Json): Json[] => (Array.isArray(value) ? value : []);

/** `45s`, `3m20s`, `5h`, `2d3h`: as kubectl writes a duration. */
export function shortDuration(ms: number): string {
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
const few = (values: readonly unknown[], otherwise: string): string =>
  values.length === 0 ? otherwise : `${values.slice(0, 3).join(',')}${values.length > 3 ? ` + ${values.length - 3} more...` : ''}`;

const nodeAddress =
  (type: string): TableColumn['cell'] =>
  (node) =>
    list(node.status?.addresses).find((address) => address.type === type)?.address ?? '<none>';

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

/** `cpu: 40%/80%`; what is not measured is `<unknown>`. */
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

const templateColumns = [
  column('Containers', (object) => joined(list(object.spec?.template?.spec?.containers).map((item) => item.name)), 1),
  column('Images', (object) => joined(list(object.spec?.template?.spec?.containers).map((item) => item.image)), 1),
  column('Selector', (object) => selectorText(object.spec?.selector ?? {}), 1),
];

/** Columns of `kubectl get` for a built-in kind, by store. Source: Kubernetes' printers, by what a real server answers. */
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
    column('Ready', (object) => `${object.status?.readyReplicas ?? 0}/${object.spec?.replicas ?? 0}`),
    column('Up-to-date', count('.status.updatedReplicas'), 0, 'integer'),
    column('Available', count('.status.availableReplicas'), 0, 'integer'),
    age,
    ...templateColumns,
  ],
  'apps/replicasets': [
    nameColumn,
    column('Desired', count('.spec.replicas'), 0, 'integer'),
    column('Current', count('.status.replicas'), 0, 'integer'),
    column('Ready', count('.status.readyReplicas'), 0, 'integer'),
    age,
    ...templateColumns,
  ],
  'apps/statefulsets': [
    nameColumn,
    column('Ready', (object) => `${object.status?.readyReplicas ?? 0}/${object.spec?.replicas ?? 0}`),
    age,
    ...templateColumns.slice(0, 2),
  ],
  'apps/controllerrevisions': [
    nameColumn,
    column('Controller', (object) => {
      const owner = (object.metadata.ownerReferences ?? []).find(({ controller }) => controller === true);
      const group = owner?.apiVersion.includes('/') ? `.${owner.apiVersion.split('/')[0]}` : '';
      return owner === undefined ? '<none>' : `${owner.kind.toLowerCase()}${group}/${owner.name}`;
    }),
    column('Revision', count('.revision'), 0, 'integer'),
    age,
  ],
  'apps/daemonsets': [
    nameColumn,
    ...Object.entries({
      Desired: 'desiredNumberScheduled',
      Current: 'currentNumberScheduled',
      Ready: 'numberReady',
      'Up-to-date': 'updatedNumberScheduled',
      Available: 'numberAvailable',
    }).map(([name, field]) => column(name, count(`.status.${field}`), 0, 'integer')),
    column('Node Selector', (object) => selectorText({ matchLabels: object.spec?.template?.spec?.nodeSelector ?? {} }) || '<none>'),
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
    column('Selector', (object) => selectorText({ matchLabels: object.spec?.selector ?? {} }) || '<none>', 1),
  ],
  '/nodes': [
    nameColumn,
    column('Status', (node) => {
      const ready = list(node.status?.conditions).find((condition) => condition.type === 'Ready')?.status;
      return `${ready === 'True' ? 'Ready' : ready === undefined ? 'Unknown' : 'NotReady'}${node.spec?.unschedulable === true ? ',SchedulingDisabled' : ''}`;
    }),
    column('Roles', (node) =>
      joined(
        Object.keys(node.metadata.labels ?? {})
          .filter((key) => key.startsWith('node-role.kubernetes.io/'))
          .map((key) => key.slice(24)),
      ),
    ),
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
    column('Replicas', count('.status.currentReplicas'), 0, 'integer'),
    age,
  ],
  'networking.k8s.io/ingresses': [
    nameColumn,
    column('Class', at('.spec.ingressClassName')),
    column('Hosts', (object) =>
      joined(
        list(object.spec?.rules).map((rule) => rule.host ?? '*'),
        '*',
      ),
    ),
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
  'policy/poddisruptionbudgets': [
    nameColumn,
    column('Min Available', (object) => String(object.spec?.minAvailable ?? 'N/A')),
    column('Max Unavailable', (object) => String(object.spec?.maxUnavailable ?? 'N/A')),
    column('Allowed Disruptions', count('.status.disruptionsAllowed'), 0, 'integer'),
    age,
  ],
  'discovery.k8s.io/endpointslices': [
    nameColumn,
    column('AddressType', at('.addressType')),
    column('Ports', (slice) =>
      few(
        list(slice.ports).map((port) => port.port ?? '*'),
        '<unset>',
      ),
    ),
    column('Endpoints', (slice) =>
      few(
        list(slice.endpoints).flatMap((endpoint) => list(endpoint.addresses)),
        '<unset>',
      ),
    ),
    age,
  ],
  'coordination.k8s.io/leases': [nameColumn, column('Holder', at('.spec.holderIdentity', '')), age],
  'rbac.authorization.k8s.io/roles': [nameColumn, column('Created At', at('.metadata.creationTimestamp'))],
  'rbac.authorization.k8s.io/clusterroles': [nameColumn, column('Created At', at('.metadata.creationTimestamp'))],
  'rbac.authorization.k8s.io/rolebindings': bindingColumns,
  'rbac.authorization.k8s.io/clusterrolebindings': bindingColumns,
  'apiextensions.k8s.io/customresourcedefinitions': [nameColumn, column('Created At', at('.metadata.creationTimestamp'))],
};

function podStatus(pod: RawObject): string {
  if (pod.metadata.deletionTimestamp !== undefined) return 'Terminating';
  const states = list(pod.status?.containerStatuses).flatMap((status) => [status.state?.waiting?.reason, status.state?.terminated?.reason]);
  return String(states.findLast((reason) => typeof reason === 'string') ?? pod.status?.reason ?? pod.status?.phase ?? 'Unknown');
}
