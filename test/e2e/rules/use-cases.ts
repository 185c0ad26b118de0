import { type Provider, providers } from '../../../src/api/canary.ts';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { Permission } from '../../../src/api/permission.ts';
import type { ControllerConfig } from '../../../src/controller/config.ts';
import { corePermissions, providerPermissions, referencePermissions } from '../../../src/controller/permissions.ts';
import { metricsPermissions } from '../../../src/metrics/permissions.ts';
import {
  companionPermissions,
  configMapPermissions,
  kindPermissions,
  scalerPermissions,
  secretPermissions,
  takeOverPermissions,
} from '../../../src/workloads/permissions.ts';
import { routerCases } from '../../contracts/routers/index.ts';

export const APP = 'shop';
export const CONFIG = 'settings';

/** A use of Serin that needs these rules. */
export interface UseCase {
  name: string;
  rules: readonly Permission[];
  /** Beside a Deployment, which reads a ConfigMap and a Secret. */
  objects?(namespace: string): KubeObject[];
  /** Laid over the spec of the Canary. */
  spec?: object;
  /** Settings of the controller. */
  settings?: Partial<ControllerConfig>;
  /** Successive values in the ConfigMap and the Secret; each change is a release. */
  colours?: readonly string[];
}

const usesSlices = ({ group }: Permission): boolean => group === 'discovery.k8s.io';
const { metricTemplates } = referencePermissions;
const isOfTemplates = (rule: Permission): boolean => metricTemplates.includes(rule);
const [listening, querying] = ['alerts', 'own-metric'];

/** A release from the first primary to the Canary's deletion. */
export const wholeRelease: UseCase = {
  name: 'a release',
  rules: [
    ...corePermissions.filter((rule) => !usesSlices(rule) && !isOfTemplates(rule)),
    ...kindPermissions.Deployment,
    ...configMapPermissions,
    ...secretPermissions.watch,
    ...Object.values(takeOverPermissions),
  ],
  // No server listens there: it is read all the same.
  objects: (namespace) => [ours('AlertProvider', listening, namespace, { type: 'slack', address: 'http://127.0.0.1:9/' })],
  colours: ['green', 'red', 'white'],
  spec: {
    revertOnDeletion: true,
    analysis: {
      interval: '1s',
      threshold: 5,
      iterations: 1,
      alerts: [{ name: 'chat', severity: 'info', providerRef: { name: listening } }],
    },
  },
};

/** Other features of Serin. A rule is needed when its feature is used, or when it measures. */
export const useCases: readonly UseCase[] = [
  {
    name: 'a Service as target',
    rules: corePermissions.filter(usesSlices),
    spec: { targetRef: { apiVersion: 'v1', kind: 'Service', name: APP }, provider: 'istio' },
  },
  {
    name: 'a DaemonSet as target',
    // Pods are those of the whole release: this DaemonSet is not released to the end.
    rules: kindPermissions.DaemonSet.filter(({ resources }) => !resources.includes('pods')),
    spec: { targetRef: { apiVersion: 'apps/v1', kind: 'DaemonSet', name: APP } },
  },
  ...Object.entries(scalerPermissions).map(([kind, rules]) => ({
    name: kind,
    rules,
    spec: { autoscalerRef: { apiVersion: kind === 'ScaledObject' ? 'keda.sh/v1alpha1' : 'autoscaling/v2', kind, name: APP } },
  })),
  ...Object.entries(companionPermissions).map(([name, rules]) => ({ name, rules, spec: {} })),
  ...metricTemplates.map((rule) => ({ ...measuring('externalmetrics', rule), name: 'a MetricTemplate' })),
  ...metricsPermissions.keptn.map((rule) => measuring('keptn', rule, rule.resources.includes('analyses') ? 'analysis' : 'keptnmetric')),
  ...metricsPermissions.externalmetrics.map((rule) => measuring('externalmetrics', rule)),
  ...providers.filter(isFirstOfItsRules).map(throughProvider),
];

/** Providers may share their rules. */
function isFirstOfItsRules(provider: Provider, index: number, all: readonly Provider[]): boolean {
  const text = (one: Provider) => JSON.stringify(providerPermissions(one));
  return providerPermissions(provider).length > 0 && all.findIndex((one) => text(one) === text(provider)) === index;
}

function throughProvider(provider: Provider): UseCase {
  const known = routerCases[provider];
  const knative = { targetRef: { apiVersion: 'serving.knative.dev/v1', kind: 'Service', name: APP } };
  // A GRPCRoute replaces the HTTPRoute, which Serin also reads.
  const service = { port: 80, targetPort: 'http', ...known?.service };
  return {
    name: provider,
    rules: providerPermissions(provider),
    spec: { provider, service, ...known?.spec, ...(provider === 'knative' && knative) },
  };
}

function measuring(type: 'keptn' | 'externalmetrics', rule: Permission, kind = ''): UseCase {
  const query = (namespace: string) => (type === 'keptn' ? `${kind}/${namespace}/latency/1m` : `${namespace}/latency`);
  return {
    name: `${type} ${kind}`.trim(),
    rules: [rule],
    objects: (namespace) => [ours('MetricTemplate', querying, namespace, { provider: { type }, query: query(namespace) })],
    spec: {
      analysis: {
        interval: '1s',
        threshold: 50,
        iterations: 5,
        metrics: [{ name: 'latency', interval: '1m', templateRef: { name: querying }, thresholdRange: { max: 500 } }],
      },
    },
  };
}

const ours = (kind: string, name: string, namespace: string, spec: object): KubeObject => ({
  apiVersion: 'flagger.app/v1beta1',
  kind,
  metadata: { name, namespace },
  spec,
});

/** The Deployment of one version, its Service and what its pods read. */
export function application(namespace: string, version: string): KubeObject[] {
  const labels = { app: APP };
  const metadata = (name: string) => ({ name, namespace });
  const envFrom = [{ configMapRef: { name: CONFIG } }, { secretRef: { name: CONFIG } }];
  const container = { name: 'web', image: `${APP}:${version}`, ports: [{ name: 'http', containerPort: 9898 }], envFrom };
  return [
    ...['ConfigMap', 'Secret'].map((kind) => ({ apiVersion: 'v1', kind, metadata: metadata(CONFIG), ...configOf(kind, 'blue') })),
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: metadata(APP),
      spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: metadata(APP),
      spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container] } } },
    },
  ];
}

/** Data of the ConfigMap or the Secret. */
export function configOf(kind: string, colour: string): Record<string, object> {
  return kind === 'Secret' ? { stringData: { colour } } : { data: { colour } };
}

export function canaryOf({ spec }: UseCase, namespace: string): KubeObject {
  return ours('Canary', APP, namespace, {
    targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: APP },
    provider: 'kubernetes',
    service: { port: 80, targetPort: 'http' },
    analysis: { interval: '1s', threshold: 5, iterations: 1 },
    ...spec,
  });
}
