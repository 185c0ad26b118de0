import type { KubeObject } from '../../../src/api/kube-object.ts';
import { raw } from '../../fakes/raw.ts';
import { aCanary } from './objects.ts';

/** One Canary that cannot work, and the field that its refusal has to name. */
export interface BadCanary {
  title: string;
  field: string;
  make(namespace: string, name: string): KubeObject;
}

const MEGABYTE = 1_000_000;
const metric = (fields: object) => ({ metrics: [{ name: 'request-success-rate', thresholdRange: { min: 99 }, ...fields }] });
const hook = (fields: object) => ({ webhooks: [{ name: 'smoke', url: 'http://127.0.0.1:1/', ...fields }] });

/** Sets a field of `spec`, by path; undefined removes it. */
function spec(title: string, path: string, value: unknown, field = path): BadCanary {
  return {
    title,
    field,
    make(namespace, name) {
      const canary = aCanary(namespace, name);
      const steps = path.split('.');
      const last = steps.pop() ?? '';
      let place: Record<string, unknown> = raw(canary).spec;
      for (const step of steps) {
        place[step] ??= {};
        place = place[step] as Record<string, unknown>;
      }
      if (value === undefined) delete place[last];
      else place[last] = value;
      return canary;
    },
  };
}

/** Lays fields over `spec.analysis`; undefined removes one. */
function analysis(title: string, fields: object, field: string, provider = 'istio'): BadCanary {
  return { title, field, make: (namespace, name) => JSON.parse(JSON.stringify(aCanary(namespace, name, fields, { provider }))) };
}

function whole(title: string, value: unknown, field = 'spec'): BadCanary {
  return {
    title,
    field,
    make(namespace, name) {
      const { spec: _, ...canary } = aCanary(namespace, name);
      return { ...canary, ...(value === undefined ? {} : { spec: value }) } as KubeObject;
    },
  };
}

function nested(levels: number): unknown {
  return JSON.parse(`${'[{"headers":'.repeat(levels)}1${'}]'.repeat(levels)}`);
}

/** Own keys that would be the prototype if a program assigned them; and the service is missing, which has to be said all the same. */
function poisoned(): unknown {
  return JSON.parse(
    '{"__proto__":{"service":{"port":80}},"constructor":{"prototype":{"port":80}},"targetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"x","__proto__":{}},"analysis":{"interval":"1s","threshold":1,"stepWeight":10}}',
  );
}

export const badCanaries: readonly BadCanary[] = [
  whole('no spec', undefined),
  whole('a spec that is null', null),
  whole('a spec that is a text', 'yes'),
  whole('a spec that is a list', [1, 2]),
  whole('an empty spec', {}, 'targetRef'),
  whole('keys that poison prototypes', poisoned(), 'service'),
  spec('no target', 'targetRef', undefined),
  spec('a target that is a text', 'targetRef', 'podinfo'),
  spec('a target without a name', 'targetRef.name', undefined),
  spec('a target with an empty name', 'targetRef.name', ''),
  spec('a target whose name is a number', 'targetRef.name', 7),
  spec('a target name of capitals', 'targetRef.name', 'Pod_Info'),
  spec('a target name with control characters', 'targetRef.name', 'pod\u0000info\n'),
  spec('a target name of 300 characters', 'targetRef.name', 'a'.repeat(300)),
  spec('a target name that climbs out of its folder', 'targetRef.name', '../../secrets'),
  spec('a target kind that is not a workload', 'targetRef.kind', 'StatefulSet'),
  spec('a target kind in lower case', 'targetRef.kind', 'deployment'),
  spec('a target API version that is a number', 'targetRef.apiVersion', 1),
  spec('a target of an API version that has no Deployments', 'targetRef.apiVersion', 'batch/v1', 'targetRef'),
  spec('a DaemonSet as target where there is a Deployment', 'targetRef.kind', 'DaemonSet', 'targetRef'),
  spec('a Service as target, of the API group of Deployments', 'targetRef.kind', 'Service', 'targetRef'),
  spec('a target that does not exist', 'targetRef.name', 'nowhere', 'targetRef'),
  spec('an unknown provider', 'provider', 'magic'),
  spec('a provider that is a number', 'provider', 1),
  spec('a provider in capitals', 'provider', 'Istio'),
  spec('a provider of a million characters', 'provider', 'x'.repeat(MEGABYTE)),
  spec('a provider that has no router yet', 'provider', 'nginx'),
  spec('no service', 'service', undefined),
  spec('a service that is a list', 'service', []),
  spec('no port', 'service.port', undefined),
  spec('a port that is a text', 'service.port', 'eighty'),
  spec('a port with a fraction', 'service.port', 80.5),
  spec('port 70000', 'service.port', 70000),
  spec('port 0', 'service.port', 0),
  spec('a target port of 70000', 'service.targetPort', 70000),
  spec('a service name in capitals', 'service.name', 'POD_INFO'),
  spec('a service name that is too long with -primary', 'service.name', 'a'.repeat(60)),
  spec('delegation beside hosts', 'service', { port: 80, delegation: true, hosts: ['example.com'] }, 'service.hosts'),
  spec('delegation beside gateways', 'service', { port: 80, delegation: true, gateways: ['mesh'] }, 'service.gateways'),
  spec('a service timeout that is not a time', 'service.timeout', 'for ever'),
  spec('a time for each try that is not a time', 'service.retries', { attempts: 3, perTryTimeout: 'soon' }, 'retries.perTryTimeout'),
  spec('a CORS age that is not a time', 'service.corsPolicy', { maxAge: 'old' }, 'corsPolicy.maxAge'),
  spec('a route match that is nested 500 deep', 'service.match', nested(500), 'service.match'),
  spec('no analysis', 'analysis', undefined),
  spec('an analysis that is a list', 'analysis', []),
  spec('an address of metrics that is none', 'metricsServer', 'not an address'),
  spec('skipAnalysis that is a text', 'skipAnalysis', 'yes'),
  spec('suspend that is a text', 'suspend', 'true'),
  spec('a deadline that is a text', 'progressDeadlineSeconds', 'long'),
  spec('a deadline with a fraction', 'progressDeadlineSeconds', 1.5),
  spec('revertOnDeletion that is a number', 'revertOnDeletion', 1),
  spec('a scaler without a name', 'autoscalerRef', { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' }, 'autoscalerRef.name'),
  spec('a scaler of an unknown kind', 'autoscalerRef', { apiVersion: 'v1', kind: 'VPA', name: 'x' }, 'autoscalerRef.kind'),
  analysis('no interval', { interval: undefined }, 'spec.analysis'),
  analysis('an interval that is not a time', { interval: 'ten parsecs' }, 'interval'),
  analysis('a negative interval', { interval: '-5s' }, 'interval'),
  analysis('an interval that is a number', { interval: 10 }, 'interval'),
  analysis('a threshold that is a text', { threshold: 'few' }, 'threshold'),
  analysis('a threshold with a fraction', { threshold: 1.5 }, 'threshold'),
  analysis('a step with a fraction', { stepWeight: 2.5 }, 'stepWeight'),
  analysis('a step that is a text', { stepWeight: '10' }, 'stepWeight'),
  analysis('a negative step', { stepWeight: -5 }, 'stepWeight'),
  analysis('a step of 0', { stepWeight: 0 }, 'stepWeight'),
  analysis('a step beyond all numbers', { stepWeight: 1e300 }, 'stepWeight'),
  analysis('no steps at all', { stepWeight: undefined, maxWeight: undefined }, 'spec.analysis'),
  analysis('weights and iterations together', { iterations: 5 }, 'spec.analysis'),
  analysis('two kinds of weights together', { stepWeights: [10, 20] }, 'spec.analysis'),
  analysis('an empty list of weights', { stepWeight: undefined, stepWeights: [] }, 'stepWeights'),
  analysis('weights that fall', { stepWeight: undefined, stepWeights: [50, 20] }, 'stepWeights'),
  analysis('weights that are texts', { stepWeight: undefined, stepWeights: ['a'] }, 'stepWeights'),
  analysis('20,000 weights', { stepWeight: undefined, stepWeights: Array.from({ length: 20_000 }, () => 7) }, 'stepWeights'),
  analysis('no iterations to make', { stepWeight: undefined, maxWeight: undefined, iterations: 0 }, 'iterations'),
  analysis('fewer than no iterations', { stepWeight: undefined, maxWeight: undefined, iterations: -3 }, 'iterations'),
  analysis('mirroring where the provider cannot', { mirror: true }, 'mirror', 'smi:v1alpha2'),
  analysis(
    'header matches where the provider cannot',
    { stepWeight: undefined, maxWeight: undefined, iterations: 3, match: [{ headers: { a: { exact: 'b' } } }] },
    'match',
    'linkerd',
  ),
  analysis('a ready threshold that is never reached', { canaryReadyThreshold: 101 }, 'canaryReadyThreshold'),
  analysis('one cookie for both sides', { sessionAffinity: { cookieName: 'a', primaryCookieName: 'a' } }, 'primaryCookieName'),
  analysis('a cookie without a name', { sessionAffinity: { cookieName: '' } }, 'cookieName'),
  analysis('metrics that are a text', { metrics: 'all' }, 'metrics'),
  analysis('a metric without a name', { metrics: [{ thresholdRange: { min: 1 } }] }, 'metrics'),
  analysis('a metric that asks nothing', { metrics: [{ name: 'happiness', thresholdRange: { min: 1 } }] }, 'metrics'),
  analysis('a range that nothing is in', metric({ thresholdRange: { min: 9, max: 1 } }), 'thresholdRange'),
  analysis('a limit that is a text', metric({ thresholdRange: { min: 'all' } }), 'thresholdRange'),
  analysis('a window that is not a time', metric({ interval: 'soon' }), 'interval'),
  analysis('a template reference without a name', metric({ templateRef: {} }), 'templateRef'),
  analysis('variables of the wrong type', metric({ templateVariables: { constructor: { prototype: 1 } } }), 'templateVariables'),
  analysis('a webhook without an address', hook({ url: undefined }), 'url'),
  analysis('a webhook address that is not HTTP', hook({ url: 'ftp://example.com' }), 'url'),
  analysis('a webhook address that is a script', hook({ url: 'javascript:alert(1)' }), 'url'),
  analysis('a webhook of an unknown type', hook({ type: 'some-day' }), 'type'),
  analysis('a webhook time that is not a time', hook({ timeout: 'now' }), 'timeout'),
  analysis('a webhook time of 0', hook({ timeout: '0s' }), 'timeout'),
  analysis('retries with a fraction', hook({ retries: 1.5 }), 'retries'),
  analysis('an alert without a provider', { alerts: [{ name: 'a' }] }, 'providerRef'),
  analysis('an alert of an unknown severity', { alerts: [{ name: 'a', severity: 'loud', providerRef: { name: 'b' } }] }, 'severity'),
  analysis('a header match with two forms', { match: [{ headers: { a: { exact: 'b', prefix: 'c' } } }] }, 'match'),
  analysis('a header match that is a number', { match: [{ headers: { a: 1 } }] }, 'match'),
];
