import type { KubeObject } from '../../../src/api/kube-object.ts';
import { APP, aGoodTemplate, begun, PATIENT, released, SINCE, type Stall, type StallFixture } from './stall.ts';

const successRate = (fields: object = {}) => [{ name: 'request-success-rate', interval: '4s', thresholdRange: { min: 99 }, ...fields }];
const templated = (name: string) => ({
  threshold: PATIENT,
  metrics: [{ name: 'errors', templateRef: { name }, thresholdRange: { max: 100 } }],
});
const template = (namespace: string, address: string, query = 'errors', provider: object = {}) => ({
  apiVersion: 'flagger.app/v1beta1',
  kind: 'MetricTemplate',
  metadata: { name: 'errors', namespace },
  spec: { provider: { type: 'prometheus', address, ...provider }, query },
});
const COUNTS = /next at \d{4}.*of \d+ failed checks used/;
const REASON = /^Canary web: status\.release\.verdicts\[0\]\.reason$/;

/** Creates `before`, its MetricTemplate, before the release. */
const releasedBy = (fixture: StallFixture, namespace: string, before: KubeObject) =>
  released(fixture, namespace, { analysis: templated('errors'), before });

export const checkStalls: readonly Stall[] = [
  {
    namespace: 'metrics-down',
    cause: /request-success-rate is unmeasured: .*127\.0\.0\.1:1/,
    remedy: COUNTS,
    why: { cause: 'Unmeasured', proof: REASON, clear: { set: ({ measured }: StallFixture) => measured.url('back') } },
    run: (fixture) =>
      released(fixture, 'metrics-down', {
        analysis: { threshold: PATIENT, metrics: successRate() },
        spec: { metricsServer: 'http://127.0.0.1:1' },
      }),
  },
  {
    namespace: 'metrics-down-held',
    cause: /is unmeasured since.*request-success-rate is unmeasured: .*127\.0\.0\.1:1/,
    remedy: new RegExp(`${SINCE}.*rolled back at \\d{4}.*ask the owner of the metrics to restore them`),
    why: { cause: 'Unmeasured', proof: REASON, clear: { set: ({ measured }: StallFixture) => measured.url('back') } },
    run: (fixture) =>
      released(fixture, 'metrics-down-held', {
        analysis: { unmeasured: 'hold', metrics: successRate() },
        spec: { metricsServer: 'http://127.0.0.1:1' },
      }),
  },
  {
    namespace: 'no-data',
    cause: /request-success-rate is unmeasured: (no request reached the canary|the metrics server (has no metric|knows requests of other))/,
    remedy: COUNTS,
    why: {
      cause: ['NoTraffic', 'WorkloadUnknown', 'MetricNotScraped'],
      proof: REASON,
      clear: { others: ({ askFor }) => askFor('no-data') },
    },
    run: (fixture) => released(fixture, 'no-data', { analysis: { threshold: PATIENT, metrics: successRate() } }),
  },
  {
    namespace: 'out-of-range',
    cause: /errors: .*200/,
    remedy: COUNTS,
    why: {
      cause: 'CheckFailed',
      proof: /^Canary web: status\.release\.verdicts\[0\]\.value$/,
      // The corrected version, and what is measured of it.
      clear: {
        set({ measured }: StallFixture) {
          measured.answers('out-of-range', 1);
          return aGoodTemplate;
        },
      },
    },
    run(fixture) {
      fixture.measured.answers('out-of-range', 200);
      return releasedBy(fixture, 'out-of-range', template('out-of-range', fixture.measured.url('out-of-range')));
    },
  },
  {
    namespace: 'template-missing',
    cause: /MetricTemplate template-missing\/errors: not found/,
    remedy: /create it or correct templateRef/,
    why: {
      cause: 'TemplateNotFound',
      proof: REASON,
      clear: { create: ({ measured }) => template('template-missing', measured.url('made')) },
    },
    run: (fixture) => released(fixture, 'template-missing', { analysis: templated('errors') }),
  },
  {
    namespace: 'template-unreadable',
    cause: /errors.*(template|query)/i,
    remedy: COUNTS,
    why: { cause: 'QueryInvalid', proof: REASON, clear: { set: 'sum({{ target }})' } },
    run: (fixture) =>
      releasedBy(fixture, 'template-unreadable', template('template-unreadable', fixture.measured.url('corrected'), 'sum({{ target')),
  },
  {
    namespace: 'query-refused',
    cause: /errors is unmeasured: Prometheus answered 400/,
    remedy: COUNTS,
    why: {
      cause: 'QueryInvalid',
      proof: REASON,
      clear: {
        set({ measured }: StallFixture) {
          measured.answers('query-refused', 1);
          return 'sum(errors)';
        },
      },
    },
    run(fixture) {
      fixture.measured.answers('query-refused', { status: 400, error: 'parse error' });
      return releasedBy(fixture, 'query-refused', template('query-refused', fixture.measured.url('query-refused'), 'sum(errors'));
    },
  },
  {
    namespace: 'metrics-broken',
    cause: /errors is unmeasured: Prometheus answered 503/,
    remedy: COUNTS,
    why: { cause: 'Unmeasured', proof: REASON, clear: { set: ({ measured }: StallFixture) => measured.url('another') } },
    run(fixture) {
      fixture.measured.answers('metrics-broken', { status: 503, error: 'starting' });
      return releasedBy(fixture, 'metrics-broken', template('metrics-broken', fixture.measured.url('metrics-broken')));
    },
  },
  {
    namespace: 'credentials-missing',
    cause: /Secret credentials-missing\/token not found/,
    remedy: COUNTS,
    why: {
      cause: 'Unmeasured',
      proof: REASON,
      clear: {
        create: () => ({
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'token', namespace: 'credentials-missing' },
          stringData: { token: 't' },
        }),
      },
    },
    run: (fixture) =>
      releasedBy(
        fixture,
        'credentials-missing',
        template('credentials-missing', fixture.measured.url('asked'), 'errors', { secretRef: { name: 'token' } }),
      ),
  },
  {
    namespace: 'foreign-template',
    cause: /templateRef\.namespace: elsewhere is another namespace/,
    remedy: /--no-cross-namespace-refs forbids/,
    why: {
      cause: 'CrossNamespaceRef',
      proof: /^Canary web: spec\.analysis\.metrics\[0\]\.templateRef\.namespace$/,
      clear: { set: 'foreign-template' },
    },
    run: ({ cluster }) =>
      begun(cluster, 'foreign-template', {
        analysis: { metrics: [{ name: 'errors', templateRef: { name: APP, namespace: 'elsewhere' }, thresholdRange: { max: 1 } }] },
      }),
  },
];
