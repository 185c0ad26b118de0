import type { KubeObject } from '../../src/api/kube-object.ts';

const read = ['get', 'list', 'watch'];
const write = [...read, 'create', 'patch', 'update', 'delete'];

/** What the controller may do, and nothing more: a request that it makes beyond this fails the suite. */
export const controllerRules = [
  { apiGroups: ['flagger.app'], resources: ['canaries', 'metrictemplates', 'alertproviders'], verbs: read },
  { apiGroups: ['flagger.app'], resources: ['canaries/status', 'canaries/finalizers', 'canaries'], verbs: ['get', 'patch', 'update'] },
  { apiGroups: ['apps'], resources: ['deployments', 'daemonsets', 'controllerrevisions'], verbs: write },
  { apiGroups: ['apps'], resources: ['deployments/scale'], verbs: ['get', 'patch', 'update'] },
  { apiGroups: [''], resources: ['services'], verbs: write },
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: read },
  { apiGroups: ['serving.knative.dev'], resources: ['services'], verbs: [...read, 'patch'] },
  { apiGroups: ['serving.knative.dev'], resources: ['revisions'], verbs: read },
  // Tracked configs are watched by name; their copies are made and pruned, and never changed.
  // `patch`: the owner of copies that the established controller made.
  { apiGroups: [''], resources: ['configmaps', 'secrets'], verbs: [...read, 'create', 'patch', 'delete'] },
  { apiGroups: [''], resources: ['namespaces'], verbs: ['get'] },
  { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['get', 'create', 'patch'] },
  { apiGroups: ['autoscaling'], resources: ['horizontalpodautoscalers'], verbs: write },
  { apiGroups: ['keda.sh'], resources: ['scaledobjects'], verbs: write },
  { apiGroups: ['networking.istio.io'], resources: ['virtualservices', 'destinationrules'], verbs: write },
  { apiGroups: ['gateway.networking.k8s.io'], resources: ['httproutes', 'grpcroutes'], verbs: write },
  { apiGroups: ['split.smi-spec.io'], resources: ['trafficsplits'], verbs: write },
  { apiGroups: ['specs.smi-spec.io'], resources: ['httproutegroups'], verbs: write },
  { apiGroups: ['networking.k8s.io'], resources: ['ingresses'], verbs: write },
  { apiGroups: ['gateway.solo.io'], resources: ['routetables'], verbs: write },
  { apiGroups: ['gloo.solo.io'], resources: ['upstreams'], verbs: write },
  { apiGroups: ['projectcontour.io'], resources: ['httpproxies'], verbs: write },
  { apiGroups: ['traefik.io'], resources: ['traefikservices'], verbs: write },
  { apiGroups: ['apisix.apache.org'], resources: ['apisixroutes'], verbs: write },
  { apiGroups: ['appmesh.k8s.aws'], resources: ['virtualnodes', 'virtualrouters', 'virtualservices'], verbs: write },
  { apiGroups: ['kuma.io'], resources: ['trafficroutes'], verbs: write },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update', 'patch'] },
] as const;

/** The ClusterRole of the controller and its binding to a user. */
export function controllerRole(user: string): KubeObject[] {
  const metadata = { name: 'serin' };
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  return [
    { apiVersion, kind: 'ClusterRole', metadata, rules: controllerRules },
    {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'serin' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
    },
  ];
}
