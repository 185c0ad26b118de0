import type { KubeObject } from '../../src/api/kube-object.ts';
import { raw } from '../fakes/raw.ts';

/** Credentials of a test, each in one place; `all` is what must be nowhere. */
export class Planted {
  readonly all = new Map<string, string>();

  /** One as a user might choose it: nothing in its own form shows that it is one. */
  at(where: string): string {
    const value = `hunter-${this.all.size + 10}-plant`;
    this.all.set(value, where);
    return value;
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const containerWith = (planted: Planted, of: string) => ({
  name: 'web',
  image: 'web:1',
  command: ['sh', '-c', planted.at(`${of} command`)],
  args: ['--level=info', `--api-token=${planted.at(`${of} flag`)}`, '--password', planted.at(`${of} argument`)],
  env: [
    { name: 'DB_PASSWORD', value: planted.at(`${of} env`) },
    { name: 'GREETING', value: planted.at(`${of} env of no telling name`) },
    { name: 'FROM_SECRET', valueFrom: { secretKeyRef: { name: 'keys', key: 'db' } } },
  ],
  envFrom: [{ secretRef: { name: 'keys' } }],
  livenessProbe: {
    httpGet: {
      path: `/live?token=${planted.at(`${of} path of a probe`)}`,
      port: 80,
      httpHeaders: [{ name: 'X-Key', value: planted.at(`${of} header of a probe`) }],
    },
  },
  lifecycle: { preStop: { exec: { command: [planted.at(`${of} hook of a container`)] } } },
});

const podSpec = (planted: Planted, of: string) => ({
  containers: [containerWith(planted, of)],
  initContainers: [containerWith(planted, `${of} init`)],
  imagePullSecrets: [{ name: 'registry' }],
  volumes: [
    { name: 'keys', secret: { secretName: 'keys' } },
    { name: 'vault', csi: { driver: 'vault', volumeAttributes: { role: planted.at(`${of} attributes of a volume`) } } },
  ],
});

function metadataWith(planted: Planted, name: string, of: string, more: object = {}): KubeObject['metadata'] {
  return {
    name,
    namespace: 'test',
    uid: `uid-${name}`,
    annotations: {
      'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ spec: planted.at(`${of} last-applied`) }),
      'example.org/anything': planted.at(`${of} annotation`),
    },
    managedFields: [
      {
        manager: 'kubectl',
        operation: 'Apply',
        fieldsV1: {
          'f:metadata': { 'f:finalizers': { [`v:${JSON.stringify(planted.at(`${of} managedFields`))}`]: {} } },
          'f:spec': { 'f:replicas': {} },
        },
      },
    ],
    ...more,
  };
}

const labels = { app: 'podinfo' };
const controllerLabels = { 'app.kubernetes.io/name': 'serin' };

/** A Canary and all that belongs to it, with a credential wherever a user might put one. */
export function plantedObjects(planted: Planted, canary: KubeObject): KubeObject[] {
  const repeated = planted.at('env of a pod, and a message');
  const address = (of: string) =>
    `https://${planted.at(`${of} user`)}:${planted.at(`${of} password`)}@hooks.example.org/services/${planted.at(`${of} path`)}?key=${planted.at(`${of} query`)}`;
  const event = (name: string, object: string, message: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace: 'test', annotations: { 'example.org/x': planted.at('annotation of an Event') } },
    involvedObject: { kind: object.split('/')[0], name: object.split('/')[1], namespace: 'test' },
    type: 'Warning',
    reason: 'Reported',
    message,
    lastTimestamp: '2026-11-22T05:00:00Z',
  });
  const deployment = (name: string): KubeObject => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadataWith(planted, name, name, { generation: 1 }),
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name }, annotations: { 'vault.example.org/token': planted.at(`${name} annotation of pods`) } },
        spec: podSpec(planted, name),
      },
    },
    status: { observedGeneration: 1, replicas: 2, updatedReplicas: 2, availableReplicas: 1, readyReplicas: 1 },
  });
  const scalerTrigger = {
    type: 'postgresql',
    name: 'load',
    metadata: { connection: planted.at('metadata of a trigger'), query: 'SELECT 1' },
  };
  return [
    {
      ...canary,
      metadata: metadataWith(planted, 'podinfo', 'Canary', { generation: 1, resourceVersion: '1' }),
      spec: {
        ...raw(canary).spec,
        metricsServer: address('metricsServer'),
        autoscalerRef: {
          apiVersion: 'keda.sh/v1alpha1',
          kind: 'ScaledObject',
          name: 'podinfo',
          primaryScalerTriggers: { load: { connection: planted.at('primaryScalerTriggers') } },
        },
        service: {
          ...raw(canary).spec.service,
          apex: { annotations: { 'example.org/b': planted.at('annotation of the apex') } },
          headers: {
            request: { set: { authorization: `Bearer ${planted.at('headers of the service')}`, 'x-plain': planted.at('plain header') } },
          },
          match: [{ headers: { 'x-key': { exact: planted.at('match of the service') } }, uri: { prefix: '/api' } }],
        },
        analysis: {
          ...raw(canary).spec.analysis,
          match: [{ headers: { cookie: { regex: `.*${planted.at('match of the analysis')}.*` } } }],
          metrics: [
            {
              name: 'errors',
              templateRef: { name: 'errors' },
              thresholdRange: { max: 1 },
              templateVariables: { apiKey: planted.at('templateVariables'), plain: planted.at('plain templateVariables') },
            },
            { name: 'old', query: `errors{token="${planted.at('query of a metric')}"}` },
          ],
          webhooks: [
            {
              name: 'gate',
              type: 'confirm-rollout',
              url: address('webhook'),
              metadata: {
                cmd: `curl -u a:${planted.at('metadata of a webhook')}`,
                spec: planted.at('metadata that is called spec'),
                pin: 4_711_081_500,
              },
            },
          ],
          alerts: [{ name: 'all', providerRef: { name: 'chat' } }],
        },
      },
      status: {
        ...raw(canary).status,
        sessionAffinityCookie: `shop=${planted.at('cookie in status')}`,
        conditions: [
          {
            type: 'Promoted',
            status: 'Unknown',
            reason: 'Progressing',
            message: `gate: POST ${address('condition')}: said "password=${planted.at('condition text')}"`,
          },
        ],
      },
    },
    deployment('podinfo'),
    deployment('podinfo-primary'),
    {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: metadataWith(planted, 'podinfo-6f7', 'ReplicaSet', {
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'podinfo', uid: 'uid-podinfo' }],
      }),
      spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec(planted, 'ReplicaSet') } },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: metadataWith(planted, 'podinfo-6f7-abc', 'Pod', { labels }),
      spec: { ...podSpec(planted, 'Pod'), nodeName: 'node-1', containers: [{ name: 'web', env: [{ name: 'API_KEY', value: repeated }] }] },
      status: {
        phase: 'Running',
        containerStatuses: [
          {
            name: 'web',
            image: 'web:1',
            ready: false,
            restartCount: 3,
            state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s' } },
            lastState: { terminated: { exitCode: 1, reason: 'Error', message: `panic: ${planted.at('last words of a container')}` } },
          },
        ],
      },
    },
    ...['podinfo', 'podinfo-primary', 'podinfo-canary'].map(
      (name): KubeObject => ({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: metadataWith(planted, name, `Service ${name}`),
        spec: { selector: labels, ports: [{ port: 80 }] },
      }),
    ),
    ...['podinfo', 'unrelated'].map(
      (service): KubeObject => ({
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: metadataWith(planted, `${service}-x1`, `EndpointSlice of ${service}`, {
          labels: { 'kubernetes.io/service-name': service },
        }),
        addressType: 'IPv4',
        endpoints: [
          { addresses: ['10.0.0.7'], conditions: { ready: false }, zone: 'a', targetRef: { kind: 'Pod', name: 'podinfo-6f7-abc' } },
        ],
      }),
    ),
    {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: metadataWith(planted, 'pods', 'ResourceQuota'),
      spec: { hard: { pods: '4' } },
      status: { hard: { pods: '4' }, used: { pods: '4' } },
    },
    {
      apiVersion: 'networking.istio.io/v1beta1',
      kind: 'VirtualService',
      metadata: metadataWith(planted, 'podinfo', 'VirtualService'),
      spec: {
        hosts: ['podinfo'],
        http: [
          {
            match: [
              {
                headers: { 'x-user': { exact: planted.at('match of a route') } },
                queryParams: { key: { exact: planted.at('query of a route') } },
              },
            ],
            headers: { request: { set: { 'x-token': planted.at('header of a route') } } },
            route: [
              { destination: { host: 'podinfo-primary' }, weight: 80 },
              { destination: { host: 'podinfo-canary' }, weight: 20 },
            ],
          },
        ],
      },
    },
    {
      apiVersion: 'keda.sh/v1alpha1',
      kind: 'ScaledObject',
      metadata: metadataWith(planted, 'podinfo', 'ScaledObject'),
      spec: { triggers: [scalerTrigger] },
    },
    {
      apiVersion: 'flagger.app/v1beta1',
      kind: 'MetricTemplate',
      metadata: metadataWith(planted, 'errors', 'MetricTemplate'),
      spec: {
        provider: {
          type: 'prometheus',
          address: address('MetricTemplate'),
          headers: { 'X-Scope': [planted.at('header of a MetricTemplate')] },
          secretRef: { name: 'keys' },
          proxy: address('proxy'),
        },
        query: `errors{target="{{ target }}", api_key="${planted.at('query of a MetricTemplate')}"}`,
      },
    },
    {
      apiVersion: 'flagger.app/v1beta1',
      kind: 'AlertProvider',
      metadata: metadataWith(planted, 'chat', 'AlertProvider'),
      spec: {
        type: 'slack',
        channel: 'releases',
        address: address('AlertProvider'),
        proxy: `me:${planted.at('proxy without a scheme')}@proxy.test:3128`,
        secretRef: { name: 'keys' },
      },
    },
    event('one', 'Canary/podinfo', `webhook gate answered Bearer ${planted.at('bearer in an Event')} at ${address('Event')}`),
    event('two', 'Pod/podinfo-6f7-abc', `command said ${repeated}, ${base64(`me:${repeated}`)} and ${encodeURIComponent(`${repeated}/`)}`),
    event('three', 'Deployment/another', planted.at('Event of something else')),
    {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: {
        ...metadataWith(planted, 'podinfo-serin-1', 'ControllerRevision', {
          labels: { 'serin.dev/canary': 'podinfo', 'serin.dev/record': 'template' },
        }),
        annotations: { 'serin.dev/canary-uid': 'uid-podinfo' },
      },
      revision: 1,
      data: { revision: 's1:aa', spec: { template: { metadata: { labels }, spec: podSpec(planted, 'ControllerRevision') } } },
    },
    ...(['ConfigMap', 'Secret'] as const).map(
      (kind): KubeObject => ({
        apiVersion: 'v1',
        kind,
        metadata: { name: 'keys', namespace: 'test' },
        data: { db: base64(planted.at(kind)), plain: planted.at(`plain ${kind}`) },
      }),
    ),
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { ...metadataWith(planted, 'serin', 'controller'), namespace: 'ops', labels: controllerLabels },
      spec: {
        replicas: 1,
        selector: { matchLabels: controllerLabels },
        template: {
          metadata: { labels: controllerLabels },
          spec: {
            containers: [
              {
                name: 'serin',
                image: 'serin:1',
                args: [
                  '-mesh-provider=istio',
                  `-slack-url=https://hooks.example.org/${planted.at('flag of the controller')}`,
                  `-metrics-server=http://x:${planted.at('prometheus of the controller')}@prom`,
                ],
              },
            ],
          },
        },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...metadataWith(planted, 'serin-1', 'pod of the controller'), namespace: 'ops', labels: controllerLabels },
      spec: podSpec(planted, 'pod of the controller'),
      status: {
        phase: 'Running',
        containerStatuses: [{ name: 'serin', image: 'serin:1', ready: true, restartCount: 0, state: { running: {} } }],
      },
    },
  ];
}

/** The log of a controller with the most verbose level. */
export function plantedLog(planted: Planted): string {
  return [
    { level: 30, canary: 'test/podinfo', msg: 'weight advanced', weight: 20 },
    {
      level: 50,
      msg: 'webhook failed',
      err: `POST https://a:${planted.at('log password')}@gate.test/${planted.at('log path')}?token=${planted.at('log query')}`,
    },
    { level: 50, msg: 'refused', authorization: `Bearer ${planted.at('log header')}` },
    { level: 50, msg: `clientSecret=${planted.at('log assignment')}` },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
}

/** The encodings in which a credential may appear. */
export function formsOf(value: string): string[] {
  const within = [0, 1, 2].map((before) => {
    const encoded = base64('\0'.repeat(before) + value).replace(/=+$/, '');
    return encoded.slice(before === 0 ? 0 : before + 1, -1);
  });
  return [value, encodeURIComponent(value), ...within];
}
