import type { LabelSelector } from '../api/kinds/label-selector.ts';
import { specOf } from '../api/kinds/spec-of.ts';
import { groupOf, type KubeObject, type ObjectRef, refOf } from '../api/kube-object.ts';
import { keysOf, selects, swapValues } from '../workloads/label-selector.ts';
import type { Loss } from './plan.ts';
import { type LivingApplication, NAMESPACE_NAME, namesPrimary, namespaceLabels, swappedLabel } from './world.ts';

/** A peer of a NetworkPolicy: the fields that select pods. */
interface Peer {
  podSelector?: LabelSelector;
  namespaceSelector?: LabelSelector;
  ipBlock?: unknown;
}
interface Rule {
  from?: Peer[];
  to?: Peer[];
  ports?: unknown[];
}
interface PolicySpec {
  podSelector: LabelSelector;
  policyTypes: string[];
  ingress: Rule[];
  egress: Rule[];
}

const DIRECTIONS = [
  { type: 'Ingress', list: 'ingress', peers: 'from', verb: 'admits requests from', blocked: 'cannot call the pods that it protects' },
  { type: 'Egress', list: 'egress', peers: 'to', verb: 'admits requests to', blocked: 'cannot be called by the pods that it limits' },
] as const;
type Direction = (typeof DIRECTIONS)[number];

/**
 * NetworkPolicies of other workloads that name the application's pods as peers. A policy that admits the target and not the primary shuts the primary out,
 * unless another rule over the same pods admits it (rules are additive). A policy that begins to admit the primary gives it access that was not intended.
 */
export function peersAtArrival(world: LivingApplication, hasCompanion: (source: ObjectRef) => boolean): Loss[] {
  const policies = world.objects.filter(({ apiVersion, kind }) => kind === 'NetworkPolicy' && groupOf(apiVersion) === 'networking.k8s.io');
  return policies.flatMap((policy) => {
    const manifest = manifestFor(world, policies, policy);
    const losses = DIRECTIONS.flatMap((direction) => {
      const lost = rulesOf(policy, direction).flatMap((rule, index) => {
        const { target, primary, isNamed } = admitted(world, policy, rule[direction.peers]);
        if (target === primary || isNamed) return [];
        const field = `spec.${direction.list}[${index}].${direction.peers}`;
        if (primary) return [opened(world, policy, field, direction.verb)];
        const isKept = hasCompanion(refOf(policy)) || !isShutOut(world, policies, policy, direction, rule);
        return isKept ? [] : [shutOut(world, policy, field, direction, manifest)];
      });
      // One loss for an object and a direction: the remedy is the same.
      return lost.slice(0, 1);
    });
    // One manifest covers both directions.
    return losses.map(({ manifest: own, ...loss }, index) => ({ ...loss, ...(index === 0 && own && { manifest: own }) }));
  });
}

/** The rules of a direction, if the policy covers it. The server fills `policyTypes` in (Kubernetes, API of NetworkPolicy). */
function rulesOf(policy: KubeObject, { list, type }: Direction): readonly Rule[] {
  const spec = specOf<PolicySpec>(policy);
  const types = spec.policyTypes ?? (spec.egress?.length ? ['Ingress', 'Egress'] : ['Ingress']);
  return types.includes(type) ? (spec[list] ?? []) : [];
}

/** The rule admits the target's pods and not the primary's, and no other rule over the same pods admits the primary's. */
function isShutOut(
  world: LivingApplication,
  policies: readonly KubeObject[],
  policy: KubeObject,
  direction: Direction,
  rule: Rule,
): boolean {
  const { target, primary } = admitted(world, policy, rule[direction.peers]);
  return target && !primary && !admitsElsewhere(world, policies, policy, direction, rule);
}

/** An additional policy that admits the primary where this one admits the target; undefined if swapping the label does not. */
function manifestFor(world: LivingApplication, policies: readonly KubeObject[], policy: KubeObject): KubeObject | undefined {
  const { name, namespace } = policy.metadata;
  const used = DIRECTIONS.flatMap((direction) => {
    const rules = rulesOf(policy, direction).filter((rule) => isShutOut(world, policies, policy, direction, rule));
    return rules.length === 0 ? [] : [{ ...direction, rules: rules.map((rule) => forPrimary(world, policy, rule, direction)) }];
  });
  const beside: KubeObject = {
    ...{ apiVersion: policy.apiVersion, kind: policy.kind },
    metadata: { name: `${name}-${world.primary.owner.name}`, ...(namespace !== undefined && { namespace }) },
    spec: {
      podSelector: specOf<PolicySpec>(policy).podSelector ?? {},
      policyTypes: used.map(({ type }) => type),
      ...Object.fromEntries(used.map(({ list, rules }) => [list, rules])),
    },
  };
  const isEnough = used.every(({ rules, peers }) => rules.every((rule) => admitted(world, beside, rule[peers]).primary));
  return used.length > 0 && isEnough ? beside : undefined;
}

function forPrimary(world: LivingApplication, policy: KubeObject, rule: Rule, { peers }: Direction): Rule {
  const label = swappedLabel(world);
  const swapped = (selector: LabelSelector) => (label ? swapValues(selector, label.key, label.target, label.primary) : selector);
  const ofTarget = (rule[peers] ?? []).filter((peer) => admitted(world, policy, [peer]).target);
  return { ...rule, [peers]: ofTarget.map((peer) => ({ ...peer, podSelector: swapped(peer.podSelector ?? {}) })) };
}

/** An absent or empty list of peers admits all. `isNamed`: the primary is admitted by its own label, which the user wrote for it. */
function admitted(
  world: LivingApplication,
  policy: KubeObject,
  peers: readonly Peer[] | undefined,
): Record<'target' | 'primary' | 'isNamed', boolean> {
  if (peers === undefined || peers.length === 0) return { target: true, primary: true, isNamed: false };
  const named = peers.filter((peer) => isOfNamespace(world, policy, peer));
  const admits = (labels: LivingApplication['target']['labels']) => named.some(({ podSelector }) => selects(podSelector ?? {}, labels));
  const isNamed = named.some(({ podSelector }) => namesPrimary(world, podSelector ?? {}));
  return { target: admits(world.target.labels), primary: admits(world.primary.labels), isNamed };
}

/** A peer with an ipBlock selects no pods; a peer without a namespaceSelector selects pods of the policy's namespace. */
function isOfNamespace(world: LivingApplication, policy: KubeObject, { podSelector, namespaceSelector, ipBlock }: Peer): boolean {
  if (ipBlock !== undefined || (podSelector === undefined && namespaceSelector === undefined)) return false;
  if (namespaceSelector === undefined) return policy.metadata.namespace === world.namespace;
  return selects(namespaceSelector, namespaceLabels(world, world.namespace));
}

/** Another rule that covers the same pods and at least the same ports. */
function admitsElsewhere(
  world: LivingApplication,
  policies: readonly KubeObject[],
  policy: KubeObject,
  direction: Direction,
  rule: Rule,
): boolean {
  const covers = (other: KubeObject) => {
    if (other.metadata.namespace !== policy.metadata.namespace) return false;
    const [own, theirs] = [policy, other].map((one) => specOf<PolicySpec>(one).podSelector ?? {});
    return Object.keys(theirs ?? {}).length === 0 || JSON.stringify(own) === JSON.stringify(theirs);
  };
  return policies.filter(covers).some((other) =>
    rulesOf(other, direction).some((one) => {
      const hasPorts = one.ports === undefined || JSON.stringify(one.ports) === JSON.stringify(rule.ports);
      return hasPorts && admitted(world, other, one[direction.peers]).primary;
    }),
  );
}

/** The label that the primary's pods have, and the target's do not. */
function ownLabel(world: LivingApplication): string {
  const label = swappedLabel(world);
  return label ? `${label.key}: ${label.primary}` : world.primary.owner.name;
}

function shutOut(
  world: LivingApplication,
  policy: KubeObject,
  field: string,
  direction: Direction,
  manifest: KubeObject | undefined,
): Loss {
  const { target, primary } = world;
  const detail = `${direction.verb} the pods of ${target.owner.kind} ${target.owner.name} and not those of ${primary.owner.name}: they ${direction.blocked}`;
  const admit = `also admit ${ownLabel(world)} there`;
  const apply = manifest && `apply ${manifest.metadata.name} beside it, which serin preflight --manifests prints; or ${admit}`;
  return { ...refused(policy, field, detail, apply ?? admit), manifest };
}

function opened(world: LivingApplication, policy: KubeObject, field: string, verb: string): Loss {
  const { target, primary } = world;
  const detail = `${verb} the pods of ${primary.owner.name}, which will serve, and not those of ${target.owner.kind} ${target.owner.name}`;
  return refused(policy, field, detail, `also leave out ${ownLabel(world)} there`);
}

function refused(policy: KubeObject, field: string, detail: string, remedy: string): Loss {
  return { code: 'PolicyWouldBeLost', kind: 'security', isRefused: true, object: refOf(policy), field, detail, remedy };
}

/** A policy depends on labels of namespaces other than their names. */
export function goesByNamespaceLabels(policy: KubeObject): boolean {
  const peers = DIRECTIONS.flatMap((direction) => rulesOf(policy, direction).flatMap((rule) => rule[direction.peers] ?? []));
  return peers.some(({ namespaceSelector }) => keysOf(namespaceSelector).some((key) => key !== NAMESPACE_NAME));
}
