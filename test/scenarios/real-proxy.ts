import { expect, it } from 'vitest';
import { type RealPrometheus, startRealPrometheus } from '../e2e/real-prometheus.ts';
import { type ControllerProcess, startController } from './controller.ts';
import type { RealEnvironment } from './environment.ts';
import type { ProviderFixture } from './providers/provider-fixture.ts';
import { APP, Scenario } from './scenario.ts';
import type { ShareEnvironment } from './shares/share-environment.ts';
import { startUsers } from './users.ts';
import { afterAll, beforeAll } from './world.ts';

const SCRAPE_EVERY_MS = 250;

/** A proxy by other authors, which follows the objects that Serin writes. */
export interface ProxyUnderTest {
  /** URL for users. */
  readonly url: string;
  /** Its own counters, as Prometheus text. */
  readonly metricsUrl: string;
  /** True if the proxy itself uses this version of a route or an EndpointSlice. */
  knows: ShareEnvironment['mesh']['knows'];
  stop(): Promise<void>;
}

export interface ProxyCase {
  fixture: ProviderFixture;
  /** Begins the names of namespaces. */
  name: string;
  start(environment: RealEnvironment): Promise<ProxyUnderTest>;
  /** Its counter of answers of the canary; `more` are further conditions on labels, each after a comma. Without it Serin's own query judges. */
  series?(more: string): string;
  /** Label of that counter that holds the status. */
  statusLabel?: string;
}

/** Releases of a good and of a bad version through a real proxy, on a real control plane, with its own counters in a real Prometheus. */
export function describeRealProxy(environmentOf: () => RealEnvironment, { fixture, name, start, series, statusLabel }: ProxyCase): void {
  let proxy: ProxyUnderTest;
  let prometheus: RealPrometheus;
  let controller: ControllerProcess;
  beforeAll(async () => {
    proxy = await start(environmentOf());
    prometheus = await startRealPrometheus({ targets: [proxy.metricsUrl], scrapeIntervalMs: SCRAPE_EVERY_MS });
    controller = startController(environmentOf());
  });
  afterAll(async () => {
    await controller?.stop();
    await prometheus?.stop();
    await proxy?.stop();
  });

  const releases = [
    { title: 'a good version is promoted', namespace: `${name}-good`, env: {}, outcome: 'Succeeded', serves: '2' },
    { title: 'a bad version is rolled back', namespace: `${name}-bad`, env: { ERROR_RATE: '0.5' }, outcome: 'Failed', serves: '1' },
  ] as const;
  it.concurrent.each(releases)(
    "I10: $title by the proxy's own counters, and its users lose nothing",
    async ({ namespace, env, outcome, serves }) => {
      const { cluster, mesh } = environmentOf();
      const app = { name: APP, namespace };
      // Beside the embedded mesh the proxy has users of its own.
      const isMesh = proxy.url === mesh.url(0);
      const scenario = await Scenario.begin(environmentOf(), controller, namespace, isMesh ? fixture : undefined);
      try {
        const { given, when, then } = scenario;
        await given.aDeployment();
        if (!isMesh) for (const object of fixture.objects?.(app) ?? []) await cluster.create(object);
        if (series)
          await cluster.create({
            apiVersion: 'flagger.app/v1beta1',
            kind: 'MetricTemplate',
            metadata: { name: 'proxy', namespace },
            spec: {
              provider: { type: 'prometheus', address: prometheus.url },
              query: `${series(`,${statusLabel}!~"5.*"`)} / ${series('')} * 100`,
            },
          });
        const judged = series ? { name: 'proxy', templateRef: { name: 'proxy' } } : { name: 'request-success-rate' };
        const metrics = [{ ...judged, interval: '4s', thresholdRange: { min: 99 } }];
        await given.aCanary(
          // A first request that Prometheus has not scraped twice yet gives no verdict.
          { stepWeight: 20, maxWeight: 60, metrics, unmeasured: 'hold', webhooks: outcome === 'Failed' ? given.aClosedGate() : [] },
          {
            provider: fixture.provider,
            metricsServer: prometheus.url,
            ...fixture.spec?.(app),
            service: { port: 80, targetPort: 'http', ...fixture.service?.(app) },
          },
        );
        // A crowd large enough that each check judges dozens of requests, also on a busy machine.
        const users = startUsers([proxy.url], fixture.host(app), {}, { each: 8 });
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
}
