import { BlockList, isIP } from 'node:net';
import type { NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from '../../api/kinds/network-policy.ts';
import type { Pod } from '../../api/kinds/pod.ts';
import type { Labels } from '../../api/kube-object.ts';
import { matchesSelector } from '../controllers/selectors.ts';

/** One end of a connection, as network policies see it. */
export interface ConnectionEnd {
  /** IP; an empty one is unknown, and in no range. */
  address: string;
  /** Absent for an address outside of the cluster, or of a node. */
  pod?: {
    namespace: string;
    /** Absent for no pod in particular. */
    name?: string;
    labels: Labels;
    /** Its TCP ports by name. */
    ports?: Readonly<Record<string, number>>;
    /** Address of its node. */
    nodeAddress?: string;
  };
}

/** Input for decisions on connections: the policies of all namespaces, and the labels of the namespaces. */
export interface PolicyState {
  policies: readonly NetworkPolicy[];
  labelsOf(namespace: string): Labels;
}

/** A pod in the network of its node is for policies that node. Source: Kubernetes documentation, "Network Policies", on hostNetwork pods. */
export function endOf({ metadata, spec, status }: Pod): ConnectionEnd {
  const nodeAddress = typeof status?.hostIP === 'string' ? status.hostIP : undefined;
  if (spec.hostNetwork === true) return { address: nodeAddress ?? '' };
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const ports = [...(spec.containers ?? []), ...sidecars].flatMap((container) => container.ports ?? []);
  const named = ports.flatMap(({ name, containerPort, protocol = 'TCP' }) =>
    name !== undefined && protocol === 'TCP' ? [[name, containerPort] as const] : [],
  );
  const { namespace = '', name, labels = {} } = metadata;
  return {
    address: status?.podIP ?? '',
    pod: { namespace, name, labels, ports: Object.fromEntries(named), ...(nodeAddress !== undefined && { nodeAddress }) },
  };
}

/**
 * Reason for which a TCP connection to a port of `to` is refused, `undefined` if it is not. Both sides have to admit it, each by one rule of any of the
 * policies that select its pod, and a pod that none selects admits everything. A pod always reaches itself, and so do a pod and its node. `port`: a number of
 * the pod, not of a Service; `undefined` for a Service that names none, which no rule with a port admits.
 * Source: Kubernetes documentation, "Network Policies", and the fields of networking.k8s.io/v1 NetworkPolicySpec.
 */
export function connectionRefusal(
  state: PolicyState,
  from: ConnectionEnd,
  to: ConnectionEnd,
  port: number | undefined,
): string | undefined {
  if (state.policies.length === 0 || isSame(from, to) || isNodeOf(from, to) || isNodeOf(to, from)) return undefined;
  const refusedBy = (policies: readonly NetworkPolicy[], direction: string): string => {
    const names = policies.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).join(', ');
    return `NetworkPolicy ${names} (${direction}) admits no connection from ${textOf(from)} to ${textOf(to)}${port === undefined ? '' : `, port ${port}`}`;
  };
  const leaving = isolating(state, from, 'Egress');
  if (leaving.length > 0 && !leaving.some((policy) => letsOut(state, policy, to, port))) return refusedBy(leaving, 'Egress');
  const entering = isolating(state, to, 'Ingress');
  if (entering.length > 0 && !entering.some((policy) => letsIn(state, policy, from, to, port))) return refusedBy(entering, 'Ingress');
  return undefined;
}

const isSame = (from: ConnectionEnd, to: ConnectionEnd): boolean =>
  from.pod?.name !== undefined && from.pod.name === to.pod?.name && from.pod.namespace === to.pod.namespace;

const isNodeOf = (node: ConnectionEnd, { pod }: ConnectionEnd): boolean =>
  node.pod === undefined && node.address !== '' && node.address === pod?.nodeAddress;

/** The policies that make this direction of a pod's traffic an exception. */
function isolating({ policies }: PolicyState, { pod }: ConnectionEnd, direction: 'Ingress' | 'Egress'): NetworkPolicy[] {
  if (pod === undefined) return [];
  return policies.filter(
    ({ metadata, spec }) =>
      metadata.namespace === pod.namespace && typesOf(spec).includes(direction) && matchesSelector(spec.podSelector ?? {}, pod.labels),
  );
}

const typesOf = ({ policyTypes = [], egress = [] }: NetworkPolicy['spec']): readonly string[] =>
  policyTypes.length > 0 ? policyTypes : ['Ingress', ...(egress.length > 0 ? ['Egress'] : [])];

function letsIn(state: PolicyState, { metadata, spec }: NetworkPolicy, from: ConnectionEnd, to: ConnectionEnd, port: number | undefined) {
  const { namespace = '' } = metadata;
  return (spec.ingress ?? []).some((rule) => hasPort(rule.ports, to, port) && hasPeer(state, rule.from, namespace, from));
}

function letsOut(state: PolicyState, { metadata, spec }: NetworkPolicy, to: ConnectionEnd, port: number | undefined): boolean {
  const { namespace = '' } = metadata;
  return (spec.egress ?? []).some((rule) => hasPort(rule.ports, to, port) && hasPeer(state, rule.to, namespace, to));
}

/** No peers: all. */
function hasPeer(state: PolicyState, peers: readonly NetworkPolicyPeer[] = [], namespace: string, end: ConnectionEnd): boolean {
  return peers.length === 0 || peers.some((peer) => isPeer(state, peer, namespace, end));
}

function isPeer(state: PolicyState, { podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer, namespace: string, end: ConnectionEnd) {
  if (ipBlock) return isIn(end.address, ipBlock.cidr) && !(ipBlock.except ?? []).some((cidr) => isIn(end.address, cidr));
  const { pod } = end;
  if (pod === undefined) return false;
  const isPlace = namespaceSelector ? matchesSelector(namespaceSelector, state.labelsOf(pod.namespace)) : pod.namespace === namespace;
  return isPlace && matchesSelector(podSelector ?? {}, pod.labels);
}

function isIn(address: string, cidr: string): boolean {
  const [first = '', length = ''] = cidr.split('/');
  const family = (text: string): 'ipv4' | 'ipv6' => (isIP(text) === 6 ? 'ipv6' : 'ipv4');
  if (isIP(address) === 0 || isIP(first) !== isIP(address)) return false;
  const block = new BlockList();
  block.addSubnet(first, Number(length), family(first));
  return block.check(address, family(address));
}

/** No ports: all. */
function hasPort(ports: readonly NetworkPolicyPort[] = [], { pod }: ConnectionEnd, port: number | undefined): boolean {
  if (ports.length === 0) return true;
  return ports.some(({ protocol = 'TCP', port: wanted, endPort }) => {
    if (protocol !== 'TCP') return false;
    if (wanted === undefined) return true;
    if (port === undefined) return false;
    if (typeof wanted === 'string') return pod?.ports?.[wanted] === port;
    return port >= wanted && port <= (endPort ?? wanted);
  });
}

function textOf({ address, pod }: ConnectionEnd): string {
  if (pod?.name !== undefined) return `pod ${pod.namespace}/${pod.name}`;
  return pod ? `a pod of namespace ${pod.namespace}` : `address ${address}`;
}
