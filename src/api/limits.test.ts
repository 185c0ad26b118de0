import { describe, expect, it } from 'vitest';
import type { KubeObject } from './kube-object.ts';
import { parseAlertProvider, parseCanary, parseMetricTemplate } from './parse-canary.ts';

const many = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);
const manyKeys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']));
const metric = { name: 'm', query: 'up' };
const webhook = { name: 'w', url: 'http://gate/' };

const canaryWith = (analysis: object, spec: object = {}): KubeObject => ({
  apiVersion: 'flagger.app/v1beta1',
  kind: 'Canary',
  metadata: { name: 'podinfo', namespace: 'test' },
  spec: {
    targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'podinfo' },
    service: { port: 80 },
    analysis: { interval: '1m', threshold: 1, stepWeight: 10, ...analysis },
    ...spec,
  },
});

describe('DF600: a Canary', () => {
  it.each([
    ['analysis.metrics', canaryWith({ metrics: many(101, metric) }), 'a list of 101: it must be at most 100 entries long'],
    ['analysis.webhooks', canaryWith({ webhooks: many(101, webhook) }), 'at most 100 entries long'],
    ['analysis.alerts', canaryWith({ alerts: many(101, { name: 'a', providerRef: { name: 'p' } }) }), 'at most 100 entries long'],
    ['analysis.stepWeights', canaryWith({ stepWeights: many(1001, 1) }), 'at most 1000 entries long'],
    ['analysis.match', canaryWith({ match: many(1001, {}) }), 'at most 1000 entries long'],
    ['analysis.match[0].sourceLabels', canaryWith({ match: [{ sourceLabels: manyKeys(1001) }] }), 'at most 1000 entries long'],
    ['analysis.metrics[0].query', canaryWith({ metrics: [{ ...metric, query: 'u'.repeat(65_537) }] }), 'at most 65536 characters long'],
    ['analysis.metrics[0].name', canaryWith({ metrics: [{ ...metric, name: 'm'.repeat(1025) }] }), 'at most 1024 characters long'],
    [
      'analysis.webhooks[0].url',
      canaryWith({ webhooks: [{ ...webhook, url: `http://g/${'x'.repeat(8192)}` }] }),
      'at most 8192 characters',
    ],
    [
      'analysis.match',
      canaryWith({ match: many(40, {}) }, { service: { port: 80, match: many(26, {}) } }),
      'a list of 40: with service.match it makes 1040 conditions, and at most 1000 are taken: name fewer in either',
    ],
    ['metricsServer', canaryWith({}, { metricsServer: `http://g/${'x'.repeat(8192)}` }), 'at most 8192 characters long'],
  ])('is refused for the size of %s, by name', (field, raw, message) => {
    const parsed = parseCanary(raw);
    if (!('problems' in parsed)) throw new Error('it was taken');
    expect(parsed.problems[0]?.path).toBe(`spec.${field}`);
    expect(parsed.problems[0]?.message).toContain(message);
    expect(parsed.problems[0]?.message.length).toBeLessThan(200);
  });

  it('is taken with as much as the limits allow', () => {
    const metrics = many(100, { ...metric, query: 'u'.repeat(65_536), templateVariables: manyKeys(1000) });
    const parsed = parseCanary(canaryWith({ metrics, webhooks: many(100, webhook), stepWeights: many(1000, 1) }));
    expect(parsed).toHaveProperty('canary');
  });
});

it('DF600: so are a MetricTemplate and an AlertProvider', () => {
  const metadata = { name: 'n', namespace: 'n' };
  const spec = { provider: { type: 'prometheus', address: 'http://p' }, query: 'u'.repeat(65_537) };
  expect(parseMetricTemplate({ apiVersion: 'flagger.app/v1beta1', kind: 'MetricTemplate', metadata, spec })).toMatchObject({
    problems: [{ path: 'spec.query', message: expect.stringContaining('at most 65536 characters long') }],
  });
  const provider = { type: 'slack', address: `http://s/${'x'.repeat(8192)}` };
  expect(parseAlertProvider({ apiVersion: 'flagger.app/v1beta1', kind: 'AlertProvider', metadata, spec: provider })).toMatchObject({
    problems: [{ path: 'spec.address', message: expect.stringContaining('at most 8192 characters long') }],
  });
});
