import type { KubeObject } from '../../api/kube-object.ts';
import { isRecord, type Json, type JsonRecord, valueAt } from './json.ts';
import type { Resource } from './resources.ts';
import { selectorText } from './selectors.ts';

type Cell = string | number | boolean | null;
interface TableColumn {
  name: string;
  type: string;
  format?: string;
  priority?: number;
  description?: string;
  cell(object: KubeObject, now: number): Cell;
}

const column = (name: string, cell: TableColumn['cell'], priority = 0, type = 'string'): TableColumn => ({ name, type, cell, priority });
const nameColumn: TableColumn = { ...column('Name', (object) => object.metadata.name), format: 'name' };
const age = column('Age', (object, now) => ageOf(object.metadata.creationTimestamp, now));
const at =
  (path: string, otherwise: Cell = '<none>'): TableColumn['cell'] =>
  (object) =>
    (valueAt(object, path) as Cell | undefined) ?? otherwise;
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

const ageOf = (time: unknown, now: number): string =>
  typeof time === 'string' && time !== '' ? shortDuration(now - Date.parse(time)) : '<unknown>';

const templateColumns = [
  column('Containers', (object) => joined(list(object.spec?.template?.spec?.containers).map((item) => item.name)), 1),
  column('Images', (object) => joined(list(object.spec?.template?.spec?.containers).map((item) => item.image)), 1),
  column('Selector', (object) => selectorText(object.spec?.selector ?? {}), 1),
];

const columnsByStore: Record<string, TableColumn[]> = {
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
  'apps/statefulsets': [nameColumn, column('Ready', (object) => `${object.status?.readyReplicas ?? 0}/${object.spec?.replicas ?? 0}`), age],
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
    column('Message', (event) => String(event.message ?? event.note ?? '').trim()),
    { ...column('Name', (event) => event.metadata.name, 1), format: 'name' },
  ],
  'autoscaling/horizontalpodautoscalers': [
    nameColumn,
    column('Reference', (object) => `${object.spec?.scaleTargetRef?.kind}/${object.spec?.scaleTargetRef?.name}`),
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
  'apiextensions.k8s.io/customresourcedefinitions': [nameColumn, column('Created At', at('.metadata.creationTimestamp'))],
};

function podStatus(pod: KubeObject): string {
  if (pod.metadata.deletionTimestamp !== undefined) return 'Terminating';
  const states = list(pod.status?.containerStatuses).flatMap((status) => [status.state?.waiting?.reason, status.state?.terminated?.reason]);
  return String(states.findLast((reason) => typeof reason === 'string') ?? pod.status?.reason ?? pod.status?.phase ?? 'Unknown');
}

function columnsOf(resource: Resource): TableColumn[] {
  if (!resource.custom) return columnsByStore[resource.storeKey] ?? [nameColumn, age];
  if (resource.columns.length === 0) return [nameColumn, age];
  return [
    nameColumn,
    ...resource.columns.map(({ name, type, format, description, priority, jsonPath }) => ({
      name,
      type,
      ...(format === undefined ? {} : { format }),
      ...(description === undefined ? {} : { description }),
      priority: priority ?? 0,
      cell: (object: KubeObject, now: number): Cell => {
        const found = jsonPathValue(object, jsonPath);
        if (type === 'date') return found === undefined ? null : ageOf(found, now);
        return isRecord(found) || Array.isArray(found) ? JSON.stringify(found) : ((found as Cell | undefined) ?? null);
      },
    })),
  ];
}

/** The part of JSONPath that printer columns use: fields, indexes and `[?(@.type=="Ready")]`. */
export function jsonPathValue(object: unknown, path: string): Json {
  let at: Json = object;
  for (const [, quoted, field, index, filter, wanted] of path.matchAll(
    /\['([^']+)'\]|\.((?:\\.|[^.[\]\\])+)|\[(\d+)\]|\[\?\(@\.([\w.]+)\s*==\s*["']([^"']*)["']\)\]/g,
  )) {
    if (index !== undefined) at = Array.isArray(at) ? at[Number(index)] : undefined;
    else if (filter !== undefined) at = Array.isArray(at) ? at.find((item) => valueAt(item, filter) === wanted) : undefined;
    else at = isRecord(at) ? at[(quoted ?? field ?? '').replaceAll('\\.', '.')] : undefined;
  }
  return at;
}

export function partialMetadata(object: KubeObject): JsonRecord {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
}

export function table(resource: Resource, objects: readonly KubeObject[], metadata: JsonRecord, include: string, now: number): JsonRecord {
  const columns = columnsOf(resource);
  const columnDefinitions = columns.map(({ cell: _cell, ...shown }) => ({ format: '', description: '', ...shown }));
  const rows = objects.map((object) => ({
    cells: columns.map(({ cell }) => cell(object, now)),
    ...(include === 'None' ? {} : { object: include === 'Object' ? object : partialMetadata(object) }),
  }));
  return { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata, columnDefinitions, rows };
}
