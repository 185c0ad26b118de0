import type { KubeObject, Labels } from '../../../src/api/kube-object.ts';
import { type Raw, raw } from '../../fakes/raw.ts';
import { selects } from './label-selector.ts';

/** One end of a connection. */
export interface Peer {
  /** Name for texts: the workload, or a placeholder for a peer that no object describes. */
  name: string;
  /** Undefined outside of the cluster. */
  pod?: { namespace: string; namespaceLabels: Labels; labels: Labels };
  address: string;
}

export interface ContainerPort {
  name?: string;
  number: number;
  protocol: string;
}

/** Destination of a connection: a port of a pod, and the pod's names of its ports. */
export interface Destination extends Peer {
  port: number;
  protocol: string;
  ports: readonly ContainerPort[];
}

export type Verdict = { isAdmitted: true } | { isAdmitted: false; by: readonly KubeObject[] };

/**
 * Decides whether NetworkPolicies admit a connection (networking.k8s.io/v1, "The two sorts of pod isolation"). An egress rule must allow it if the source is
 * isolated for egress, and an ingress rule if the destination is isolated for ingress. Policies add up.
 */
export function admits(policies: readonly KubeObject[], from: Peer, to: Destination): Verdict {
  const egress = isolating(policies, from, 'Egress');
  const ingress = isolating(policies, to, 'Ingress');
  const by: KubeObject[] = [];
  if (egress.length > 0 && !egress.some((policy) => rulesOf(policy, 'Egress').some((rule) => allows(policy, rule.to, rule.ports, to, to))))
    by.push(...egress);
  if (
    ingress.length > 0 &&
    !ingress.some((policy) => rulesOf(policy, 'Ingress').some((rule) => allows(policy, rule.from, rule.ports, from, to)))
  )
    by.push(...ingress);
  return by.length === 0 ? { isAdmitted: true } : { isAdmitted: false, by };
}

export function selectsPod(policy: KubeObject, { pod }: Peer): boolean {
  return pod !== undefined && policy.metadata.namespace === pod.namespace && selects(raw(policy).spec?.podSelector ?? {}, pod.labels);
}

const isolating = (policies: readonly KubeObject[], peer: Peer, type: 'Ingress' | 'Egress'): KubeObject[] =>
  policies.filter((policy) => typesOf(policy).includes(type) && selectsPod(policy, peer));

/** A policy without `policyTypes` applies to ingress, and to egress if it has a section for it. */
function typesOf(policy: KubeObject): readonly string[] {
  const { policyTypes, egress } = raw(policy).spec ?? {};
  if (Array.isArray(policyTypes) && policyTypes.length > 0) return policyTypes;
  return Array.isArray(egress) && egress.length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
}

const rulesOf = (policy: KubeObject, type: 'Ingress' | 'Egress'): Raw[] =>
  (type === 'Ingress' ? raw(policy).spec?.ingress : raw(policy).spec?.egress) ?? [];

/** A rule without peers applies to all peers, a rule without ports to each port. */
function allows(policy: KubeObject, peers: Raw[] | undefined, ports: Raw[] | undefined, peer: Peer, to: Destination): boolean {
  const isPeer = !peers?.length || peers.some((one) => isMeant(policy, one, peer));
  return isPeer && (!ports?.length || ports.some((one) => isPort(one, to)));
}

function isMeant(policy: KubeObject, { podSelector, namespaceSelector, ipBlock }: Raw, { pod, address }: Peer): boolean {
  if (ipBlock) return isWithin(ipBlock.cidr, address) && !(ipBlock.except ?? []).some((cidr: string) => isWithin(cidr, address));
  if (pod === undefined) return false;
  const isNamespace = namespaceSelector ? selects(namespaceSelector, pod.namespaceLabels) : policy.metadata.namespace === pod.namespace;
  return isNamespace && (!podSelector || selects(podSelector, pod.labels));
}

function isPort({ protocol = 'TCP', port, endPort }: Raw, to: Destination): boolean {
  if (protocol !== to.protocol) return false;
  if (port === undefined || port === null) return true;
  if (typeof port === 'string' && !/^\d+$/.test(port))
    return to.ports.some(({ name, number, protocol: of }) => name === port && number === to.port && of === protocol);
  return endPort === undefined ? Number(port) === to.port : Number(port) <= to.port && to.port <= endPort;
}

/** Only IPv4: an IPv6 block contains none of the addresses here. */
function isWithin(cidr: string, address: string): boolean {
  const [base = '', bits = '32'] = cidr.split('/');
  if (base.includes(':')) return false;
  const size = 2 ** (32 - Number(bits));
  return Math.floor(numberOf(base) / size) === Math.floor(numberOf(address) / size);
}

const numberOf = (address: string): number => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
