import { modes } from '../../scripts/rights/modes.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { permissionsFor } from '../../src/controller/permissions.ts';

/** The user under whom the controllers of lives run: it has the chart's Role in each life's namespace, and nothing elsewhere. */
export const CONTROLLER = 'serin-of-a-namespace';
/** A user of the applications: Kubernetes' own role `edit`, with what the chart and a mesh add to it. */
export const EDITOR = 'editor';

const RBAC = 'rbac.authorization.k8s.io';
const apiVersion = `${RBAC}/v1`;
const WRITES = ['create', 'update', 'patch', 'delete', 'deletecollection'];
const READS = ['get', 'list', 'watch'];

/** The chart's Role for `namespaces` in docs/rights.md, which a real API server has confirmed for the chart itself (test/e2e/rights.test.ts). */
function chartRules(): object[] {
  const features = modes.find(({ name }) => name === 'namespaces')?.features;
  if (features === undefined) throw new Error('scripts/rights/modes.ts has no mode for namespaces');
  return permissionsFor({ ...features, providers: ['istio', 'kubernetes', 'smi:v1alpha2', 'knative'] }).map(
    ({ group, resources, verbs, names }) => ({
      apiGroups: [group],
      resources,
      verbs,
      ...(names && { resourceNames: names }),
    }),
  );
}

/** Once for all lives: what `edit` gains, and the role of the controller. */
export const sharedRoles = (): KubeObject[] => [
  { apiVersion, kind: 'ClusterRole', metadata: { name: CONTROLLER }, rules: chartRules() },
  {
    apiVersion,
    kind: 'ClusterRole',
    metadata: { name: 'lives-edit', labels: { [`${RBAC}/aggregate-to-edit`]: 'true' } },
    rules: [
      // charts/serin/templates/aggregated-roles.yaml
      { apiGroups: ['flagger.app'], resources: ['canaries', 'metrictemplates', 'alertproviders'], verbs: [...READS, ...WRITES] },
      { apiGroups: ['networking.istio.io'], resources: ['virtualservices', 'destinationrules'], verbs: [...READS, ...WRITES] },
      { apiGroups: ['serving.knative.dev'], resources: ['services', 'revisions'], verbs: [...READS, ...WRITES] },
    ],
  },
];

/** In the namespace of a life. */
export const rightsIn = (namespace: string): KubeObject[] => [
  binding(namespace, CONTROLLER, CONTROLLER),
  binding(namespace, 'edit', EDITOR),
];

const binding = (namespace: string, role: string, user: string): KubeObject => ({
  apiVersion,
  kind: 'RoleBinding',
  metadata: { name: user, namespace },
  roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
  subjects: [{ apiGroup: RBAC, kind: 'User', name: user }],
});
