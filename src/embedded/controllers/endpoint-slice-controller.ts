import type { DiscoveryEndpoint, EndpointSlice } from '../../api/kinds/endpoint-slice.ts';
import type { Node } from '../../api/kinds/node.ts';
import type { Pod } from '../../api/kinds/pod.ts';
import type { Service } from '../../api/kinds/service.ts';
import { refOf } from '../../api/kube-object.ts';
import { canonicalJson } from '../../base/json.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { keyOf, type ObjectStore } from './object-store.ts';
import { isPodFinished, isPodReady } from './pods.ts';
import { controllerReference, matchesSelector } from './selectors.ts';
import type { Stores } from './stores.ts';
import { type HintedEndpoint, hintByCpu, hintNear, isAutomatic } from './topology-hints.ts';

const SERVICE_NAME = 'kubernetes.io/service-name';
const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
const MANAGER = 'endpointslice-controller.k8s.io';
/** The real controller's default `--max-endpoints-per-slice`. */
const PER_SLICE = 100;

type EndpointStores = Pick<Stores, 'services' | 'pods' | 'nodes' | 'slices'>;

interface WrittenEndpoint extends HintedEndpoint, DiscoveryEndpoint {
  addresses: string[];
  conditions: { ready: boolean; serving: boolean; terminating: boolean };
  targetRef: object;
}
interface WrittenPort {
  name: string;
  port: number;
  protocol: string;
  appProtocol?: string;
}

/** One pass over one Service: its EndpointSlices list the pods that its selector finds. */
export async function syncEndpointSlices(cluster: Cluster, stores: EndpointStores, key: string): Promise<void> {
  const service = stores.services.get(key);
  const [namespace = '', name = ''] = key.split('/');
  const owned = { matchLabels: { [SERVICE_NAME]: name, [MANAGED_BY]: MANAGER } };
  const mine = stores.slices.list().filter(({ metadata }) => metadata.namespace === namespace && matchesSelector(owned, metadata.labels));
  const isServed = service?.spec.selector && service.spec.type !== 'ExternalName' && !service.metadata.deletionTimestamp;
  const wanted = isServed ? slicesFor(service, stores) : [];
  // One of a Service that was deleted and made again goes with the former one, as the garbage collector finds it.
  const { spare = [], foreign = [] } = Object.groupBy(mine, ({ metadata }) =>
    metadata.ownerReferences?.some(({ uid }) => uid === service?.metadata.uid) ? 'spare' : 'foreign',
  );
  for (const slice of wanted) {
    const match = spare.findIndex((candidate) => canonicalJson(candidate.ports) === canonicalJson(slice.ports));
    const [current] = match >= 0 ? spare.splice(match, 1) : spare.splice(0, 1);
    if (!current) stores.slices.remember(await cluster.create(slice));
    else if (differs(current, slice))
      stores.slices.remember(await cluster.replace({ ...slice, metadata: { ...current.metadata, labels: slice.metadata.labels ?? {} } }));
  }
  for (const slice of [...spare, ...foreign]) await cluster.delete(refOf(slice));
}

const differs = (current: EndpointSlice, wanted: EndpointSlice): boolean =>
  canonicalJson([current.endpoints ?? [], current.ports ?? [], current.metadata.labels]) !==
  canonicalJson([wanted.endpoints, wanted.ports, wanted.metadata.labels]);

/** Tests if the Service's selector finds a pod. */
export const selectsPods = ({ metadata, spec }: Service, pod: Pod): boolean =>
  metadata.namespace === pod.metadata.namespace &&
  spec.selector !== undefined &&
  matchesSelector({ matchLabels: spec.selector }, pod.metadata.labels);

function slicesFor(service: Service, stores: EndpointStores): EndpointSlice[] {
  const pods = stores.pods
    .list()
    .filter((pod) => selectsPods(service, pod) && pod.status?.podIP && !isPodFinished(pod))
    .toSorted((a, b) => keyOf(a).localeCompare(keyOf(b)));
  const listed = pods.map((pod) => ({ pod, endpoint: endpointFor(service, pod, stores.nodes) }));
  const endpoints = listed.map(({ endpoint }) => endpoint);
  // The annotation wins, also where it comes to nothing.
  if (isAutomatic(service)) hintByCpu(endpoints, stores.nodes.list());
  else hintNear(endpoints, service.spec.trafficDistribution);
  // Named target ports can differ from pod to pod: one slice for each outcome.
  const byPorts = Map.groupBy(listed, ({ pod }) => JSON.stringify(portsOf(service, pod)));
  if (byPorts.size === 0) return [sliceFor(service, [], [])];
  return [...byPorts].flatMap(([ports, group]) =>
    Array.from({ length: Math.ceil(group.length / PER_SLICE) }, (_, index) =>
      sliceFor(
        service,
        JSON.parse(ports) as WrittenPort[],
        group.slice(index * PER_SLICE, (index + 1) * PER_SLICE).map(({ endpoint }) => endpoint),
      ),
    ),
  );
}

function portsOf(service: Service, pod: Pod): WrittenPort[] {
  const sidecars = (pod.spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const declared = [...(pod.spec.containers ?? []), ...sidecars].flatMap(({ ports = [] }) => ports);
  const named = (name: string, protocol: string) =>
    declared.find((port) => port.name === name && (port.protocol ?? 'TCP') === protocol)?.containerPort;
  return (service.spec.ports ?? []).flatMap(({ name = '', port, targetPort = port, protocol = 'TCP', appProtocol }) => {
    const number = typeof targetPort === 'number' ? targetPort : named(targetPort, protocol);
    return number === undefined ? [] : [{ name, port: number, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
}

function endpointFor(service: Service, pod: Pod, nodes: ObjectStore<Node>): WrittenEndpoint {
  const isTerminating = pod.metadata.deletionTimestamp !== undefined;
  const serving = isPodReady(pod);
  const ready = service.spec.publishNotReadyAddresses === true || (serving && !isTerminating);
  const { nodeName } = pod.spec;
  const zone = nodes.get(nodeName ?? '')?.metadata.labels?.['topology.kubernetes.io/zone'];
  return {
    addresses: [pod.status?.podIP ?? ''],
    conditions: { ready, serving, terminating: isTerminating },
    ...(nodeName !== undefined && { nodeName }),
    targetRef: { kind: 'Pod', name: pod.metadata.name, namespace: pod.metadata.namespace, uid: pod.metadata.uid },
    ...(zone !== undefined && { zone }),
  };
}

function sliceFor(service: Service, ports: WrittenPort[], endpoints: WrittenEndpoint[]): EndpointSlice {
  const { name, namespace = '', labels } = service.metadata;
  const headless = service.spec.clusterIP === 'None' ? { 'service.kubernetes.io/headless': '' } : {};
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: '',
      generateName: `${name}-`,
      namespace,
      labels: { ...labels, ...headless, [SERVICE_NAME]: name, [MANAGED_BY]: MANAGER },
      ownerReferences: [controllerReference(service)],
    },
    addressType: 'IPv4',
    endpoints,
    ports,
  };
}
