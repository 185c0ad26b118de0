import type { KubeObject } from '../../src/api/kube-object.ts';
import type { Permission } from '../../src/api/permission.ts';
import { everyFeature, permissionsFor } from '../../src/controller/permissions.ts';
import { leaseNames, leasePermissions } from '../../src/kube/permissions.ts';
import { apexGuard } from '../admission/apex-guard.ts';
import { requestPolicy, virtualVerbs } from '../admission/request-policy.ts';
import { restricted, sidecarPorts } from '../chart/value-kinds.ts';

const NAME = 'serin';
const NAMESPACE = 'serin';
/** Kustomize cannot refuse an image that is not set. No registry has this name (RFC 2606), and the pod's event says the remedy. */
export const UNSET_IMAGE = 'set-images-in-your-kustomization.invalid/serin';
const labels = { 'app.kubernetes.io/name': NAME };
const rbac = 'rbac.authorization.k8s.io';
const account = { kind: 'ServiceAccount', name: NAME, namespace: NAMESPACE };
const aggregateTo = (...roles: string[]) => Object.fromEntries(roles.map((role) => [`${rbac}/aggregate-to-${role}`, 'true']));

const rulesOf = (permissions: readonly Permission[]) =>
  permissions.map(({ group, resources, verbs }) => ({ apiGroups: [group], resources, verbs }));

/** Everything but routes: those are granted by the component of a provider. */
export function baseObjects(version: string): KubeObject[] {
  const rules = rulesOf(permissionsFor({ ...everyFeature, providers: [] }));
  const resources = ['canaries', 'metrictemplates', 'alertproviders'];
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE, labels } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: NAME, namespace: NAMESPACE, labels } },
    ...clusterRole(NAME, rules),
    ...leaseRole(),
    forPeople('view', resources, ['get', 'list', 'watch'], ['view', 'edit', 'admin']),
    forPeople('edit', resources, ['create', 'update', 'patch', 'delete', 'deletecollection'], ['edit', 'admin']),
    deployment(version),
    networkPolicy(),
  ];
}

function forPeople(name: string, resources: string[], verbs: readonly string[], roles: string[]): KubeObject {
  return {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRole',
    metadata: { name: `${NAME}-${name}`, labels: { ...labels, ...aggregateTo(...roles) } },
    rules: [{ apiGroups: ['flagger.app'], resources, verbs }],
  };
}

/** The objects that the chart makes with `admissionPolicy.enabled`. */
export function requestPolicyObjects(): KubeObject[] {
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const metadata = { name: `${NAME}-requests`, labels };
  return [
    { apiVersion, kind: 'ValidatingAdmissionPolicy', metadata, spec: requestPolicy() },
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata,
      spec: { policyName: metadata.name, validationActions: ['Deny'] },
    },
    forPeople('requests', ['canaries'], virtualVerbs, ['edit', 'admin']),
  ];
}

/** The objects that the chart makes where the API server has the kind. An empty list of `namespaces` means all. */
export function apexGuardObjects(namespaces: readonly string[] = []): KubeObject[] {
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const metadata = { name: `${NAME}-apex-guard`, labels };
  const matchExpressions = [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: namespaces }];
  return [
    { apiVersion, kind: 'MutatingAdmissionPolicy', metadata, spec: apexGuard() },
    {
      apiVersion,
      kind: 'MutatingAdmissionPolicyBinding',
      metadata,
      spec: {
        policyName: metadata.name,
        ...(namespaces.length > 0 && { matchResources: { namespaceSelector: { matchExpressions } } }),
      },
    },
  ];
}

/** Lets Serin query the Prometheus of Linkerd's viz extension, in its usual place. */
export function linkerdAuthorization(): KubeObject {
  return {
    apiVersion: 'policy.linkerd.io/v1alpha1',
    kind: 'AuthorizationPolicy',
    metadata: { name: `${NAME}-prometheus`, namespace: 'linkerd-viz', labels },
    spec: {
      targetRef: { group: 'policy.linkerd.io', kind: 'Server', name: 'prometheus-admin' },
      requiredAuthenticationRefs: [account],
    },
  };
}

/** The role of one provider; none where it needs none. */
export function providerObjects(name: string, permissions: readonly Permission[]): KubeObject[] {
  return permissions.length === 0 ? [] : clusterRole(`${NAME}-${name}`, rulesOf(permissions));
}

function clusterRole(name: string, rules: object[]): KubeObject[] {
  const apiVersion = `${rbac}/v1`;
  return [
    { apiVersion, kind: 'ClusterRole', metadata: { name, labels }, rules },
    {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: { name, labels },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
      subjects: [account],
    },
  ];
}

function leaseRole(): KubeObject[] {
  const metadata = { name: `${NAME}-leader-election`, namespace: NAMESPACE, labels };
  const [{ verbs = [] } = {}] = leasePermissions;
  const lease = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] };
  const rules = [
    { ...lease, resourceNames: [...leaseNames], verbs: verbs.filter((verb) => verb !== 'create') },
    // A name cannot limit what creates an object.
    { ...lease, verbs: ['create'] },
  ];
  return [
    { apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: rbac, kind: 'Role', name: metadata.name },
      subjects: [account],
    },
  ];
}

/** The same as in the chart. */
const tokenVolume = {
  name: 'serin-token',
  projected: {
    sources: [
      { serviceAccountToken: { path: 'token', expirationSeconds: 3600 } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
    ],
  },
};

function networkPolicy(): KubeObject {
  const ports = [8080, ...sidecarPorts].map((port) => ({ port, protocol: 'TCP' }));
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: NAME, namespace: NAMESPACE, labels },
    spec: { podSelector: { matchLabels: labels }, policyTypes: ['Ingress'], ingress: [{ ports }] },
  };
}

/** The Deployment that the chart renders without values; a test compares the two. */
function deployment(version: string): KubeObject {
  const probe = (path: string, periodSeconds: number) => ({ httpGet: { path, port: 'http' }, periodSeconds, timeoutSeconds: 5 });
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: NAME, namespace: NAMESPACE, labels },
    spec: {
      replicas: 1,
      // The new pod waits until the old one releases the lease.
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '8080' } },
        spec: {
          serviceAccountName: NAME,
          automountServiceAccountToken: true,
          enableServiceLinks: false,
          containers: [
            {
              name: 'serin',
              image: `${UNSET_IMAGE}:${version}`,
              imagePullPolicy: 'IfNotPresent',
              args: [
                'controller',
                '--log-level=info',
                '--include-label-prefix=app.kubernetes.io',
                '--enable-leader-election',
                '--leader-election-namespace=$(POD_NAMESPACE)',
              ],
              env: [
                { name: 'NODE_OPTIONS', value: '--max-old-space-size-percentage=60' },
                { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
                { name: 'HOST_IPS', valueFrom: { fieldRef: { fieldPath: 'status.hostIP' } } },
              ],
              ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
              livenessProbe: probe('/livez', 10),
              readinessProbe: probe('/readyz', 5),
              securityContext: restricted,
              resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '512Mi' } },
              volumeMounts: [{ name: 'serin-token', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', readOnly: true }],
            },
          ],
          volumes: [tokenVolume],
          affinity: {
            podAntiAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [
                { weight: 100, podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: labels } } },
              ],
            },
          },
        },
      },
    },
  };
}
