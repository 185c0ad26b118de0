import { describe, expect, it } from 'vitest';
import type { Canary } from '../../src/api/canary.ts';
import { names } from '../../src/api/names.ts';
import { seededRandom } from '../../src/embedded/mesh/random.ts';
import { resolvers } from '../../src/embedded/mesh/resolvers.ts';
import { recordAnswer, trafficMetrics } from '../../src/embedded/mesh/traffic-metrics.ts';
import { parseExposition } from '../../src/embedded/prometheus/exposition.ts';
import type { EmbeddedPrometheus } from '../../src/embedded/prometheus/index.ts';
import type { Compared, ToCompare } from '../../src/judge/compared.ts';
import type { Counts } from '../../src/judge/window.ts';
import { compare } from '../../src/metrics/measure.ts';
import { observerFor } from '../../src/routers/index.ts';
import { dependencies, emptyServer, endMs } from '../fakes/measuring.ts';
import { providerFixtures } from '../scenarios/providers/index.ts';
import type { ProviderFixture } from '../scenarios/providers/provider-fixture.ts';
import { namespace, podOf, resolve, viewOf } from './provider-traffic.ts';
import { aCanary } from './routers-cases.ts';

const CANARY_PERCENT = 30;
const PER_SCRAPE = 40;
/** Seconds before the end at which metrics are scraped, and at which windows end: one of them within the second by which ingress-nginx is late. */
const SCRAPED = [100, 85, 70, 55, 40, 25];
const ENDS = [92.5, 78, 69, 54.5, 47, 30, 20];
const SLOW_MS = 900;

type Sent = Record<'canary' | 'primary', Counts & { slow: number }>;

/** Requests at a weight of 30%, of which a tenth of the canary's fail and a twentieth are slow; what was sent between the first and the last scrape. */
function sendAndScrape(fixture: ProviderFixture, canary: Canary, prometheus: EmbeddedPrometheus, percent = CANARY_PERCENT): Sent {
  const metrics = trafficMetrics(Object.assign({}, ...resolvers.map(({ histograms }) => histograms)));
  const random = seededRandom(20);
  const view = viewOf(fixture, canary, percent);
  const { canaryService, target, primary } = names(canary);
  let sent = nothingSent();
  const send = () => {
    const route = resolve(fixture, canary, view, random);
    const { destination } = route;
    const side = destination.name === canaryService ? 'canary' : 'primary';
    const [status, durationMs] = [random() < (side === 'canary' ? 0.1 : 0.02) ? 500 : 200, random() < 0.05 ? SLOW_MS : 40];
    const pod = podOf(side === 'canary' ? target : primary);
    const answered = { destination, pod, status, isProxyError: false, method: 'GET', path: '/', durationMs };
    recordAnswer(metrics, answered);
    route.count?.(metrics, answered);
    const counts = sent[side];
    counts.requests += 1;
    counts.failures += status === 500 ? 1 : 0;
    counts.slow += durationMs === SLOW_MS ? 1 : 0;
  };
  for (const [index, agoS] of SCRAPED.entries()) {
    for (let request = 0; request < PER_SCRAPE; request += 1) send();
    const samples = parseExposition(metrics.text());
    prometheus.ingest(samples.map(({ labels, value }) => ({ labels: { ...labels, instance: 'mesh' }, value, tMs: endMs - agoS * 1000 })));
    if (index === 0) sent = nothingSent();
  }
  return sent;
}

const nothingSent = (): Sent => ({ canary: { requests: 0, failures: 0, slow: 0 }, primary: { requests: 0, failures: 0, slow: 0 } });

/** Sums over consecutive windows; each begins where the previous one ends. */
async function summed(canary: Canary, provider: ProviderFixture['provider'], more: Partial<ToCompare> & { metric: string }) {
  const sums = nothingSent();
  let fromMs = endMs - 99_000;
  for (const agoS of ENDS) {
    const nowMs = endMs - agoS * 1000;
    const [answer] = await compare(canary, [{ fromMs, ...more }], { ...dependencies(), meshProvider: provider as 'istio', nowMs });
    if (answer?.kind !== 'window') throw new Error(JSON.stringify(answer));
    for (const side of ['canary', 'primary'] as const) {
      sums[side].requests += answer.window[side].requests;
      sums[side].failures += answer.window[side].failures;
    }
    fromMs = answer.window.toMs;
  }
  return { canary: countsOf(sums.canary), primary: countsOf(sums.primary) };
}

const countsOf = ({ requests, failures }: Counts): Counts => ({ requests, failures });

/** The target of Knative's is its own route; its queries name Revisions. */
const fixtures = providerFixtures.filter(({ application }) => application === undefined);

describe.each(fixtures.filter(({ countsBothSides }) => !countsBothSides))('counts of $provider', (fixture) => {
  it.each(['shop', 'store-front'])('20.3: are those of the requests sent to both sides behind Service %s', async (name) => {
    const app = { name, namespace };
    const canary = aCanary({ ...fixture.spec?.(app), provider: fixture.provider, service: { port: 80, ...fixture.service?.(app), name } });
    const sent = sendAndScrape(fixture, canary, await emptyServer());
    expect(await summed(canary, fixture.provider, { metric: 'errors' })).toEqual({
      canary: countsOf(sent.canary),
      primary: countsOf(sent.primary),
    });
    expect(Math.min(sent.canary.failures, sent.primary.failures, sent.canary.slow, sent.primary.slow)).toBeGreaterThan(0);
    const plan = { primaryMs: 100, canaryMs: 250, tolerated: 2.5 };
    expect(await summed(canary, fixture.provider, { metric: 'latency', plan })).toEqual({
      canary: { requests: sent.canary.requests, failures: sent.canary.slow },
      primary: { requests: sent.primary.requests, failures: sent.primary.slow },
    });
  });

  it.each([0, CANARY_PERCENT])('20.3: have a history of only the primary, at weight %d', async (percent) => {
    const app = { name: 'shop', namespace };
    const canary = aCanary({
      ...fixture.spec?.(app),
      provider: fixture.provider,
      service: { port: 80, ...fixture.service?.(app), name: app.name },
    });
    const { primary } = sendAndScrape(fixture, canary, await emptyServer(), percent);
    const asked = ['errors', 'latency'].map((metric) => ({ metric, fromMs: endMs - 20_000, learnMs: 5_000 }));
    const [errors, latency] = await compare(canary, asked, dependencies());
    expect(historyOf(errors)).toEqual(countsOf(primary));
    expect(latency).toMatchObject({ kind: 'buckets' });
    const buckets = latency?.kind === 'buckets' ? latency.primary : [];
    const within = (boundMs: number) =>
      buckets.reduce((total, { boundsMs, cumulative }) => total + (cumulative[boundsMs.indexOf(boundMs)] ?? Number.NaN), 0);
    expect([within(100), within(Number.POSITIVE_INFINITY)]).toEqual([primary.requests - primary.slow, primary.requests]);
  });
});

const historyOf = (answer: Compared | undefined): Counts => {
  const all = answer?.kind === 'history' ? answer.primary : [];
  return {
    requests: all.reduce((total, { requests }) => total + requests, 0),
    failures: all.reduce((total, { failures }) => total + failures, 0),
  };
};

it('20.3: a provider that counts both sides as one says so', async () => {
  const counted = fixtures.filter(({ countsBothSides }) => countsBothSides).map(({ provider }) => provider);
  const unavailable = fixtures.filter(({ provider }) => 'unavailable' in observerFor(provider, 'Deployment').counters);
  expect(unavailable.map(({ provider }) => provider)).toEqual(counted);
  const [answer] = await compare(aCanary({ provider: 'apisix' }), [{ metric: 'errors', fromMs: 0 }], dependencies());
  expect(answer).toEqual({ metric: 'errors', kind: 'unknown', reason: 'APISIX counts both sides as one route' });
});
