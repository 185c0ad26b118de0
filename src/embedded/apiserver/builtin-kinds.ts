/** One served built-in resource: what discovery says about it. Schemas come from kinds.json. */
export interface BuiltinKind {
  group: string;
  version: string;
  kind: string;
  plural: string;
  namespaced: boolean;
  shortNames?: readonly string[];
  categories?: readonly string[];
  status?: boolean;
  scale?: boolean;
  /** Only `create` is served, and nothing is stored. */
  virtual?: boolean;
  /** Which store holds it, when two groups or versions show the same objects: `group/plural`. */
  storedAs?: string;
}

const core = { group: '', version: 'v1' };
const apps = { group: 'apps', version: 'v1' };
const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' };
const admission = { group: 'admissionregistration.k8s.io', version: 'v1' };
const all = { categories: ['all'] };

export const builtinKinds: readonly BuiltinKind[] = [
  { ...core, kind: 'Namespace', plural: 'namespaces', namespaced: false, shortNames: ['ns'], status: true },
  { ...core, kind: 'Pod', plural: 'pods', namespaced: true, shortNames: ['po'], ...all, status: true },
  { ...core, kind: 'Service', plural: 'services', namespaced: true, shortNames: ['svc'], ...all, status: true },
  { ...core, kind: 'Endpoints', plural: 'endpoints', namespaced: true, shortNames: ['ep'] },
  { ...core, kind: 'ConfigMap', plural: 'configmaps', namespaced: true, shortNames: ['cm'] },
  { ...core, kind: 'Secret', plural: 'secrets', namespaced: true },
  { ...core, kind: 'Event', plural: 'events', namespaced: true, shortNames: ['ev'], storedAs: '/events' },
  { ...core, kind: 'Node', plural: 'nodes', namespaced: false, shortNames: ['no'], status: true },
  { ...core, kind: 'ServiceAccount', plural: 'serviceaccounts', namespaced: true, shortNames: ['sa'] },
  { ...apps, kind: 'Deployment', plural: 'deployments', namespaced: true, shortNames: ['deploy'], ...all, status: true, scale: true },
  { ...apps, kind: 'ReplicaSet', plural: 'replicasets', namespaced: true, shortNames: ['rs'], ...all, status: true, scale: true },
  { ...apps, kind: 'StatefulSet', plural: 'statefulsets', namespaced: true, shortNames: ['sts'], ...all, status: true, scale: true },
  { ...apps, kind: 'DaemonSet', plural: 'daemonsets', namespaced: true, shortNames: ['ds'], ...all, status: true },
  { ...apps, kind: 'ControllerRevision', plural: 'controllerrevisions', namespaced: true },
  { group: 'discovery.k8s.io', version: 'v1', kind: 'EndpointSlice', plural: 'endpointslices', namespaced: true },
  { group: 'coordination.k8s.io', version: 'v1', kind: 'Lease', plural: 'leases', namespaced: true },
  {
    group: 'autoscaling',
    version: 'v2',
    kind: 'HorizontalPodAutoscaler',
    plural: 'horizontalpodautoscalers',
    namespaced: true,
    shortNames: ['hpa'],
    ...all,
    status: true,
  },
  {
    group: 'autoscaling',
    version: 'v1',
    kind: 'HorizontalPodAutoscaler',
    plural: 'horizontalpodautoscalers',
    namespaced: true,
    shortNames: ['hpa'],
    ...all,
    status: true,
  },
  {
    group: 'policy',
    version: 'v1',
    kind: 'PodDisruptionBudget',
    plural: 'poddisruptionbudgets',
    namespaced: true,
    shortNames: ['pdb'],
    status: true,
  },
  {
    group: 'networking.k8s.io',
    version: 'v1',
    kind: 'Ingress',
    plural: 'ingresses',
    namespaced: true,
    shortNames: ['ing'],
    status: true,
  },
  { group: 'networking.k8s.io', version: 'v1', kind: 'IngressClass', plural: 'ingressclasses', namespaced: false },
  { group: 'events.k8s.io', version: 'v1', kind: 'Event', plural: 'events', namespaced: true, shortNames: ['ev'], storedAs: '/events' },
  { ...rbac, kind: 'Role', plural: 'roles', namespaced: true },
  { ...rbac, kind: 'RoleBinding', plural: 'rolebindings', namespaced: true },
  { ...rbac, kind: 'ClusterRole', plural: 'clusterroles', namespaced: false },
  { ...rbac, kind: 'ClusterRoleBinding', plural: 'clusterrolebindings', namespaced: false },
  // Stored and nothing more: no write is held to them here.
  { ...admission, kind: 'ValidatingAdmissionPolicy', plural: 'validatingadmissionpolicies', namespaced: false, status: true },
  { ...admission, kind: 'ValidatingAdmissionPolicyBinding', plural: 'validatingadmissionpolicybindings', namespaced: false },
  {
    group: 'authorization.k8s.io',
    version: 'v1',
    kind: 'SelfSubjectAccessReview',
    plural: 'selfsubjectaccessreviews',
    namespaced: false,
    virtual: true,
  },
  {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    kind: 'CustomResourceDefinition',
    plural: 'customresourcedefinitions',
    namespaced: false,
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    status: true,
  },
];
