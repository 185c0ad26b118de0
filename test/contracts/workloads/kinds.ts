import type { Canary } from '../../../src/api/canary.ts';
import type { KubeObject, ObjectRef } from '../../../src/api/kube-object.ts';
import { refKey, refOf } from '../../../src/api/kube-object.ts';
import { remembered, workloads } from '../../../src/workloads/index.ts';
import type { RenderOptions, WatchedObjects, Workload } from '../../../src/workloads/workload.ts';
import { parsedCanary } from '../../fakes/parsed-canary.ts';
import { raw } from '../../fakes/raw.ts';

/** Metadata that deployment tools write to know their own: on a copy it would make them prune or fight it. */
export const TRACKING = {
  'argocd.argoproj.io/tracking-id': 'shop:apps/Deployment:prod/shop',
  'kustomize.toolkit.fluxcd.io/checksum': 'f00d',
  'helm.toolkit.fluxcd.io/name': 'shop',
  'meta.helm.sh/release-name': 'shop',
  'kubectl.kubernetes.io/last-applied-configuration': '{"tracked":true}',
} as const;
export const LABEL_TRACKING = { 'app.kubernetes.io/managed-by': 'Helm', 'kustomize.toolkit.fluxcd.io/name': 'shop' } as const;
export const trackingMarks = /argocd|fluxcd|meta\.helm|last-applied|"Helm"/;

const invented = (where: string) => ({ inventedByTheFuture: { at: where, list: [{ deep: null }, 7], flag: false } });
const metadata = {
  name: 'shop',
  namespace: 'prod',
  uid: 't-1',
  resourceVersion: '40',
  generation: 3,
  labels: { team: 'web', ...LABEL_TRACKING },
  annotations: { owner: 'web@example.test', ...TRACKING },
};
const { generation: _none, ...withoutGeneration } = metadata;
const podSpec = {
  containers: [{ name: 'web', image: 'shop:1', ports: [{ name: 'http', containerPort: 8080 }], ...invented('container') }],
  nodeSelector: { 'kubernetes.io/os': 'linux' },
  ...invented('pod spec'),
};
const labels = { app: 'shop', track: 'live' };
const template = {
  metadata: { labels: { ...labels, team: 'web' }, annotations: { scrape: 'true', ...TRACKING }, ...invented('pod metadata') },
  spec: podSpec,
  ...invented('template'),
};

export interface Kind {
  name: keyof typeof workloads;
  workload: Workload;
  canary: Canary;
  /** The target as an API server shows it, tracked by every tool and with unknown fields. */
  target: KubeObject;
  /** The same with a new version that a user pushed: one field added, one changed, one deleted. */
  changed: KubeObject;
  options: RenderOptions;
  /** Verbs that have nothing to do, with the reason. */
  lacks: { scaling?: string; primaryObject?: string };
}

export function aCanaryFor(targetRef: object, spec: object = {}): Canary {
  return parsedCanary({ targetRef: { name: 'shop', ...targetRef }, ...spec }, { name: 'shop', namespace: 'prod' });
}

const optionsWith = (revision: string): RenderOptions => ({
  selector: { key: 'app', target: 'shop', primary: 'shop-primary' },
  selectorLabels: ['app', 'name', 'app.kubernetes.io/name'],
  includeLabelPrefix: ['team'],
  revision,
  replicas: 2,
});

function edited(object: KubeObject, edit: (copy: KubeObject) => void): KubeObject {
  const copy = structuredClone(object);
  edit(copy);
  copy.metadata.generation = (copy.metadata.generation ?? 0) + 1;
  copy.metadata.resourceVersion = '50';
  return copy;
}

function kind(
  name: Kind['name'],
  target: KubeObject,
  { change, lacks = {}, spec = {} }: { change: (copy: KubeObject) => void; lacks?: Kind['lacks']; spec?: object },
): Kind {
  const workload = workloads[name];
  const canary = aCanaryFor({ apiVersion: target.apiVersion, kind: target.kind }, spec);
  return {
    name,
    workload,
    canary,
    target,
    changed: edited(target, change),
    options: optionsWith(workload.revision(target)),
    lacks,
  };
}

const changePods = (copy: KubeObject) => {
  const [container] = raw(copy).spec.template.spec.containers;
  container.image = 'shop:2';
  container.env = [{ name: 'MODE', value: 'new', ...invented('env') }];
  delete container.ports;
  delete raw(copy).spec.minReadySeconds;
};
const podWorkload = { minReadySeconds: 5, selector: { matchLabels: labels }, template, ...invented('spec') };

export const kinds: readonly Kind[] = [
  kind(
    'Deployment',
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: { replicas: 2, strategy: { type: 'RollingUpdate', ...invented('strategy') }, ...podWorkload },
      status: { observedGeneration: 3, replicas: 2, updatedReplicas: 2, availableReplicas: 2, ...invented('status') },
    },
    { change: changePods },
  ),
  kind(
    'DaemonSet',
    {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { ...metadata, annotations: { ...metadata.annotations, 'deprecated.daemonset.template.generation': '3' } },
      spec: { updateStrategy: { type: 'RollingUpdate', ...invented('strategy') }, ...podWorkload },
      status: { observedGeneration: 3, desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 2, ...invented('status') },
    },
    { change: changePods },
  ),
  kind(
    'Service',
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: withoutGeneration,
      spec: {
        type: 'NodePort',
        clusterIP: '10.0.0.7',
        clusterIPs: ['10.0.0.7', 'fd00::7'],
        ipFamilies: ['IPv4', 'IPv6'],
        ipFamilyPolicy: 'PreferDualStack',
        healthCheckNodePort: 31999,
        externalTrafficPolicy: 'Local',
        selector: { app: 'shop', version: '1' },
        publishNotReadyAddresses: true,
        ports: [{ name: 'http', port: 80, targetPort: 8080, nodePort: 31080, protocol: 'TCP', ...invented('port') }],
        ...invented('spec'),
      },
      status: { loadBalancer: { ingress: [{ ip: '203.0.113.9' }] } },
    },
    {
      change: (copy) => {
        raw(copy).spec.selector = { app: 'shop', version: '2' };
        raw(copy).spec.ports.push({ name: 'admin', port: 81, targetPort: 8081, protocol: 'TCP' });
        delete raw(copy).spec.publishNotReadyAddresses;
      },
      lacks: { scaling: 'another controller owns its pods' },
    },
  ),
  kind(
    'Knative Service',
    {
      apiVersion: 'serving.knative.dev/v1',
      kind: 'Service',
      metadata,
      spec: { template, traffic: [{ latestRevision: true, percent: 100, ...invented('traffic') }], ...invented('spec') },
      status: { observedGeneration: 3, latestCreatedRevisionName: 'shop-00001', latestReadyRevisionName: 'shop-00001' },
    },
    {
      change: (copy) => {
        raw(copy).spec.template.spec.containers[0].image = 'shop:2';
        raw(copy).status.latestCreatedRevisionName = 'shop-00002';
        raw(copy).status.latestReadyRevisionName = 'shop-00002';
      },
      lacks: { scaling: 'Knative scales its revisions', primaryObject: 'its revisions play the parts' },
      spec: { provider: 'knative' },
    },
  ),
];

/** The objects as the controller's watches would remember them. */
export function watching(...objects: readonly KubeObject[]): WatchedObjects {
  const seen = new Map(objects.map((object) => [refKey(refOf(object)), remembered(object)]));
  return {
    find: (ref: ObjectRef) => seen.get(refKey(ref)),
    all: ({ apiVersion, kind: wanted }) =>
      [...seen.values()].filter(({ object }) => object.apiVersion === apiVersion && object.kind === wanted),
  };
}
