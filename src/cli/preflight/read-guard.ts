import type { LabelSelector } from '../../api/kinds/label-selector.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { guardAnnotation } from '../../api/names.ts';
import type { ClusterReader } from '../../kube/cluster.ts';
import { isForbidden, isNotFound } from '../../kube/errors.ts';
import { selects } from '../../workloads/label-selector.ts';

/** `notServed`: the API server lacks the kind. `unknown`: the user of the command may not list it. */
export const guardStates = ['inForce', 'absent', 'notServed', 'unknown'] as const;
export type GuardState = (typeof guardStates)[number];
export type GuardOf = (namespace: string) => GuardState;

interface Policy {
  matchConditions?: { expression?: string }[];
}
interface Binding {
  policyName?: string;
  matchResources?: { namespaceSelector?: LabelSelector };
}

const apiVersion = 'admissionregistration.k8s.io/v1';

/** Tests if the apex guard holds in a namespace, by two requests for any number of Canaries. A binding is matched by the name of the namespace. */
export async function readGuard(cluster: Pick<ClusterReader, 'list'>): Promise<GuardOf> {
  const read = async (kind: string) => (await cluster.list({ apiVersion, kind })).items;
  try {
    const guards = (await read('MutatingAdmissionPolicy')).filter(isGuard).map(({ metadata }) => metadata.name);
    const bindings = (await read('MutatingAdmissionPolicyBinding')).map(({ spec }) => spec as Binding);
    return (namespace) => {
      const labels = { 'kubernetes.io/metadata.name': namespace };
      const holds = ({ policyName = '', matchResources }: Binding) =>
        guards.includes(policyName) && selects(matchResources?.namespaceSelector ?? {}, labels);
      return bindings.some(holds) ? 'inForce' : 'absent';
    };
  } catch (error) {
    if (isNotFound(error)) return () => 'notServed';
    if (isForbidden(error)) return () => 'unknown';
    throw error;
  }
}

const isGuard = ({ spec }: KubeObject): boolean =>
  ((spec as Policy | undefined)?.matchConditions ?? []).some(({ expression }) => expression?.includes(guardAnnotation));

const RESET =
  'Helm, Argo CD, Flux and kubectl lead it to the target with each apply, until Serin leads it back, and for as long as Serin is down. ' +
  'A server-side apply (Helm 4, --server-side) can end with a conflict instead';

/** Effect on a Service's selector of the tools that apply its manifest. */
export const guardSentence: Readonly<Record<GuardState, string>> = {
  inForce: 'its selector stays at the primary, whichever tool applies its manifest: the apex guard is in force',
  absent: `${RESET}. To keep it: apexGuard.enabled of the chart, or kustomize/apex-guard (docs/apex-guard.md)`,
  notServed: `${RESET}. To keep it: Kubernetes 1.36 has the kind of the apex guard; until then leave the selector out of the manifest that is applied (docs/apex-guard.md)`,
  unknown: 'whether the apex guard is in force was not checked: you may not list MutatingAdmissionPolicies',
};
