import { aCanary, makeNamespace } from '../troubles/objects.ts';
import { APP, type Stall } from './stall.ts';

const METRIC = 'spec.analysis.metrics[0]';

/** A field that no Canary can be run with; nothing of it starts, so that it needs no workload. `good` is what `change` is answered with. */
function wrong(
  namespace: string,
  { analysis = {}, spec = {}, field, says = /./, good, cause = 'InvalidSpec', named = field }: Wrong,
): Stall {
  const asPattern = (path: string) => path.replace(/[.[\]]/g, '\\$&');
  return {
    namespace,
    cause: new RegExp(asPattern(field)),
    remedy: says,
    why: { cause, proof: new RegExp(`^Canary web: ${asPattern(named)}$`), clear: { set: good } },
    async run({ cluster }) {
      await makeNamespace(cluster, namespace);
      await cluster.create(JSON.parse(JSON.stringify(aCanary(namespace, APP, analysis, spec))));
    },
  };
}

interface Wrong {
  analysis?: object;
  spec?: object;
  /** Field that the condition names. */
  field: string;
  /** Field that `serin why` names, if it differs: the field of the remedy. */
  named?: string;
  says?: RegExp;
  good: unknown;
  cause?: 'InvalidSpec' | 'UnsupportedByProvider';
}

const metric = (fields: object) => ({ metrics: [{ name: 'request-success-rate', thresholdRange: { min: 99 }, ...fields }] });
const hook = (fields: object) => ({ webhooks: [{ name: 'smoke', url: 'http://127.0.0.1:1/', ...fields }] });
const service = (fields: object) => ({ service: { port: 80, targetPort: 'http', ...fields } });
const target = (fields: object) => ({ targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: APP, ...fields } });

export const specStalls: readonly Stall[] = [
  wrong('invalid', { analysis: { stepWeight: 0 }, field: 'spec.analysis.stepWeight', says: /set it from 1 to 100/, good: 10 }),
  wrong('falling-steps', {
    analysis: { stepWeight: undefined, maxWeight: undefined, stepWeights: [50, 20] },
    field: 'spec.analysis.stepWeights[1]',
    good: 80,
  }),
  wrong('target-of-capitals', {
    spec: target({ name: 'Pod_Info' }),
    field: 'spec.targetRef.name',
    says: /lower-case letters/,
    good: 'podinfo',
  }),
  wrong('target-of-another-group', {
    spec: target({ apiVersion: 'batch/v1' }),
    field: 'spec.targetRef',
    says: /use a Deployment or DaemonSet of apps\/v1/,
    good: target({}).targetRef,
  }),
  wrong('no-such-port', { spec: service({ targetPort: 70_000 }), field: 'spec.service.targetPort', says: /1 to 65535/, good: 8080 }),
  wrong('service-of-capitals', { spec: service({ name: 'POD' }), field: 'spec.service.name', good: 'pod' }),
  wrong('timeout-of-words', { spec: service({ timeout: 'for ever' }), field: 'spec.service.timeout', good: '15s' }),
  wrong('range-of-nothing', {
    analysis: metric({ thresholdRange: { min: 2, max: 1 } }),
    field: `${METRIC}.thresholdRange`,
    says: /exchange them/,
    good: { min: 1, max: 2 },
  }),
  wrong('metric-that-asks-nothing', {
    analysis: { metrics: [{ name: 'errors' }] },
    field: METRIC,
    says: /set templateRef/,
    good: metric({}).metrics[0],
  }),
  wrong('baseline-of-nothing', {
    analysis: metric({ baseline: {} }),
    field: `${METRIC}.baseline`,
    says: /set minRatio or maxRatio/,
    good: { maxRatio: 2 },
  }),
  wrong('hook-without-scheme', {
    analysis: hook({ url: 'tester' }),
    field: 'spec.analysis.webhooks[0].url',
    says: /must be an http or https address, as in http:/,
    good: 'http://127.0.0.1:1/',
  }),
  wrong('hook-without-patience', { analysis: hook({ timeout: '0s' }), field: 'spec.analysis.webhooks[0].timeout', good: '1s' }),
  wrong('cookie-without-name', {
    analysis: { sessionAffinity: { cookieName: '' } },
    field: 'spec.analysis.sessionAffinity.cookieName',
    says: /name the cookie/,
    good: 'canary',
  }),
  wrong('one-cookie-for-both', {
    analysis: { sessionAffinity: { cookieName: 'a', primaryCookieName: 'a' } },
    field: 'spec.analysis.sessionAffinity.primaryCookieName',
    says: /give it another name/,
    good: 'b',
  }),
  wrong('mirror-without-means', {
    analysis: { mirror: true },
    spec: { provider: 'smi:v1alpha2' },
    field: 'spec.analysis.mirror',
    good: false,
  }),
  wrong('delegate-with-hosts', {
    spec: service({ delegation: true, hosts: ['example.com'] }),
    field: 'spec.provider',
    says: /remove service\.hosts and service\.gateways, or service\.delegation/,
    cause: 'UnsupportedByProvider',
    named: 'spec.service.hosts',
    good: undefined,
  }),
  wrong('route-of-another-provider', {
    spec: { provider: 'gatewayapi:v1', ...service({ appProtocol: 'grpc', rewrite: { uri: '/' }, gatewayRefs: [{ name: 'front' }] }) },
    field: 'spec.service.rewrite',
    says: /cannot be said in a GRPCRoute: remove it/,
    cause: 'UnsupportedByProvider',
    good: undefined,
  }),
];
