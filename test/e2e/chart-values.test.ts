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

const row = (what: string, values: object, holds: (rendered: Rendered) => void) => ({ what, values, holds });

/** The values of Flagger's chart, each with its effect. */
const rows = [
  row(
    'image, and one Secret for its registry',
    {
      image: { repository: 'r.example/serin', tag: 'v9', pullPolicy: 'Always', pullSecret: 'one' },
      imagePullSecrets: [{ name: 'two' }],
    },
    ({ pod, container }) => {
      expect(container).toMatchObject({ image: 'r.example/serin:v9', imagePullPolicy: 'Always' });
      expect(raw(pod).spec.imagePullSecrets).toEqual([{ name: 'two' }, { name: 'one' }]);
    },
  ),
  row('annotations', { annotations: { a: 'b' } }, ({ deployment }) => expect(deployment.metadata.annotations).toEqual({ a: 'b' })),
  row('logLevel', { logLevel: 'debug' }, args('--log-level=debug')),
  row('podAnnotations', {}, ({ pod }) =>
    expect(pod.metadata.annotations).toEqual({ 'prometheus.io/scrape': 'true', 'prometheus.io/port': '8080' }),
  ),
  row('podLabels, deploymentLabels', { podLabels: { a: 'b' }, deploymentLabels: { c: 'd' } }, ({ pod, deployment }) => {
    expect(pod.metadata.labels).toMatchObject({ a: 'b', 'app.kubernetes.io/name': 'serin' });
    expect(deployment.metadata.labels).toMatchObject({ c: 'd' });
  }),
  row('podPriorityClassName', { podPriorityClassName: 'high' }, ({ pod }) => expect(raw(pod).spec.priorityClassName).toBe('high')),
  row('metricsServer', { metricsServer: 'http://p:1' }, args('--metrics-server=http://p:1')),
  row('meshProvider', { meshProvider: 'gatewayapi:v1' }, args('--mesh-provider=gatewayapi:v1')),
  row('namespace', { namespace: 'a' }, args('--namespaces=a')),
  row('selectorLabels', { selectorLabels: 'app,name' }, args('--selector-labels=app,name')),
  row('includeLabelPrefix', { includeLabelPrefix: '*' }, args('--include-label-prefix=*')),
  row('configTracking.enabled', { configTracking: { enabled: false } }, args('--enable-config-tracking=false', '--secrets-mode=off')),
  row(
    'secrets.namespaces, secrets.names: a Role in each namespace, and the same in the flags',
    { secrets: { namespaces: ['a', 'b'], names: ['db', 'slack'] } },
    (rendered) => {
      args('--secrets-mode=watch', '--secrets-namespaces=a,b', '--secrets-names=db,slack')(rendered);
      const roles = rendered.of('Role').filter(({ metadata }) => metadata.name === 'serin-secrets');
      expect(roles.map(({ metadata }) => metadata.namespace)).toEqual(['a', 'b']);
    },
  ),
  row(
    'ingressAnnotationsPrefix, ingressClass',
    { ingressAnnotationsPrefix: 'my.io', ingressClass: 'contour' },
    args('--ingress-annotations-prefix=my.io', '--ingress-class=contour'),
  ),
  row(
    'eventWebhook, clusterName, dashboardUrl',
    { eventWebhook: 'https://e.example/t', clusterName: 'prod eu', dashboardUrl: 'https://serin.example' },
    (rendered) => {
      args('--cluster-name=prod eu', '--dashboard-url=https://serin.example')(rendered);
      expect(rendered.of('Secret')[0]?.stringData).toEqual({ EVENT_WEBHOOK_URL: 'https://e.example/t' });
    },
  ),
  row(
    'messageTemplates, as a file that the controller can read',
    { messageTemplates: { Failed: '{{name}}: {{#checks}}\n{{check}}\n{{/checks}}', default: '"{{text}}"' } },
    (rendered) => {
      args('--message-templates-file=/etc/serin/messages/templates.yaml')(rendered);
      const [map] = rendered.of('ConfigMap');
      expect(readMessageTemplates(String(raw(map).data['templates.yaml']))).toEqual({ templates: expect.any(Function) });
      const { name } = map?.metadata ?? {};
      expect(raw(rendered.pod).spec.volumes).toContainEqual({ name: 'messages', configMap: { name } });
      expect(rendered.container.volumeMounts).toContainEqual({ name: 'messages', mountPath: '/etc/serin/messages', readOnly: true });
      expect(rendered.pod.metadata.annotations).toHaveProperty(['checksum/messages']);
    },
  ),
  row('slack', { slack: { user: 'bot', channel: '#releases', url: 'https://s.example/t', proxyUrl: 'http://p:1' } }, (rendered) => {
    args('--slack-user=bot', '--slack-channel=#releases', '--slack-proxy-url=http://p:1')(rendered);
    expect(rendered.of('Secret')[0]?.stringData).toEqual({ SLACK_URL: 'https://s.example/t' });
  }),
  row('msteams', { msteams: { url: 'https://t.example/t', proxyUrl: 'http://p:1' } }, (rendered) => {
    args('--msteams-proxy-url=http://p:1')(rendered);
    expect(rendered.of('Secret')[0]?.stringData).toEqual({ MSTEAMS_URL: 'https://t.example/t' });
  }),
  row('threadiness, without effect', { threadiness: 4 }, ({ container }) => expect(container.args.join(' ')).not.toContain('threadiness')),
  row('kubeconfigQPS, kubeconfigBurst', { kubeconfigQPS: 5, kubeconfigBurst: '10' }, args('--kubeconfig-qps=5', '--kubeconfig-burst=10')),
  row('lowMemory', { lowMemory: true }, ({ container }) => expect(container.command).toContain('--no-opt')),
  row('podLogs', { podLogs: true }, args('--pod-logs')),
  row('kstatus', { kstatus: true }, args('--kstatus')),
  row('noCrossNamespaceRefs', { noCrossNamespaceRefs: true }, args('--no-cross-namespace-refs')),
  row(
    'leaderElection, on by default; without it never two pods at a time',
    { leaderElection: { enabled: false } },
    ({ deployment, container }) => {
      expect(deployment.spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
      expect(container.args.join(' ')).not.toContain('leader');
    },
  ),
  row('env', { env: [{ name: 'SLACK_TOKEN', value: 'x' }] }, ({ container }) =>
    expect(container.env).toEqual([
      expect.objectContaining({ name: 'NODE_OPTIONS' }),
      expect.objectContaining({ name: 'HOST_IPS' }),
      { name: 'SLACK_TOKEN', value: 'x' },
    ]),
  ),
  row('securityContext', { securityContext: { context: { runAsUser: 10001 } } }, ({ container }) =>
    expect(container.securityContext).toMatchObject({ runAsUser: 10001, runAsNonRoot: true, readOnlyRootFilesystem: true }),
  ),
  row('serviceAccount', { serviceAccount: { name: 'other', annotations: { a: 'b' } } }, ({ of, pod }) => {
    expect(of('ServiceAccount')[0]?.metadata).toMatchObject({ name: 'other', annotations: { a: 'b' } });
    expect(raw(pod).spec.serviceAccountName).toBe('other');
    expect(of('ClusterRoleBinding')[0]?.subjects).toEqual([{ kind: 'ServiceAccount', name: 'other', namespace: 'serin' }]);
  }),
  row('rbac', { rbac: { create: false, pspEnabled: true } }, ({ objects }) =>
    expect(objects.filter(({ kind }) => /Role|PodSecurityPolicy/.test(kind))).toEqual([]),
  ),
  row('crd.create, without effect', { crd: { create: true } }, ({ of }) => expect(of('CustomResourceDefinition')).toHaveLength(3)),
  row('linkerdAuthPolicy', { linkerdAuthPolicy: { create: true, namespace: 'viz' } }, ({ of, pod }) => {
    const [policy] = of('AuthorizationPolicy');
    expect(policy).toMatchObject({ metadata: { namespace: 'viz' }, spec: { targetRef: { name: 'prometheus-admin' } } });
    // The policy admits the identity of the pod, which the pod has only as a part of the mesh.
    expect(raw(policy)?.spec.requiredAuthenticationRefs).toMatchObject([
      { kind: 'ServiceAccount', name: raw(pod).spec.serviceAccountName },
    ]);
    expect(pod.metadata.annotations).toMatchObject({ 'linkerd.io/inject': 'enabled' });
  }),
  row('resources', { resources: { limits: { memory: '1Gi', cpu: '1' } } }, ({ container }) =>
    expect(container.resources).toEqual({ limits: { memory: '1Gi', cpu: '1' }, requests: { cpu: '50m', memory: '128Mi' } }),
  ),
  row(
    'nodeSelector, tolerations, affinity, which may have a template in it',
    {
      nodeSelector: { os: 'linux' },
      tolerations: [{ operator: 'Exists' }],
      affinity: { nodeAffinity: { name: '{{ .Release.Name }}' } },
    },
    ({ pod }) =>
      expect(pod.spec).toMatchObject({
        nodeSelector: { os: 'linux' },
        tolerations: [{ operator: 'Exists' }],
        affinity: { nodeAffinity: { name: 'serin' } },
      }),
  ),
  row('controlplane.kubeconfig', { controlplane: { kubeconfig: { secretName: 'mesh', key: 'config' } } }, (rendered) => {
    args('--kubeconfig-service-mesh=/etc/serin/controlplane/config')(rendered);
    expect(rendered.container.volumeMounts?.slice(1)).toEqual([
      { name: 'controlplane', mountPath: '/etc/serin/controlplane', readOnly: true },
    ]);
    expect(raw(rendered.pod).spec.volumes.slice(1)).toEqual([{ name: 'controlplane', secret: { secretName: 'mesh' } }]);
  }),
  row(
    'podMonitor',
    { podMonitor: { enabled: true, namespace: 'm', interval: '5s', additionalLabels: { a: 'b' }, honorLabels: true } },
    ({ of }) =>
      expect(of('PodMonitor')[0]).toMatchObject({
        metadata: { namespace: 'm', labels: { a: 'b' } },
        spec: {
          podMetricsEndpoints: [{ port: 'http', path: '/metrics', interval: '5s', honorLabels: true }],
          namespaceSelector: { matchNames: ['serin'] },
        },
      }),
  ),
  row(
    'serviceMonitor, with a Service, where its namespace says',
    { serviceMonitor: { enabled: true, namespace: 'm', labels: { a: 'b' } } },
    ({ of }) => {
      expect(of('ServiceMonitor')[0]).toMatchObject({ metadata: { namespace: 'm', labels: { a: 'b' } } });
      expect(raw(of('Service')[0])?.spec.ports).toEqual([{ name: 'http', port: 8080, targetPort: 'http', protocol: 'TCP' }]);
    },
  ),
  row(
    'additionalVolumes, additionalVolumeMounts',
    { additionalVolumes: [{ name: 'v', emptyDir: {} }], additionalVolumeMounts: [{ name: 'v', mountPath: '/v' }] },
    ({ pod, container }) => {
      expect(raw(pod).spec.volumes.slice(1)).toEqual([{ name: 'v', emptyDir: {} }]);
      expect(container.volumeMounts?.slice(1)).toEqual([{ name: 'v', mountPath: '/v' }]);
    },
  ),
  row('nameOverride, fullnameOverride', { nameOverride: 'short', fullnameOverride: 'whole' }, ({ deployment, of }) => {
    expect(deployment.metadata).toMatchObject({ name: 'whole', labels: { 'app.kubernetes.io/name': 'short' } });
    expect(of('ClusterRole').map(({ metadata }) => metadata.name)).toContain('whole');
  }),
];

describe('the values that people know', () => {
  let helm: Helm;
  beforeAll(async () => {
    helm = await startHelm();
  });
  afterAll(() => helm?.stop());

  it.each(rows)('$what', async ({ values, holds }) => {
    holds(partsOf(await helm.render('serin', values)));
  });

  it('the environment of the container sets the heap to 60% of the available memory', async () => {
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
