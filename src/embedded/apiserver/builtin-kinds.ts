/** One served built-in resource, as in discovery. Schemas come from kinds.json. */
export interface BuiltinKind {
  group: string;
  version: string;
  kind: string;
  plural: string;
  namespaced: boolean;
  shortNames: readonly string[];
  categories: readonly string[];
  status: boolean;
  scale: boolean;
  /** Only `create` is served, and nothing is stored. */
  virtual: boolean;
  /** Which store holds it, `group/plural`: two groups or versions may show the same objects. */
  storeKey: string;
}

const rbac = 'rbac.authorization.k8s.io/v1';
const admission = 'admissionregistration.k8s.io/v1';
const all = { categories: ['all'] };
const hpa = { shortNames: ['hpa'], ...all, status: true };

/** Namespaced, stored under its own name and without subresources, unless `own` differs. */
function builtin(apiVersion: string, kind: string, plural: string, own: Partial<BuiltinKind> = {}): BuiltinKind {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  const usual = { namespaced: true, shortNames: [], categories: [], status: false, scale: false, virtual: false };
  return { group, version, kind, plural, ...usual, storeKey: `${group}/${plural}`, ...own };
}

export const builtinKinds: readonly BuiltinKind[] = [
  builtin('v1', 'Namespace', 'namespaces', { namespaced: false, shortNames: ['ns'], status: true }),
  builtin('v1', 'Pod', 'pods', { shortNames: ['po'], ...all, status: true }),
  builtin('v1', 'Service', 'services', { shortNames: ['svc'], ...all, status: true }),
  builtin('v1', 'Endpoints', 'endpoints', { shortNames: ['ep'] }),
  builtin('v1', 'ConfigMap', 'configmaps', { shortNames: ['cm'] }),
  builtin('v1', 'Secret', 'secrets'),
  builtin('v1', 'Event', 'events', { shortNames: ['ev'] }),
  builtin('v1', 'Node', 'nodes', { namespaced: false, shortNames: ['no'], status: true }),
  builtin('v1', 'ServiceAccount', 'serviceaccounts', { shortNames: ['sa'] }),
  builtin('apps/v1', 'Deployment', 'deployments', { shortNames: ['deploy'], ...all, status: true, scale: true }),
  builtin('apps/v1', 'ReplicaSet', 'replicasets', { shortNames: ['rs'], ...all, status: true, scale: true }),
  builtin('apps/v1', 'StatefulSet', 'statefulsets', { shortNames: ['sts'], ...all, status: true, scale: true }),
  builtin('apps/v1', 'DaemonSet', 'daemonsets', { shortNames: ['ds'], ...all, status: true }),
  builtin('apps/v1', 'ControllerRevision', 'controllerrevisions'),
  builtin('discovery.k8s.io/v1', 'EndpointSlice', 'endpointslices'),
  builtin('coordination.k8s.io/v1', 'Lease', 'leases'),
  builtin('autoscaling/v2', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers', hpa),
  builtin('autoscaling/v1', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers', hpa),
  builtin('policy/v1', 'PodDisruptionBudget', 'poddisruptionbudgets', { shortNames: ['pdb'], status: true }),
  builtin('networking.k8s.io/v1', 'Ingress', 'ingresses', { shortNames: ['ing'], status: true }),
  builtin('networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies', { shortNames: ['netpol'] }),
  builtin('networking.k8s.io/v1', 'IngressClass', 'ingressclasses', { namespaced: false }),
  builtin('events.k8s.io/v1', 'Event', 'events', { shortNames: ['ev'], storeKey: '/events' }),
  builtin(rbac, 'Role', 'roles'),
  builtin(rbac, 'RoleBinding', 'rolebindings'),
  builtin(rbac, 'ClusterRole', 'clusterroles', { namespaced: false }),
  builtin(rbac, 'ClusterRoleBinding', 'clusterrolebindings', { namespaced: false }),
  // Stored and nothing more: no write is held to them here.
  builtin(admission, 'ValidatingAdmissionPolicy', 'validatingadmissionpolicies', { namespaced: false, status: true }),
  builtin(admission, 'ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings', { namespaced: false }),
  // Evaluated: see mutating-policies.ts.
  builtin(admission, 'MutatingAdmissionPolicy', 'mutatingadmissionpolicies', { namespaced: false }),
  builtin(admission, 'MutatingAdmissionPolicyBinding', 'mutatingadmissionpolicybindings', { namespaced: false }),
  builtin('authorization.k8s.io/v1', 'SelfSubjectAccessReview', 'selfsubjectaccessreviews', { namespaced: false, virtual: true }),
  builtin('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'customresourcedefinitions', {
    ...{ namespaced: false, shortNames: ['crd', 'crds'], categories: ['api-extensions'], status: true },
  }),
];
