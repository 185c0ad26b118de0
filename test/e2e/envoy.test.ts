import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { weight } from '../../src/api/routes.ts';
import { binomialBounds } from '../fakes/binomial.ts';
import { type ControllerProcess, startController } from '../scenarios/controller.ts';
import { anEnvironment, type RealEnvironment, startRealEnvironment } from '../scenarios/environment.ts';
import { gatewayApi } from '../scenarios/providers/gateway-api.ts';
import { APP, Scenario } from '../scenarios/scenario.ts';
import { askMany } from '../scenarios/shares/ask-many.ts';
import { namespacesFor, SplitApp } from '../scenarios/shares/split-app.ts';
import { startUsers } from '../scenarios/users.ts';
import { type EnvoyGateway, startEnvoyGateway } from './envoy/envoy-gateway.ts';
import { type RealPrometheus, startRealPrometheus } from './real-prometheus.ts';

const PERCENTS = [0, 1, 10, 50, 99, 100];
const REQUESTS = 2_000;
/** Chance of a false alarm, of all cells of one run together. */
const ALARM = 1e-6;
const SCRAPE_EVERY_MS = 250;

/** HTTPRoutes on a real control plane, a real Envoy that is configured from them, and its own counters in a real Prometheus. */
describe('a real Envoy behind the Gateway API', () => {
  const environment = anEnvironment<RealEnvironment>(startRealEnvironment);
  let envoy: EnvoyGateway;
  let prometheus: RealPrometheus;
  let controller: ControllerProcess;
  beforeAll(async () => {
    envoy = await startEnvoyGateway(environment().cluster);
    prometheus = await startRealPrometheus({ targets: [envoy.metricsUrl], scrapeIntervalMs: SCRAPE_EVERY_MS });
    controller = startController(environment());
  });
  afterAll(async () => {
    await controller?.stop();
    await prometheus?.stop();
    await envoy?.stop();
  });

  describe.concurrent(`of ${REQUESTS} requests`, () => {
    beforeAll(() => namespacesFor(environment().cluster, ['envoy-shares']));
    it.each(PERCENTS)('at a weight of %i % the canary gets its share', async (percent) => {
      const { cluster } = environment();
      const mesh = { ...environment().mesh, url: () => envoy.url, knows: envoy.knows };
      const app = await SplitApp.run({ cluster, mesh, stop: async () => undefined }, gatewayApi, {
        name: `w${percent}`,
        namespace: 'envoy-shares',
      });
      await app.route({ kind: 'weighted', canary: weight(percent) });
      const { byVersion } = await askMany(app.target, REQUESTS);
      const { 1: primary = 0, 2: canary = 0, ...others } = byVersion;
      expect(others, 'answers of neither version').toEqual({});
      expect(primary + canary).toBe(REQUESTS);
      const { least, most } = binomialBounds(REQUESTS, percent / 100, ALARM / PERCENTS.length);
      expect(canary, `${percent} %`).toBeGreaterThanOrEqual(least);
      expect(canary, `${percent} %`).toBeLessThanOrEqual(most);
    });
  });

  const releases = [
    { title: 'a good version is promoted', namespace: 'envoy-good', env: {}, outcome: 'Succeeded', serves: '2' },
    { title: 'a bad version is rolled back', namespace: 'envoy-bad', env: { ERROR_RATE: '0.5' }, outcome: 'Failed', serves: '1' },
  ] as const;
  it.concurrent.each(releases)(
    "I10: $title by Envoy's own counters, and its users lose nothing",
    async ({ namespace, env, outcome, serves }) => {
      const { cluster } = environment();
      const app = { name: APP, namespace };
      const scenario = await Scenario.begin(environment(), controller, namespace);
      try {
        const { given, when, then } = scenario;
        await given.aDeployment();
        for (const object of gatewayApi.objects?.(app) ?? []) await cluster.create(object);
        await cluster.create(successRateTemplate(namespace, prometheus.url));
        const metrics = [{ name: 'envoy', interval: '4s', templateRef: { name: 'envoy' }, thresholdRange: { min: 99 } }];
        await given.aCanary(
          // A first request that Prometheus has not scraped twice yet gives no verdict.
          { stepWeight: 20, maxWeight: 60, metrics, unmeasured: 'hold', webhooks: outcome === 'Failed' ? given.aClosedGate() : [] },
          { provider: gatewayApi.provider, service: { port: 80, targetPort: 'http', ...gatewayApi.service?.(app) } },
        );
        // So many that each check judges dozens of requests, also on a busy machine.
        const users = startUsers([envoy.url], gatewayApi.host(app), {}, { each: 8 });
        try {
          await when.imageChanges('2', env);
          await then.canaryReceives(20);
          await then.releaseEnds(outcome);
          await then.scalesTo(APP, 0);
          users.forget();
          await users.pace(50);
          expect(Object.keys(users.byVersion())).toEqual([serves]);
          expect(users.lost()).toEqual([]);
        } finally {
          await users.stop();
        }
      } finally {
        await scenario.end();
      }
    },
  );
});

/** Envoy names a cluster by what the gateway calls it: namespace, Service and port. */
function successRateTemplate(
  namespace: string,
  address: string,
): { apiVersion: string; kind: string; metadata: { name: string; namespace: string }; spec: object } {
  const series = (more: string) =>
    `sum(rate(envoy_cluster_upstream_rq{envoy_cluster_name="{{ namespace }}_{{ service }}-canary_80"${more}}[{{ interval }}]))`;
  const query = `${series(',envoy_response_code!~"5.*"')} / ${series('')} * 100`;
  return {
    apiVersion: 'flagger.app/v1beta1',
    kind: 'MetricTemplate',
    metadata: { name: 'envoy', namespace },
    spec: { provider: { type: 'prometheus', address }, query },
  };
}
