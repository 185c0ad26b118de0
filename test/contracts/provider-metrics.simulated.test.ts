import { describe, expect, it } from 'vitest';
import { fillVariables } from '../../scripts/dashboards/choose-variables.ts';
import { panelQueriesOf } from '../../scripts/dashboards/dashboard.ts';
import { dashboardOf } from '../../scripts/dashboards/index.ts';
import { observedGroups } from '../../scripts/dashboards/providers.ts';
import type { Canary } from '../../src/api/canary.ts';
import { names } from '../../src/api/names.ts';
import type { ResolvedRoute } from '../../src/embedded/mesh/resolved-route.ts';
import { resolvers } from '../../src/embedded/mesh/resolvers.ts';
import { recordAnswer, trafficMetrics } from '../../src/embedded/mesh/traffic-metrics.ts';
import { parseExposition } from '../../src/embedded/prometheus/exposition.ts';
import { instantQuery } from '../../src/embedded/prometheus/query.ts';
import { SeriesStore } from '../../src/embedded/prometheus/store.ts';
import { knownSeriesQuery } from '../../src/metrics/known-series.ts';
import { renderQuery } from '../../src/metrics/query-template.ts';
import { queryVariables } from '../../src/metrics/query-variables.ts';
import { observedNames } from '../../src/metrics/source.ts';
import { observerFor } from '../../src/routers/index.ts';
import { providerFixtures } from '../scenarios/providers/index.ts';
import type { ProviderFixture } from '../scenarios/providers/provider-fixture.ts';
import { namespace, podOf, resolve, viewOf } from './provider-traffic.ts';
import { aCanary } from './routers-cases.ts';

const SCRAPES = 5;
const SCRAPE_EVERY_MS = 10_000;

/** Samples of Prometheus after some scrapes, between which the canary answers 19 requests well and one badly, and the primary all badly. */
function scraped(fixture: ProviderFixture, canary: Canary): SeriesStore {
  const metrics = trafficMetrics(Object.assign({}, ...resolvers.map(({ histograms }) => histograms)));
  const store = new SeriesStore(3_600_000);
  const { apexService, canaryService, primaryService, target, primary } = names(canary);
  const toCanary = resolve(fixture, canary, viewOf(fixture, canary, 100));
  const toPrimary = resolve(fixture, canary, viewOf(fixture, canary, 0));
  expect(toCanary.destination.name).toBe(canaryService);
  // Beside the user's ingress, requests that do not match use the apex Service, which selects the primary.
  expect([primaryService, apexService]).toContain(toPrimary.destination.name);
  const answer = (route: ResolvedRoute, workload: string, status: number): void => {
    const { destination } = route;
    const answered = { destination, pod: podOf(workload), status, isProxyError: false, method: 'GET', path: '/', durationMs: 40 };
    recordAnswer(metrics, answered);
    route.count?.(metrics, answered);
  };
  for (let scrape = 1; scrape <= SCRAPES; scrape += 1) {
    for (let index = 0; index < 20; index += 1) {
      answer(toCanary, target, index === 0 ? 500 : 200);
      answer(toPrimary, primary, 500);
    }
    for (const { labels, value } of parseExposition(metrics.text())) store.append({ labels, value, tMs: scrape * SCRAPE_EVERY_MS });
  }
  return store;
}

function ask(store: SeriesStore, canary: Canary, template: string): number[] {
  const rendered = renderQuery(template, queryVariables(canary, {}));
  if ('error' in rendered) throw new Error(rendered.error);
  const data = instantQuery(store, rendered.query, SCRAPES * SCRAPE_EVERY_MS);
  return data.resultType === 'vector' ? data.result.map(({ value }) => Number(value[1])) : [];
}

/** Knative's target is its own route, and its queries name a Revision: the releases of `test/scenarios/kinds` are judged by them. */
const fixtures = providerFixtures.filter(({ application }) => application === undefined);

describe.each(fixtures)("the built-in queries of $provider, on the embedded proxies' counters", (fixture) => {
  const seen = fixture.countsBothSides ? 'with the requests of the primary, which are as many' : 'and nothing of the primary';
  it('are those of its dashboard, with the primary beside the canary', () => {
    const app = { name: 'store-front', namespace };
    const canary = aCanary({ ...fixture.spec?.(app), service: { port: 80, ...fixture.service?.(app), name: app.name } });
    const store = scraped(fixture, canary);
    const observer = observerFor(fixture.provider, 'Deployment');
    const group = observedGroups.find((one) => one.providers.includes(fixture.provider) && one.observer === observer);
    const dashboard = dashboardOf(`serin-${group?.id}`);
    const { namespace: _, variables: __, ...names } = queryVariables(canary, {});
    const clean = (text: string) => text.replace(/\W/g, '_');
    const cleaned = Object.fromEntries(Object.entries({ namespace, ...names }).map(([name, text]) => [`${name}_cleaned`, clean(text)]));
    const values = { namespace, ...names, canary: canary.metadata.name, ...cleaned, __rate_interval: '1m' };
    const shown = (panel: string) =>
      panelQueriesOf(dashboard)
        .filter((query) => query.panel === panel && !query.expr.includes('flagger_'))
        .map(({ expr }) => ask(store, canary, fillVariables(expr, values)));
    // Each side has the ninety requests of a minute; all requests of the primary fail, which shows as 0.
    const perSecond = (requests: number) => [expect.closeTo(requests / 60, 6)];
    expect(shown('Success rate')).toEqual(fixture.countsBothSides ? [[95 / 2]] : [[0], [95]]);
    expect(shown('Requests')).toEqual(fixture.countsBothSides ? [perSecond(180)] : [perSecond(90), perSecond(90)]);
    for (const panel of ['Duration P50', 'Duration P99']) for (const side of shown(panel)) expect(side).toHaveLength(1);
  });

  it.each(['shop', 'storefront'])(`see the canary behind Service %s, ${seen}`, (name) => {
    const app = { name, namespace };
    const canary = aCanary({ ...fixture.spec?.(app), service: { port: 80, ...fixture.service?.(app), name } });
    const store = scraped(fixture, canary);
    const observer = observerFor(fixture.provider, 'Deployment');
    const { requestSuccessRate, onlyFailures, requestCount, requestDuration, durationUnit } = observer;
    expect(ask(store, canary, requestSuccessRate)).toEqual([fixture.countsBothSides ? 95 / 2 : 95]);
    expect(ask(store, canary, onlyFailures)).toEqual([]);
    // Eighty in the four pauses between scrapes, stretched to the window by half a pause.
    expect(ask(store, canary, requestCount)).toEqual([expect.closeTo(fixture.countsBothSides ? 180 : 90, 6)]);
    // Every request took 40 ms, so that its bucket gives the value; a quantile is of the same requests.
    for (const query of [requestDuration, observer.requestDurationAt(0.5)]) {
      const [duration = 0, ...others] = ask(store, canary, query);
      expect(others).toEqual([]);
      expect(duration * (durationUnit === 's' ? 1000 : 1)).toBeGreaterThan(10);
      expect(duration * (durationUnit === 's' ? 1000 : 1)).toBeLessThanOrEqual(50);
    }
  });

  it.each(['requests', 'durations'] as const)('find both sides of the metric of its %s by their labels, for the second query', (kind) => {
    const app = { name: 'store-front', namespace };
    const canary = aCanary({ ...fixture.spec?.(app), service: { port: 80, ...fixture.service?.(app), name: app.name } });
    const observer = observerFor(fixture.provider, 'Deployment');
    const { series } = observer;
    const filledIn = (matchers: string) => {
      const rendered = renderQuery(matchers, observedNames(observer, queryVariables(canary, {})));
      return 'query' in rendered ? rendered.query : rendered.error;
    };
    const sides = { canary: filledIn(series.canary), primary: filledIn(series.primary), namespace: filledIn(series.namespace) };
    const query = knownSeriesQuery({ ...sides, labels: series.labels }, series[kind]);
    const data = instantQuery(scraped(fixture, canary), query, SCRAPES * SCRAPE_EVERY_MS);
    const found = data.resultType === 'vector' ? data.result.map(({ metric }) => metric) : [];
    expect(new Set(found.map(({ serin_part }) => serin_part))).toEqual(
      new Set(['canary', ...(fixture.countsBothSides ? [] : ['primary']), 'others', 'any']),
    );
    const any = found.find(({ serin_part }) => serin_part === 'any');
    expect(series.labels.filter((label) => any?.[label] === undefined)).toEqual([]);
    const others = found.filter(({ serin_part }) => serin_part === 'others');
    expect(others.every((one) => one[series.labels.at(-1) ?? ''] !== undefined)).toBe(true);
  });
});
