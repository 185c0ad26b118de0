import type { LabelSelector } from '../api/kinds/label-selector.ts';
import { specOf } from '../api/kinds/spec-of.ts';
import { groupOf, type KubeObject, type ObjectRef, refOf } from '../api/kube-object.ts';
import { selects } from '../workloads/label-selector.ts';
import type { Loss } from './plan.ts';
import { namesPrimary, namespaceLabels, type World } from './world.ts';

/** A peer of a NetworkPolicy, as far as it is about pods. */
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
  ingress: Rule[];
  egress: Rule[];
}

const DIRECTIONS = [
  { list: 'ingress', peers: 'from', verb: 'admits requests from', blocked: 'cannot call the pods that it protects' },
  { list: 'egress', peers: 'to', verb: 'admits requests to', blocked: 'cannot be called by the pods that it limits' },
] as const;

/**
 * NetworkPolicies of other workloads that name the application's pods as peers: one that admits the target's and not the primary's shuts the
 * primary out, unless another rule over the same pods admits it (rules are additive); one that begins to admit the primary opens a door.
 */
export function peersAtArrival(world: World, hasCompanion: (source: ObjectRef) => boolean): Loss[] {
  const policies = world.objects.filter(({ apiVersion, kind }) => kind === 'NetworkPolicy' && groupOf(apiVersion) === 'networking.k8s.io');
  return policies.flatMap((policy) =>
    DIRECTIONS.flatMap((direction) => {
      const rules = specOf<PolicySpec>(policy)[direction.list] ?? [];
      const losses = rules.flatMap((rule, index) => {
        const { target, primary, isNamed } = admitted(world, policy, rule[direction.peers]);
        if (target === primary || isNamed) return [];
        const field = `spec.${direction.list}[${index}].${direction.peers}`;
        if (primary) return [opened(world, policy, field, direction.verb)];
        const isAdmitted = admitsElsewhere(world, policies, policy, direction, rule);
        return isAdmitted || hasCompanion(refOf(policy)) ? [] : [shutOut(world, policy, field, direction)];
      });
      // One line for an object and a direction: the remedy is the same.
      return losses.slice(0, 1);
    }),
  );
}

/** An absent or empty list of peers admits all. `isNamed`: the primary is admitted by its own label, which its user wrote for it. */
function admitted(world: World, policy: KubeObject, peers: readonly Peer[] | undefined): Record<'target' | 'primary' | 'isNamed', boolean> {
  if (peers === undefined || peers.length === 0) return { target: true, primary: true, isNamed: false };
  const named = peers.filter((peer) => isOfNamespace(world, policy, peer));
  const admits = (labels: World['target']['labels']) => named.some(({ podSelector }) => selects(podSelector ?? {}, labels));
  const isNamed = named.some(({ podSelector }) => namesPrimary(world, podSelector ?? {}));
  return { target: admits(world.target.labels), primary: admits(world.primary.labels), isNamed };
}

/** A peer by address is about no pods; one without a namespaceSelector is of the policy's namespace. */
function isOfNamespace(world: World, policy: KubeObject, { podSelector, namespaceSelector, ipBlock }: Peer): boolean {
  if (ipBlock !== undefined || (podSelector === undefined && namespaceSelector === undefined)) return false;
  if (namespaceSelector === undefined) return policy.metadata.namespace === world.namespace;
  return selects(namespaceSelector, namespaceLabels(world, world.namespace));
}

/** Another rule that covers the same pods and at least the same ports. */
function admitsElsewhere(
  world: World,
  policies: readonly KubeObject[],
  policy: KubeObject,
  { list, peers }: (typeof DIRECTIONS)[number],
  rule: Rule,
): boolean {
  const covers = (other: KubeObject) => {
    if (other.metadata.namespace !== policy.metadata.namespace) return false;
    const [own, theirs] = [policy, other].map((one) => specOf<PolicySpec>(one).podSelector ?? {});
    return Object.keys(theirs ?? {}).length === 0 || JSON.stringify(own) === JSON.stringify(theirs);
  };
  return policies.filter(covers).some((other) =>
    (specOf<PolicySpec>(other)[list] ?? []).some((one) => {
      const hasPorts = one.ports === undefined || JSON.stringify(one.ports) === JSON.stringify(rule.ports);
      return hasPorts && admitted(world, other, one[peers]).primary;
    }),
  );
}

function shutOut({ target, primary }: World, policy: KubeObject, field: string, direction: (typeof DIRECTIONS)[number]): Loss {
  const detail = `${direction.verb} the pods of ${target.owner.kind} ${target.owner.name} and not those of ${primary.owner.name}: they ${direction.blocked}`;
  return refused(policy, field, detail, `admit ${primary.owner.name} there, too`);
}

function opened({ target, primary }: World, policy: KubeObject, field: string, verb: string): Loss {
  const detail = `${verb} the pods of ${primary.owner.name}, which will serve, and not those of ${target.owner.kind} ${target.owner.name}`;
  return refused(policy, field, detail, 'leave them out there, too');
}

function refused(policy: KubeObject, field: string, detail: string, remedy: string): Loss {
  return { code: 'PolicyWouldBeLost', kind: 'security', isRefused: true, object: refOf(policy), field, detail, remedy };
}
