import type { KubeObject, Labels } from '../../../src/api/kube-object.ts';
import { type Raw, raw } from '../../fakes/raw.ts';
import type { Say } from './fingerprint.ts';
import { admits, type ContainerPort, type Peer, selectsPod } from './network-policy.ts';
import { APPLICATION, type Seen } from './seen.ts';

/** A port that no template names. */
const ODD: ContainerPort = { number: 65_123, protocol: 'TCP' };
const DNS: ContainerPort = { name: 'dns', number: 53, protocol: 'UDP' };
const WEB: ContainerPort = { number: 443, protocol: 'TCP' };

interface Place {
  peer: Peer;
  ports: readonly ContainerPort[];
}

/** Connections that NetworkPolicies admit: between workloads, and from and to all peers that policies select. */
export function admissions(seen: Seen, say: Say): void {
  const policies = seen.all('NetworkPolicy');
  const workloads: Place[] = seen.workloads.map(({ peer, ports }) => ({ peer, ports: [...ports, ...servedPorts(seen), ODD] }));
  const others: Place[] = strangers(seen).map((peer) => ({ peer, ports: [WEB, DNS] }));
  const pairs = workloads.flatMap((from) => [...workloads, ...others].map((to) => ({ from, to })));
  pairs.push(...others.flatMap((from) => workloads.map((to) => ({ from, to }))));
  const found = new Map<string, { verdicts: string[]; by: KubeObject[]; isOwn: boolean }>();
  for (const { from, to } of pairs) {
    const isOurs = from.peer.name === APPLICATION || to.peer.name === APPLICATION;
    if (!isOurs && policies.length === 0) continue;
    for (const { number, protocol } of uniquePorts(to.ports)) {
      const verdict = admits(policies, from.peer, { ...to.peer, port: number, protocol, ports: to.ports });
      const key = `${from.peer.name} → ${to.peer.name}:${number}/${protocol}`;
      const entry = found.get(key) ?? { verdicts: [], by: [], isOwn: false };
      found.set(key, entry);
      entry.verdicts.push(verdict.isAdmitted ? 'admitted' : 'refused');
      if (verdict.isAdmitted) continue;
      entry.by.push(...verdict.by);
      entry.isOwn ||= [from, to].some(({ peer }) => peer.name === APPLICATION && verdict.by.some((policy) => selectsPod(policy, peer)));
    }
  }
  for (const [key, { verdicts, by, isOwn }] of found) say(key, isOwn || by.length === 0 ? 'NetworkPolicy' : 'peer', verdicts, by);
}

function servedPorts(seen: Seen): ContainerPort[] {
  const ports: Raw[] = seen.own('Service').flatMap((service) => raw(service).spec.ports ?? []);
  return ports
    .filter(({ targetPort, port }) => typeof (targetPort ?? port) === 'number')
    .map(({ targetPort, port, protocol = 'TCP' }) => ({ number: targetPort ?? port, protocol }));
}

const uniquePorts = (ports: readonly ContainerPort[]): ContainerPort[] => [
  ...new Map(ports.map((port) => [`${port.number}/${port.protocol}`, port])).values(),
];

/** Pods and addresses that no object of the world describes, but that a policy can select: one for each peer, and some that no policy selects. */
function strangers(seen: Seen): Peer[] {
  const { namespace } = seen.app;
  const found = new Map<string, Peer>();
  const add = (peer: Peer) => void found.set(peer.name, peer);
  const pod = (of: string, namespaceLabels: Labels, labels: Labels) =>
    add({
      name: `a pod ${JSON.stringify(labels)} of ${of}`,
      pod: { namespace: of, namespaceLabels: { 'kubernetes.io/metadata.name': of, ...namespaceLabels }, labels },
      address: '10.244.200.1',
    });
  add({ name: 'outside', address: '203.0.113.7' });
  pod(namespace, {}, { stranger: 'true' });
  pod('elsewhere', {}, { stranger: 'true' });
  pod('kube-system', {}, { 'k8s-app': 'kube-dns' });
  const peers: Raw[] = seen
    .own('NetworkPolicy')
    .flatMap((policy) => [...(raw(policy).spec?.ingress ?? []), ...(raw(policy).spec?.egress ?? [])])
    .flatMap((rule: Raw) => [...(rule.from ?? []), ...(rule.to ?? [])]);
  for (const { podSelector, namespaceSelector, ipBlock } of peers) {
    if (ipBlock && !String(ipBlock.cidr).includes(':')) {
      const address = String(ipBlock.cidr).split('/')[0] ?? '';
      add({ name: `address ${address}`, address });
    }
    if (!namespaceSelector) continue;
    const labels = meant(namespaceSelector);
    pod(labels['kubernetes.io/metadata.name'] ?? `a namespace ${JSON.stringify(labels)}`, labels, meant(podSelector));
  }
  return [...found.values()];
}

/** Labels that a selector means, as far as it names any. */
function meant(selector: Raw): Labels {
  const expressions: Raw[] = selector?.matchExpressions ?? [];
  const said = expressions
    .filter(({ operator }) => operator === 'In' || operator === 'Exists')
    .map(({ key, values }) => [key, values?.[0] ?? 'any']);
  return { ...Object.fromEntries(said), ...selector?.matchLabels };
}
