import { expect, it } from 'vitest';
import { aCanary } from '../../test/fakes/world.ts';
import { Provider } from '../api/canary.ts';
import { findings } from '../api/findings.ts';
import { renderQuery } from '../metrics/query-template.ts';
import { observerFor } from './index.ts';

const variables = {
  ...{ name: 'app', namespace: 'test', target: 'app', service: 'app', ingress: 'app', route: 'app', interval: '1m' },
  variables: {},
};

it.each(Provider.options)('%s asks for failures only of the same requests as its success rate', (provider) => {
  const { requestSuccessRate, onlyFailures } = observerFor(provider, 'Deployment');
  const render = (query: string) => {
    const rendered = renderQuery(query, variables);
    return 'query' in rendered ? rendered.query : rendered.error;
  };
  const [successes = '', all = ''] = render(requestSuccessRate).split(/ \/ | \* 100$/);
  expect(successes).toMatch(/^sum\(rate\(.+\[1m\]\)\)$/);
  expect(render(onlyFailures)).toBe(`${all} unless ${successes.replace('sum(rate(', 'sum(').replace('[1m]))', ')')}`);
});

it.each(['nginx', 'skipper'] as const)('of %s, whose duration is a mean, any percentile can be queried', (provider) => {
  const observer = observerFor(provider, 'Deployment');
  expect(observer.requestDuration).not.toContain('quantile');
  expect(observer.requestDurationAt(0.99)).toMatch(/^histogram_quantile\(0\.99, sum\(rate\(\w+_bucket\{/);
});

it.each(Provider.options)('validate knows whether the queries of %s can be asked for the primary', (provider) => {
  for (const kind of ['Deployment', 'DaemonSet', 'Service'] as const) {
    const analysis = { metrics: [{ name: 'request-duration', baseline: { maxRatio: 2 } }] };
    const canary = aCanary(analysis, { provider, targetRef: { apiVersion: kind === 'Service' ? 'v1' : 'apps/v1', kind, name: 'app' } });
    const isRefused = findings(canary).some(({ path }) => path === 'spec.analysis.metrics[0].baseline');
    expect([kind, isRefused]).toEqual([kind, !observerFor(provider, kind).selectsWorkload]);
  }
});

it('counters come as late as the proxy hands them on: nginx once a second, all others at once', () => {
  const delays = Provider.options.flatMap((provider) => observerFor(provider, 'Deployment').counterDelayMs ?? []);
  expect([observerFor('nginx', 'Deployment').counterDelayMs, delays]).toEqual([1_000, [1_000]]);
});
