import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { readMessageTemplates } from '../../src/notifiers/message-templates.ts';
import { raw } from '../fakes/raw.ts';
import { type Helm, runProgram, startHelm } from './helm.ts';

/** Rendered objects, by the parts that the tests check. */
interface Rendered {
  objects: KubeObject[];
  deployment: KubeObject;
  pod: KubeObject;
  container: Record<string, unknown> & { args: string[]; volumeMounts?: object[] };
  of(kind: string): KubeObject[];
}

function partsOf(objects: KubeObject[]): Rendered {
  const of = (kind: string) => objects.filter((object) => object.kind === kind);
  const [deployment] = of('Deployment');
  if (!deployment) throw new Error('the chart renders a Deployment');
  const pod = raw(deployment).spec.template;
  return { objects, deployment, pod, container: pod.spec.containers[0], of };
}

const args =
  (...wanted: string[]) =>
  ({ container }: Rendered) =>
    expect(container.args).toEqual(expect.arrayContaining(wanted));

/** The values of Flagger's chart, each with its effect. */
const rows: { what: string; values?: object; holds(rendered: Rendered): void }[] = [
  {
    what: 'image, and one Secret for its registry',
    values: {
      image: { repository: 'r.example/serin', tag: 'v9', pullPolicy: 'Always', pullSecret: 'one' },
      imagePullSecrets: [{ name: 'two' }],
    },
    holds({ pod, container }) {
      expect(container).toMatchObject({ image: 'r.example/serin:v9', imagePullPolicy: 'Always' });
      expect(raw(pod).spec.imagePullSecrets).toEqual([{ name: 'two' }, { name: 'one' }]);
    },
  },
  {
    what: 'annotations',
    values: { annotations: { a: 'b' } },
    holds: ({ deployment }) => expect(deployment.metadata.annotations).toEqual({ a: 'b' }),
  },
  { what: 'logLevel', values: { logLevel: 'debug' }, holds: args('--log-level=debug') },
  {
    what: 'podAnnotations',
    holds: ({ pod }) => expect(pod.metadata.annotations).toEqual({ 'prometheus.io/scrape': 'true', 'prometheus.io/port': '8080' }),
  },
  {
    what: 'podLabels, deploymentLabels',
    values: { podLabels: { a: 'b' }, deploymentLabels: { c: 'd' } },
    holds({ pod, deployment }) {
      expect(pod.metadata.labels).toMatchObject({ a: 'b', 'app.kubernetes.io/name': 'serin' });
      expect(deployment.metadata.labels).toMatchObject({ c: 'd' });
    },
  },
  {
    what: 'podPriorityClassName',
    values: { podPriorityClassName: 'high' },
    holds: ({ pod }) => expect(raw(pod).spec.priorityClassName).toBe('high'),
  },
  { what: 'metricsServer', values: { metricsServer: 'http://p:1' }, holds: args('--metrics-server=http://p:1') },
  { what: 'meshProvider', values: { meshProvider: 'gatewayapi:v1' }, holds: args('--mesh-provider=gatewayapi:v1') },
  { what: 'namespace', values: { namespace: 'a' }, holds: args('--namespaces=a') },
  { what: 'selectorLabels', values: { selectorLabels: 'app,name' }, holds: args('--selector-labels=app,name') },
  { what: 'includeLabelPrefix', values: { includeLabelPrefix: '*' }, holds: args('--include-label-prefix=*') },
  {
    what: 'configTracking.enabled',
    values: { configTracking: { enabled: false } },
    holds: args('--enable-config-tracking=false', '--secrets-mode=off'),
  },
  {
    what: 'secrets.namespaces, secrets.names: a Role in each namespace, and the same in the flags',
    values: { secrets: { namespaces: ['a', 'b'], names: ['db', 'slack'] } },
    holds(rendered) {
      args('--secrets-mode=watch', '--secrets-namespaces=a,b', '--secrets-names=db,slack')(rendered);
      const roles = rendered.of('Role').filter(({ metadata }) => metadata.name === 'serin-secrets');
      expect(roles.map(({ metadata }) => metadata.namespace)).toEqual(['a', 'b']);
    },
  },
  {
    what: 'ingressAnnotationsPrefix, ingressClass',
    values: { ingressAnnotationsPrefix: 'my.io', ingressClass: 'contour' },
    holds: args('--ingress-annotations-prefix=my.io', '--ingress-class=contour'),
  },
  {
    what: 'eventWebhook, clusterName, dashboardUrl',
    values: { eventWebhook: 'https://e.example/t', clusterName: 'prod eu', dashboardUrl: 'https://serin.example' },
    holds(rendered) {
      args('--cluster-name=prod eu', '--dashboard-url=https://serin.example')(rendered);
      expect(rendered.of('Secret')[0]?.stringData).toEqual({ EVENT_WEBHOOK_URL: 'https://e.example/t' });
    },
  },
  {
    what: 'messageTemplates, as a file that the controller can read',
    values: { messageTemplates: { Failed: '{{name}}: {{#checks}}\n{{check}}\n{{/checks}}', default: '"{{text}}"' } },
    holds(rendered) {
      args('--message-templates-file=/etc/serin/messages/templates.yaml')(rendered);
      const [map] = rendered.of('ConfigMap');
      expect(readMessageTemplates(String(raw(map).data['templates.yaml']))).toEqual({ templates: expect.any(Function) });
      const { name } = map?.metadata ?? {};
      expect(raw(rendered.pod).spec.volumes).toContainEqual({ name: 'messages', configMap: { name } });
      expect(rendered.container.volumeMounts).toContainEqual({ name: 'messages', mountPath: '/etc/serin/messages', readOnly: true });
      expect(rendered.pod.metadata.annotations).toHaveProperty(['checksum/messages']);
    },
  },
  {
    what: 'slack',
    values: { slack: { user: 'bot', channel: '#releases', url: 'https://s.example/t', proxyUrl: 'http://p:1' } },
    holds(rendered) {
      args('--slack-user=bot', '--slack-channel=#releases', '--slack-proxy-url=http://p:1')(rendered);
      expect(rendered.of('Secret')[0]?.stringData).toEqual({ SLACK_URL: 'https://s.example/t' });
    },
  },
  {
    what: 'msteams',
    values: { msteams: { url: 'https://t.example/t', proxyUrl: 'http://p:1' } },
    holds(rendered) {
      args('--msteams-proxy-url=http://p:1')(rendered);
      expect(rendered.of('Secret')[0]?.stringData).toEqual({ MSTEAMS_URL: 'https://t.example/t' });
    },
  },
  {
    what: 'threadiness, without effect',
    values: { threadiness: 4 },
    holds: ({ container }) => expect(container.args.join(' ')).not.toContain('threadiness'),
  },
  {
    what: 'kubeconfigQPS, kubeconfigBurst',
    values: { kubeconfigQPS: 5, kubeconfigBurst: '10' },
    holds: args('--kubeconfig-qps=5', '--kubeconfig-burst=10'),
  },
  { what: 'noCrossNamespaceRefs', values: { noCrossNamespaceRefs: true }, holds: args('--no-cross-namespace-refs') },
  {
    what: 'leaderElection, on by default; without it never two pods at a time',
    values: { leaderElection: { enabled: false } },
    holds({ deployment, container }) {
      expect(deployment.spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
      expect(container.args.join(' ')).not.toContain('leader');
    },
  },
  {
    what: 'env',
    values: { env: [{ name: 'SLACK_TOKEN', value: 'x' }] },
    holds: ({ container }) =>
      expect(container.env).toEqual([
        expect.objectContaining({ name: 'NODE_OPTIONS' }),
        expect.objectContaining({ name: 'HOST_IPS' }),
        { name: 'SLACK_TOKEN', value: 'x' },
      ]),
  },
  {
    what: 'securityContext',
    values: { securityContext: { context: { runAsUser: 10001 } } },
    holds: ({ container }) =>
      expect(container.securityContext).toMatchObject({ runAsUser: 10001, runAsNonRoot: true, readOnlyRootFilesystem: true }),
  },
  {
    what: 'serviceAccount',
    values: { serviceAccount: { name: 'other', annotations: { a: 'b' } } },
    holds({ of, pod }) {
      expect(of('ServiceAccount')[0]?.metadata).toMatchObject({ name: 'other', annotations: { a: 'b' } });
      expect(raw(pod).spec.serviceAccountName).toBe('other');
      expect(of('ClusterRoleBinding')[0]?.subjects).toEqual([{ kind: 'ServiceAccount', name: 'other', namespace: 'serin' }]);
    },
  },
  {
    what: 'rbac',
    values: { rbac: { create: false, pspEnabled: true } },
    holds: ({ objects }) => expect(objects.filter(({ kind }) => /Role|PodSecurityPolicy/.test(kind))).toEqual([]),
  },
  {
    what: 'crd.create, without effect',
    values: { crd: { create: true } },
    holds: ({ of }) => expect(of('CustomResourceDefinition')).toHaveLength(3),
  },
  {
    what: 'linkerdAuthPolicy',
    values: { linkerdAuthPolicy: { create: true, namespace: 'viz' } },
    holds: ({ of, pod }) => {
      const [policy] = of('AuthorizationPolicy');
      expect(policy).toMatchObject({ metadata: { namespace: 'viz' }, spec: { targetRef: { name: 'prometheus-admin' } } });
      // The policy admits the identity of the pod, which the pod has only as a part of the mesh.
      expect(raw(policy)?.spec.requiredAuthenticationRefs).toMatchObject([
        { kind: 'ServiceAccount', name: raw(pod).spec.serviceAccountName },
      ]);
      expect(pod.metadata.annotations).toMatchObject({ 'linkerd.io/inject': 'enabled' });
    },
  },
  {
    what: 'resources',
    values: { resources: { limits: { memory: '1Gi', cpu: '1' } } },
    holds: ({ container }) =>
      expect(container.resources).toEqual({ limits: { memory: '1Gi', cpu: '1' }, requests: { cpu: '50m', memory: '128Mi' } }),
  },
  {
    what: 'nodeSelector, tolerations, affinity, which may have a template in it',
    values: {
      nodeSelector: { os: 'linux' },
      tolerations: [{ operator: 'Exists' }],
      affinity: { nodeAffinity: { name: '{{ .Release.Name }}' } },
    },
    holds: ({ pod }) =>
      expect(pod.spec).toMatchObject({
        nodeSelector: { os: 'linux' },
        tolerations: [{ operator: 'Exists' }],
        affinity: { nodeAffinity: { name: 'serin' } },
      }),
  },
  {
    what: 'controlplane.kubeconfig',
    values: { controlplane: { kubeconfig: { secretName: 'mesh', key: 'config' } } },
    holds(rendered) {
      args('--kubeconfig-service-mesh=/etc/serin/controlplane/config')(rendered);
      expect(rendered.container.volumeMounts?.slice(1)).toEqual([
        { name: 'controlplane', mountPath: '/etc/serin/controlplane', readOnly: true },
      ]);
      expect(raw(rendered.pod).spec.volumes.slice(1)).toEqual([{ name: 'controlplane', secret: { secretName: 'mesh' } }]);
    },
  },
  {
    what: 'podMonitor',
    values: { podMonitor: { enabled: true, namespace: 'm', interval: '5s', additionalLabels: { a: 'b' }, honorLabels: true } },
    holds: ({ of }) =>
      expect(of('PodMonitor')[0]).toMatchObject({
        metadata: { namespace: 'm', labels: { a: 'b' } },
        spec: {
          podMetricsEndpoints: [{ port: 'http', path: '/metrics', interval: '5s', honorLabels: true }],
          namespaceSelector: { matchNames: ['serin'] },
        },
      }),
  },
  {
    what: 'serviceMonitor, with a Service, where its namespace says',
    values: { serviceMonitor: { enabled: true, namespace: 'm', labels: { a: 'b' } } },
    holds({ of }) {
      expect(of('ServiceMonitor')[0]).toMatchObject({ metadata: { namespace: 'm', labels: { a: 'b' } } });
      expect(raw(of('Service')[0])?.spec.ports).toEqual([{ name: 'http', port: 8080, targetPort: 'http', protocol: 'TCP' }]);
    },
  },
  {
    what: 'additionalVolumes, additionalVolumeMounts',
    values: { additionalVolumes: [{ name: 'v', emptyDir: {} }], additionalVolumeMounts: [{ name: 'v', mountPath: '/v' }] },
    holds({ pod, container }) {
      expect(raw(pod).spec.volumes.slice(1)).toEqual([{ name: 'v', emptyDir: {} }]);
      expect(container.volumeMounts?.slice(1)).toEqual([{ name: 'v', mountPath: '/v' }]);
    },
  },
  {
    what: 'nameOverride, fullnameOverride',
    values: { nameOverride: 'short', fullnameOverride: 'whole' },
    holds({ deployment, of }) {
      expect(deployment.metadata).toMatchObject({ name: 'whole', labels: { 'app.kubernetes.io/name': 'short' } });
      expect(of('ClusterRole').map(({ metadata }) => metadata.name)).toContain('whole');
    },
  },
];

describe('the values that people know', () => {
  let helm: Helm;
  beforeAll(async () => {
    helm = await startHelm();
  });
  afterAll(() => helm?.stop());

  it.each(rows)('$what', async ({ values = {}, holds }) => {
    holds(partsOf(await helm.render('serin', values)));
  });

  it('the environment of the container sets the heap to 60 % of the available memory', async () => {
    const { container } = partsOf(await helm.render('serin'));
    const [{ value }] = container.env as [{ value: string }];
    const script =
      'const { heap_size_limit } = process.getBuiltinModule("v8").getHeapStatistics();' +
      'const all = Math.min(process.getBuiltinModule("os").totalmem(), process.constrainedMemory() || Infinity);' +
      'console.log(heap_size_limit / all)';
    const ran = await runProgram(process.execPath, ['-e', script], { NODE_OPTIONS: value });
    expect(ran.complained).toBe('');
    expect(Number(ran.said)).toBeCloseTo(0.6, 1);
  });
});
