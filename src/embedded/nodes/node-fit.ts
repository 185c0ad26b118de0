import type { Node, Taint } from '../../api/kinds/node.ts';
import type { NodeRequirement, NodeSelectorTerm, PodSpec, Toleration } from '../../api/kinds/pod-template.ts';
import { parseQuantity } from '../../api/quantity.ts';

const CORDONED = 'node.kubernetes.io/unschedulable';
const COUNTED_RESOURCES = ['cpu', 'memory'] as const;

/** Reasons for which the node does not take the pod, as the scheduler words them; empty if it does. Requests of other pods do not count here. */
export function misfits(podSpec: PodSpec, node: Node): string[] {
  if (node.spec?.unschedulable === true && untolerated(podSpec, node, ['NoSchedule']).some(({ key }) => key === CORDONED))
    return ['node(s) were unschedulable'];
  if (untolerated(podSpec, node, ['NoSchedule', 'NoExecute']).length > 0) return ['node(s) had untolerated taint(s)'];
  if (!wantsNode(podSpec, node)) return ["node(s) didn't match Pod's node affinity/selector"];
  return COUNTED_RESOURCES.filter((resource) => requested(podSpec, resource) > allocatable(node, resource)).map(
    (resource) => `Insufficient ${resource}`,
  );
}

function requested({ containers = [] }: PodSpec, resource: 'cpu' | 'memory'): number {
  const of = containers.map(({ resources }) =>
    parseQuantity(String(resources?.requests?.[resource] ?? resources?.limits?.[resource] ?? '0')),
  );
  return of.reduce<number>((sum, one) => sum + (one ?? 0), 0);
}

/** A node that does not say it has no limit. */
const allocatable = (node: Node, resource: 'cpu' | 'memory'): number =>
  parseQuantity(node.status?.allocatable?.[resource] ?? '') ?? Number.POSITIVE_INFINITY;

/** Tests if a pod's `nodeSelector` and required node affinity allow the node. Preferences and other pods do not count here. */
export function wantsNode(podSpec: PodSpec, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  const selector = podSpec.nodeSelector ?? {};
  if (!Object.entries(selector).every(([key, value]) => labels[key] === value)) return false;
  const required = podSpec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = required?.nodeSelectorTerms;
  return terms === undefined || terms.some((term) => matches(term, node));
}

/** Terms are alternatives; the conditions in one term all have to hold, and an empty term matches nothing. */
function matches({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: Node): boolean {
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  return (
    matchExpressions.every((requirement) => termHolds(requirement, node.metadata.labels?.[requirement.key])) &&
    matchFields.every((requirement) => termHolds(requirement, requirement.key === 'metadata.name' ? node.metadata.name : undefined))
  );
}

/** Tests if the value of a label, or of a field, satisfies a requirement; `undefined` for a missing value. */
export function termHolds({ operator, values = [] }: NodeRequirement, value: string | undefined): boolean {
  if (operator === 'Exists') return value !== undefined;
  if (operator === 'DoesNotExist') return value === undefined;
  if (operator === 'NotIn') return value === undefined || !values.includes(value);
  if (value === undefined) return false;
  if (operator === 'Gt') return Number(value) > Number(values[0]);
  if (operator === 'Lt') return Number(value) < Number(values[0]);
  return operator === 'In' && values.includes(value);
}

/** The taints of these effects that the pod does not tolerate; a cordoned node has one by that name. */
export function untolerated(podSpec: PodSpec, node: Node, effects: readonly string[]): Taint[] {
  const { tolerations = [] } = podSpec;
  const cordon: Taint[] = node.spec?.unschedulable === true ? [{ key: CORDONED, effect: 'NoSchedule' }] : [];
  const taints: Taint[] = [...(node.spec?.taints ?? []), ...cordon];
  return taints.filter((taint) => effects.includes(taint.effect) && !tolerations.some((toleration) => tolerates(toleration, taint)));
}

function tolerates({ key, operator = 'Equal', value = '', effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  return operator === 'Exists' || (key !== undefined && value === (taint.value ?? ''));
}
