import { describe, expect, it } from 'vitest';
import { findings } from './findings.ts';
import { parseCanary } from './parse-canary.ts';

type Fields = Record<string, unknown>;
type Change = { name?: string; spec?: Fields; service?: Fields; analysis?: Fields };

const judged = { metrics: [{ name: 'request-success-rate', thresholdRange: { min: 99 } }] };
const stepped = { interval: '1m', threshold: 5, stepWeight: 10, ...judged };
const iterated = { stepWeight: undefined, iterations: 5 };
const webhook = (fields: Fields) => ({ analysis: { webhooks: [{ name: 'load', url: 'http://load.test/', ...fields }] } });
const metric = (fields: Fields) => ({
  analysis: { metrics: [{ name: 'errors', templateRef: { name: 'errors' }, thresholdRange: { max: 1 }, ...fields }] },
});
const compared = (...names: string[]): Change => ({
  analysis: { comparison: {}, metrics: names.map((name) => ({ name, templateRef: { name }, thresholdRange: { max: 1 }, compare: {} })) },
});
const match = [{ headers: { 'x-user': { exact: 'me' } } }];
const gateway = { provider: 'gatewayapi:v1' };
const gatewayRefs = [{ name: 'gateway' }];
const scaledBy = (kind: string, fields: Fields = {}) => ({ autoscalerRef: { apiVersion: 'any/v1', kind, name: 'shop', ...fields } });
const knativeTarget = { apiVersion: 'serving.knative.dev/v1', kind: 'Service', name: 'shop' };

function found({ name, spec, service, analysis }: Change): string[] {
  const read = parseCanary({
    apiVersion: 'flagger.app/v1beta1',
    kind: 'Canary',
    metadata: { name: name ?? 'shop', namespace: 'test' },
    spec: {
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop' },
      service: { port: 80, ...service },
      ...spec,
      analysis: { ...stepped, ...analysis },
    },
  });
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  return findings(read.canary).map(({ severity, path }) => `${severity} ${path}`);
}

const analysisOf = (field: string): string => `spec.analysis${field}`;

describe('errors', () => {
  it.each<[title: string, change: Change, path: string]>([
    ['stepWeight 0', { analysis: { stepWeight: 0 } }, analysisOf('.stepWeight')],
    ['no steps', { analysis: { stepWeight: undefined } }, analysisOf('')],
    ['two kinds of steps', { analysis: { iterations: 3 } }, analysisOf('')],
    ['iterations 0', { analysis: { stepWeight: undefined, iterations: 0 } }, analysisOf('.iterations')],
    ['empty stepWeights', { analysis: { stepWeight: undefined, stepWeights: [] } }, analysisOf('.stepWeights')],
    ['a first weight of 0', { analysis: { stepWeight: undefined, stepWeights: [0, 10] } }, analysisOf('.stepWeights[0]')],
    ['a last weight of 0', { analysis: { stepWeight: undefined, stepWeights: [10, 0] } }, analysisOf('.stepWeights[1]')],
    ['falling weights', { analysis: { stepWeight: undefined, stepWeights: [10, 5] } }, analysisOf('.stepWeights[1]')],
    ['equal weights', { analysis: { stepWeight: undefined, stepWeights: [10, 10] } }, analysisOf('.stepWeights[1]')],
    ['a ready threshold above 100', { analysis: { canaryReadyThreshold: 101 } }, analysisOf('.canaryReadyThreshold')],
    ['A/B on linkerd', { spec: { provider: 'linkerd' }, analysis: { ...iterated, match } }, analysisOf('.match')],
    ['A/B on traefik', { spec: { provider: 'traefik' }, analysis: { ...iterated, match } }, analysisOf('.match')],
    [
      'A/B on Istio TCP',
      { spec: { provider: 'istio' }, service: { appProtocol: 'TCP' }, analysis: { ...iterated, match } },
      analysisOf('.match'),
    ],
    ['mirror on smi:v1alpha2', { spec: { provider: 'smi:v1alpha2' }, analysis: { mirror: true } }, analysisOf('.mirror')],
    [
      'equal cookies',
      { analysis: { sessionAffinity: { cookieName: 'c', primaryCookieName: 'c' } } },
      analysisOf('.sessionAffinity.primaryCookieName'),
    ],
    ['an empty cookie name', { analysis: { sessionAffinity: { cookieName: '' } } }, analysisOf('.sessionAffinity.cookieName')],
    ['delegation with hosts', { service: { delegation: true, hosts: ['shop.test'] } }, 'spec.service.hosts'],
    ['delegation with gateways', { service: { delegation: true, gateways: ['mesh'] } }, 'spec.service.gateways'],
    ['Gateway API without gatewayRefs', { spec: gateway }, 'spec.service.gatewayRefs'],
    ['nginx without ingressRef', { spec: { provider: 'nginx' } }, 'spec.ingressRef'],
    ['skipper without ingressRef', { spec: { provider: 'skipper' } }, 'spec.ingressRef'],
    [
      'a listed route that the provider does not read',
      { spec: { provider: 'istio', routeRefs: [{ apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'shop' }] } },
      'spec.routeRefs[0]',
    ],
    [
      'a listed route with a provider that splits none',
      { spec: { provider: 'linkerd', routeRefs: [{ apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', name: 'shop' }] } },
      'spec.routeRefs[0]',
    ],
    [
      'a route that is listed twice',
      {
        spec: {
          provider: 'contour',
          routeRefs: ['a', 'a'].map((name) => ({ apiVersion: 'projectcontour.io/v1', kind: 'HTTPProxy', name })),
        },
      },
      'spec.routeRefs[1]',
    ],
    ['apisix without routeRef', { ...metric({}), spec: { provider: 'apisix' } }, 'spec.routeRef'],
    ['knative for a Deployment', { spec: { provider: 'knative' } }, 'spec.targetRef'],
    ['another provider for Knative', { spec: { provider: 'istio', targetRef: knativeTarget } }, 'spec.provider'],
    [
      'a scaler for Knative',
      {
        spec: {
          provider: 'knative',
          targetRef: knativeTarget,
          autoscalerRef: { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', name: 'shop' },
        },
      },
      'spec.autoscalerRef',
    ],
    [
      'a primary scaler with min above max',
      { spec: scaledBy('ScaledObject', { primaryScalerReplicas: { minReplicas: 3, maxReplicas: 2 } }) },
      'spec.autoscalerRef.primaryScalerReplicas.minReplicas',
    ],
    [
      'a scaler whose primary has too long a name',
      { spec: scaledBy('ScaledObject', { name: 'a'.repeat(246) }) },
      'spec.autoscalerRef.name',
    ],
    ['a service name of 56 characters', { service: { name: 'a'.repeat(56) } }, 'spec.service.name'],
    ['a service name with capitals', { service: { name: 'Shop' } }, 'spec.service.name'],
    ['a service name that begins with a digit', { service: { name: '1shop' } }, 'spec.service.name'],
    ['a Canary name with _', { name: 'my_shop' }, 'metadata.name'],
    [
      'a target name with _',
      { spec: { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'my_shop' } }, service: { name: 'shop' } },
      'spec.targetRef.name',
    ],
    [
      'an interval of a built-in metric that is none',
      metric({ name: 'request-duration', interval: '1min' }),
      analysisOf('.metrics[0].interval'),
    ],
    ['an interval of no length', metric({ interval: '0s' }), analysisOf('.metrics[0].interval')],
    ['an initial delay that is none', metric({ initialDelay: '1mx' }), analysisOf('.metrics[0].initialDelay')],
    [
      'an interval of a built-in metric that is none',
      metric({ name: 'request-duration', interval: '1min' }),
      analysisOf('.metrics[0].interval'),
    ],
    ['an interval of no length', metric({ interval: '0s' }), analysisOf('.metrics[0].interval')],
    ['a gateTimeout that is not a duration', { analysis: { gateTimeout: '10minutes' } }, analysisOf('.gateTimeout')],
    ['a gateTimeout of no length', { analysis: { gateTimeout: '0s' } }, analysisOf('.gateTimeout')],
    ['a webhook timeout of 0', webhook({ timeout: '0s' }), analysisOf('.webhooks[0].timeout')],
    ['a webhook without an address', webhook({ url: '' }), analysisOf('.webhooks[0].url')],
    ['a webhook by ftp', webhook({ url: 'ftp://load.test' }), analysisOf('.webhooks[0].url')],
    ['a metricsServer without scheme', { spec: { metricsServer: 'prometheus:9090' } }, 'spec.metricsServer'],
    ['a metric with nothing to run', metric({ templateRef: undefined }), analysisOf('.metrics[0]')],
    ['minimumRequests without trafficQuery', metric({ minimumRequests: 10 }), analysisOf('.metrics[0].minimumRequests')],
    ['a quantile of a query', metric({ quantile: 0.5 }), analysisOf('.metrics[0].quantile')],
    ['whole milliseconds of a query', metric({ wholeMilliseconds: false }), analysisOf('.metrics[0].wholeMilliseconds')],
    ['a baseline that accepts anything', metric({ baseline: {} }), analysisOf('.metrics[0].baseline')],
    ['minRatio above maxRatio', metric({ baseline: { minRatio: 2, maxRatio: 1 } }), analysisOf('.metrics[0].baseline')],
    [
      'a baseline of nginx without a query',
      {
        spec: { provider: 'nginx', ingressRef: { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'shop' } },
        analysis: { metrics: [{ name: 'request-duration', baseline: { maxRatio: 1.2 } }] },
      },
      analysisOf('.metrics[0].baseline'),
    ],
    ['compare of two metrics of one name', compared('orders', 'orders'), analysisOf('.metrics[1].compare')],
    ['compare of nine metrics', compared(...'abcdefghi'), analysisOf('.metrics[8].compare')],
    ['min above max', metric({ thresholdRange: { min: 2, max: 1 } }), analysisOf('.metrics[0].thresholdRange')],
    ['a timeout that is none', { service: { timeout: 'soon' } }, 'spec.service.timeout'],
    ['targetPort 70000', { service: { targetPort: 70000 } }, 'spec.service.targetPort'],
    [
      'a mirror Service without port',
      { service: { mirror: [{ backendRef: { name: 'copy' } }] } },
      'spec.service.mirror[0].backendRef.port',
    ],
    [
      'Gateway API A/B by prefix',
      { spec: gateway, service: { gatewayRefs }, analysis: { ...iterated, match: [{ headers: { a: { prefix: 'b' } } }] } },
      analysisOf('.match[0]'),
    ],
    [
      'Gateway API A/B by source labels only',
      { spec: gateway, service: { gatewayRefs }, analysis: { ...iterated, match: [{ sourceLabels: { a: 'b' } }] } },
      analysisOf('.match[0]'),
    ],
    [
      'a Gateway API method by regex',
      { spec: gateway, service: { gatewayRefs, match: [{ method: { regex: 'G.*' } }] } },
      'spec.service.match[0].method',
    ],
  ])('are found for %s', (_, change, path) => expect(found(change)).toEqual([`error ${path}`]));

  it('is found for appmesh without meshName, beside the warning that it has ended', () =>
    expect(found({ spec: { provider: 'appmesh' } })).toEqual(['error spec.service.meshName', 'warning spec.provider']));
});

describe('warnings', () => {
  it.each<[title: string, change: Change, path: string]>([
    [
      'a time of session affinity without ClientIP',
      { service: { clientAffinityConfig: { clientIP: { timeoutSeconds: 60 } } } },
      'spec.service.clientAffinityConfig',
    ],
    [
      'a trafficDistribution of an implementation',
      { service: { trafficDistribution: 'example.org/nearest' } },
      'spec.service.trafficDistribution',
    ],
    [
      'a trafficDistribution beside a policy that wins over it',
      { service: { trafficDistribution: 'PreferClose', internalTrafficPolicy: 'Local' } },
      'spec.service.trafficDistribution',
    ],
    ['weights on the kubernetes provider', { spec: { provider: 'kubernetes' } }, analysisOf('.stepWeight')],
    ['a window shorter than two scrapes', metric({ interval: '20s' }), analysisOf('.metrics[0].interval')],
    ['an interval that only a query can read', metric({ interval: '1min' }), analysisOf('.metrics[0].interval')],
    ['a metric interval in hours, beyond that of the analysis', metric({ interval: '1h' }), analysisOf('.metrics[0].interval')],
    ['a metric interval beyond the analysis interval', metric({ interval: '2m' }), analysisOf('.metrics[0].interval')],
    ['a failureLimit that is never reached', metric({ failureLimit: 4 }), analysisOf('.metrics[0].failureLimit')],
    ['metrics that are all observed', metric({ mode: 'observe' }), analysisOf('')],
    ['no metrics and no webhooks', { analysis: { metrics: [] } }, analysisOf('')],
    ['an interval below 10s', { analysis: { interval: '5s' } }, analysisOf('.interval')],
    ['an interval of 0', { analysis: { interval: '0s' } }, analysisOf('.interval')],
    ['the deprecated threshold', metric({ thresholdRange: undefined, threshold: 1 }), analysisOf('.metrics[0].threshold')],
    ['the deprecated query', metric({ query: 'up' }), analysisOf('.metrics[0].query')],
    ['trafficQuery without minimumRequests', metric({ trafficQuery: 'up' }), analysisOf('.metrics[0].trafficQuery')],
    [
      'minimumRequests where what is unmeasured fails',
      { analysis: { metrics: [{ ...judged.metrics[0], minimumRequests: 10 }] } },
      analysisOf('.metrics[0].minimumRequests'),
    ],
    ['a metric without limit', metric({ thresholdRange: {} }), analysisOf('.metrics[0]')],
    ['threshold 0', { analysis: { threshold: 0 } }, analysisOf('.threshold')],
    ['match with weights on smi:v1alpha2', { spec: { provider: 'smi:v1alpha2' }, analysis: { match } }, analysisOf('.match')],
    [
      'a Service target that nothing routes to',
      {
        spec: { provider: 'kubernetes', targetRef: { apiVersion: 'v1', kind: 'Service', name: 'shop' } },
        analysis: { stepWeight: undefined, maxWeight: undefined, iterations: 3 },
      },
      'spec.provider',
    ],
    [
      'queries for an HPA',
      { spec: scaledBy('HorizontalPodAutoscaler', { primaryScalerQueries: { load: 'rq' } }) },
      'spec.autoscalerRef.primaryScalerQueries',
    ],
    [
      'triggers for an HPA',
      { spec: scaledBy('HorizontalPodAutoscaler', { primaryScalerTriggers: { nightly: { desiredReplicas: '2' } } }) },
      'spec.autoscalerRef.primaryScalerTriggers',
    ],
    [
      'a scaler of a DaemonSet',
      { spec: { ...scaledBy('ScaledObject'), targetRef: { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'shop' } } },
      'spec.autoscalerRef',
    ],
    [
      'a timeout on the older Gateway API',
      { spec: { provider: 'gatewayapi:v1beta1' }, service: { gatewayRefs, timeout: '5s' } },
      'spec.service.timeout',
    ],
    ['a timeout of a GRPCRoute', { spec: gateway, service: { gatewayRefs, appProtocol: 'grpc', timeout: '5s' } }, 'spec.service.timeout'],
    [
      'a built-in metric of APISIX, which counts both sides as one',
      { spec: { provider: 'apisix', routeRef: { apiVersion: 'apisix.apache.org/v2', kind: 'ApisixRoute', name: 'shop' } } },
      analysisOf('.metrics[0]'),
    ],
    ['App Mesh, which has ended', { spec: { provider: 'appmesh' }, service: { meshName: 'main' } }, 'spec.provider'],
    ['the second form of App Mesh, which has ended', { spec: { provider: 'appmesh:v1beta2' } }, 'spec.provider'],
    ['Open Service Mesh, which has ended', { spec: { provider: 'osm' } }, 'spec.provider'],
    [
      'a stored version of the Gateway API that has ended',
      { spec: { provider: 'gatewayapi:v1alpha2' }, service: { gatewayRefs: [{ name: 'edge', namespace: 'infra' }] } },
      'spec.provider',
    ],
    ['a TrafficRoute of Kuma, which has ended', { spec: { provider: 'kuma' } }, 'spec.provider'],
    ['a progress deadline of 0', { spec: { progressDeadlineSeconds: 0 } }, 'spec.progressDeadlineSeconds'],
  ])('are found for %s', (_, change, path) => expect(found(change)).toEqual([`warning ${path}`]));
});

it('nothing is found for a plain Canary, nor for steps that skipAnalysis makes unused', () => {
  expect(found({})).toEqual([]);
  expect(found({ spec: { skipAnalysis: true }, analysis: { stepWeight: 0, metrics: [] } })).toEqual([]);
});

it('the global provider counts for a Canary without a provider', () => {
  const read = parseCanary({
    apiVersion: 'flagger.app/v1beta1',
    kind: 'Canary',
    metadata: { name: 'shop' },
    spec: { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop' }, service: { port: 80 }, analysis: stepped },
  });
  if ('problems' in read) throw new Error('unreadable');
  expect(findings(read.canary, { provider: 'nginx' }).map(({ path }) => path)).toEqual(['spec.ingressRef']);
  const named = { ...read.canary, spec: { ...read.canary.spec, provider: 'istio' as const } };
  expect(findings(named, { provider: 'nginx' })).toEqual([]);
});

it('a Knative target takes its provider from the field or from the flag', () => {
  const read = parseCanary({
    apiVersion: 'flagger.app/v1beta1',
    kind: 'Canary',
    metadata: { name: 'shop' },
    spec: { targetRef: knativeTarget, analysis: stepped },
  });
  if ('problems' in read) throw new Error('unreadable');
  expect(findings(read.canary, { provider: 'knative' })).toEqual([]);
  expect(findings(read.canary, { provider: 'istio' }).map(({ path }) => path)).toEqual(['spec.provider']);
});

it('a metric window of 1m has no warning at any interval of the analysis; a window that is longer than both has one', () => {
  const of = (interval: string, window: string) =>
    found({ analysis: { interval, metrics: [{ name: 'request-success-rate', interval: window, thresholdRange: { min: 99 } }] } });
  expect(['10s', '15s', '30s', '1m'].flatMap((interval) => of(interval, '1m'))).toEqual([]);
  expect(of('10s', '30s')).toEqual([]);
  expect(of('15s', '2m')).toEqual(['warning spec.analysis.metrics[0].interval']);
  expect(of('2m', '2m')).toEqual([]);
});

it.each([
  ['portName', 'HTTP_web'],
  ['portName', 'a.b'],
  ['targetPort', 'a-very-long-port-name'],
  ['targetPort', 'Web'],
  ['targetPort', 'a--b'],
])('a %s that the API server refuses is an error: %s', (field, name) =>
  expect(found({ service: { port: 80, [field]: name } })).toEqual([`error spec.service.${field}`]),
);

it.each([
  ['portName', 'http-metrics-of-the-application'],
  ['targetPort', 'http-web'],
  ['targetPort', '8080'],
  ['targetPort', 8080],
])('a %s of %s is valid', (field, name) => expect(found({ service: { port: 80, [field]: name } })).toEqual([]));

/** Flagger runs these; the field does nothing, or counts as another value. */
describe('E106: mistakes that block nothing', () => {
  const kubernetes = { provider: 'kubernetes' };
  const cookies = { sessionAffinity: { cookieName: 'c' } };
  const ignoredIn = (change: Change) =>
    found(change).filter((one) => !one.startsWith('warning spec.provider') && !one.endsWith('stepWeight'));

  it.each<[title: string, change: Change, path: string]>([
    ['A/B on kubernetes', { spec: kubernetes, analysis: { ...iterated, match } }, analysisOf('.match')],
    ['weights and match on kubernetes', { spec: kubernetes, analysis: { match } }, analysisOf('.match')],
    ['weights and match on traefik', { spec: { provider: 'traefik' }, analysis: { match } }, analysisOf('.match')],
    ['mirror on kubernetes', { spec: kubernetes, analysis: { ...iterated, mirror: true } }, analysisOf('.mirror')],
    ['mirror with weights on kubernetes', { spec: kubernetes, analysis: { mirror: true } }, analysisOf('.mirror')],
    [
      'mirror beside iterations on linkerd',
      { spec: { provider: 'linkerd' }, analysis: { ...iterated, mirror: true } },
      analysisOf('.mirror'),
    ],
    ['affinity on kubernetes', { spec: kubernetes, analysis: { ...iterated, ...cookies } }, analysisOf('.sessionAffinity')],
    ['affinity on SMI', { spec: { provider: 'smi:v1alpha1' }, analysis: cookies }, analysisOf('.sessionAffinity')],
    [
      'affinity over TCP',
      { spec: { provider: 'istio' }, service: { appProtocol: 'tcp' }, analysis: cookies },
      analysisOf('.sessionAffinity'),
    ],
    [
      'affinity without a name where there is none',
      { spec: { provider: 'linkerd' }, analysis: { sessionAffinity: { cookieName: '' } } },
      analysisOf('.sessionAffinity'),
    ],
    ['a weight of 200', { analysis: { stepWeight: undefined, stepWeights: [5, 200] } }, analysisOf('.stepWeights[1]')],
    ['maxWeight above 100', { analysis: { maxWeight: 101 } }, analysisOf('.maxWeight')],
    ['mirrorWeight 101', { spec: { provider: 'istio' }, analysis: { mirror: true, mirrorWeight: 101 } }, analysisOf('.mirrorWeight')],
    ['an interval that is none', { analysis: { interval: '5mxyz' } }, analysisOf('.interval')],
    ['a post-rollout hook by ftp', webhook({ type: 'post-rollout', url: 'ftp://load.test' }), analysisOf('.webhooks[0].url')],
    [
      'a timeout that is none, where no route has one',
      { spec: { provider: 'linkerd' }, service: { timeout: 'soon' } },
      'spec.service.timeout',
    ],
  ])('%s is a warning', (_, change, path) => expect(ignoredIn(change)).toEqual([`warning ${path}`]));

  it("an object of Flagger's at service.sessionAffinity is ignored, as its CRD drops it", () =>
    expect(found({ service: { sessionAffinity: { cookieName: 'c', maxAge: 60 } } })).toEqual([]));

  it.each([
    ['A/B on linkerd', { spec: { provider: 'linkerd' }, analysis: { ...iterated, match } }],
    ['mirror before weights on nginx', { spec: { provider: 'linkerd' }, analysis: { mirror: true } }],
  ])('%s is still refused: it would reach the wrong users', (_, change) =>
    expect(found(change)).toContainEqual(expect.stringMatching(/^error /)),
  );
});
