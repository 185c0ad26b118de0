import type { KubeObject } from '../../api/kube-object.ts';

interface Requirement {
  key: string;
  operator: string;
  values?: string[];
}
interface NodeSelectorTerm {
  matchExpressions?: Requirement[];
  matchFields?: Requirement[];
}
interface Taint {
  key: string;
  value?: string;
  effect: string;
}
interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
}

/** Whether a pod's `nodeSelector` and required node affinity allow the node. Preferences and other pods do not count here. */
export function wantsNode(podSpec: KubeObject['spec'], node: KubeObject): boolean {
  const labels = node.metadata.labels ?? {};
  const selector: Record<string, string> = podSpec?.nodeSelector ?? {};
  if (!Object.entries(selector).every(([key, value]) => labels[key] === value)) return false;
  const required = podSpec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms: NodeSelectorTerm[] | undefined = required?.nodeSelectorTerms;
  return terms === undefined || terms.some((term) => matches(term, node));
}

/** Terms are alternatives; what is in one term holds together, and an empty term matches nothing. */
function matches({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: KubeObject): boolean {
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  return (
    matchExpressions.every((requirement) => holds(requirement, node.metadata.labels?.[requirement.key])) &&
    matchFields.every((requirement) => holds(requirement, requirement.key === 'metadata.name' ? node.metadata.name : undefined))
  );
}

function holds({ operator, values = [] }: Requirement, value: string | undefined): boolean {
  if (operator === 'Exists') return value !== undefined;
  if (operator === 'DoesNotExist') return value === undefined;
  if (operator === 'NotIn') return value === undefined || !values.includes(value);
  if (value === undefined) return false;
  if (operator === 'Gt') return Number(value) > Number(values[0]);
  if (operator === 'Lt') return Number(value) < Number(values[0]);
  return operator === 'In' && values.includes(value);
}

/** The taints of these effects that the pod does not tolerate; a cordoned node has one by that name. */
export function untolerated(podSpec: KubeObject['spec'], node: KubeObject, effects: readonly string[]): Taint[] {
  const tolerations: Toleration[] = podSpec?.tolerations ?? [];
  const cordon: Taint[] = node.spec?.unschedulable === true ? [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] : [];
  const taints: Taint[] = [...(node.spec?.taints ?? []), ...cordon];
  return taints.filter((taint) => effects.includes(taint.effect) && !tolerations.some((toleration) => tolerates(toleration, taint)));
}

function tolerates({ key, operator = 'Equal', value = '', effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  return operator === 'Exists' || (key !== undefined && value === (taint.value ?? ''));
}
