import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { panelQueriesOf, queriesOf } from '../../scripts/dashboards/dashboard.ts';
import { dashboardOf, dashboards } from '../../scripts/dashboards/index.ts';
import { alertRules } from '../../scripts/observability/alert-rules.ts';
import { raw } from '../fakes/raw.ts';
import { type ControllerProcess, startController } from '../scenarios/controller.ts';
import { anEnvironment, startEmbeddedEnvironment } from '../scenarios/environment.ts';
import { eventually } from '../scenarios/eventually.ts';
import { type HookServer, startHookServer } from '../scenarios/hook-server.ts';
import { canaryFor } from '../scenarios/providers/canary-for.ts';
import { contour } from '../scenarios/providers/contour.ts';
import { istio } from '../scenarios/providers/istio.ts';
import { nginx } from '../scenarios/providers/nginx.ts';
import type { ProviderFixture } from '../scenarios/providers/provider-fixture.ts';
import { APP, Scenario } from '../scenarios/scenario.ts';
import { freePort } from './free-port.ts';
import { type RealPrometheus, startRealPrometheus } from './real-prometheus.ts';

/** The kubelet's, which no part of a cluster without kubelets emits: their queries are only parsed. */
const OF_KUBELETS = /\bcontainer_/;
/** The mesh counts a request under the names of Istio, Linkerd and the application itself; ingresses count what goes through them. */
const families: readonly { fixture: ProviderFixture; uids: readonly string[] }[] = [
  { fixture: istio, uids: ['serin-istio', 'serin-linkerd', 'serin-gateway-api'] },
  { fixture: contour, uids: ['serin-envoy'] },
  { fixture: nginx, uids: ['serin-nginx'] },
];

describe('queries of dashboards and alerts', () => {
  const environmentOf = anEnvironment(() => startEmbeddedEnvironment());
  let controller: ControllerProcess;
  let prometheus: RealPrometheus;
  let hooks: HookServer;
  beforeAll(async () => {
    const port = await freePort();
    hooks = await startHookServer();
    controller = startController(environmentOf(), { port: String(port) });
    const targets = [environmentOf().mesh.metricsUrl, `http://127.0.0.1:${port}/metrics`];
    prometheus = await startRealPrometheus({ targets, scrapeIntervalMs: 500 });
  });
  afterAll(async () => {
    await prometheus?.stop();
    await controller?.stop();
    await hooks?.stop();
  });

  /** How many series it gives now; a query that is wrong is an error of the server. */
  async function seriesOf(query: string): Promise<number> {
    const response = await fetch(`${prometheus.url}/api/v1/query`, { method: 'POST', body: new URLSearchParams({ query }) });
    const answer = (await response.json()) as { status: string; error?: string; data?: { result: unknown[] } };
    if (answer.status !== 'success') throw new Error(`${query}: ${answer.error}`);
    return answer.data?.result.length ?? 0;
  }

  async function haveData(queries: readonly string[]): Promise<void> {
    await eventually(
      'every query has data',
      async () => {
        const empty: string[] = [];
        for (const query of queries) if ((await seriesOf(query)) === 0) empty.push(query);
        return empty;
      },
      (empty) => empty.length === 0,
    );
  }

  const filled = (expr: string, namespace: string): string =>
    expr.replaceAll('$__rate_interval', '1m').replaceAll('$namespace', namespace).replaceAll('$ingress', APP).replaceAll('$target', APP);

  it('06-F14, 06-F15: all are taken by a real Prometheus', async () => {
    const all = [...dashboards.flatMap(queriesOf), ...alertRules].map(({ expr }) => filled(expr, 'none'));
    for (const query of all) expect(await seriesOf(query), query).toBeGreaterThanOrEqual(0);
  });

  it.each(families)('06-GD1: those of $uids have data during a release through $fixture.provider', async ({ fixture, uids }) => {
    const app = { name: APP, namespace: `seen-${fixture.provider.replaceAll(':', '-')}` };
    const scenario = await Scenario.begin(environmentOf(), controller, app.namespace);
    const { given, when, then } = scenario;
    try {
      const asUsersDo = { 'x-serin-host': fixture.host(app), ...fixture.headers?.(app) };
      await given.aDeployment();
      for (const object of fixture.objects?.(app) ?? []) await environmentOf().cluster.apply(object, { fieldManager: 'user' });
      const { analysis: _, ...spec } = raw(canaryFor(fixture, app, {})).spec;
      const metrics = [{ name: 'request-success-rate', interval: '10s', thresholdRange: { min: 99 } }];
      const webhooks = [{ name: 'smoke', type: 'pre-rollout', url: hooks.url('smoke') }];
      await given.aCanary({ stepWeight: 30, maxWeight: 60, unmeasured: 'hold', metrics, webhooks }, spec);
      await then.everyoneGets('1', asUsersDo);
      given.users(asUsersDo);
      await when.imageChanges('2');
      await then.canaryReceives(30);
      const queries = uids.flatMap((uid) => queriesOf(dashboardOf(uid))).map(({ expr }) => filled(expr, app.namespace));
      await haveData(queries.filter((query) => !OF_KUBELETS.test(query)));
      await then.releaseEnds('Succeeded');
    } finally {
      await scenario.end();
    }
  });

  it('the marks of the overview come when a release was promoted, and when one was rolled back', async () => {
    const scenario = await Scenario.begin(environmentOf(), controller, 'marked');
    const { given, when, then } = scenario;
    const expectMark = async (name: string): Promise<void> => {
      const mark = dashboardOf('serin').marks?.find((one) => one.name === name);
      await haveData([`${mark?.expr} and on (namespace) flagger_canary_status{namespace="${scenario.namespace}"}`]);
    };
    try {
      await given.aDeployment();
      const smoke = { name: 'smoke', type: 'rollout', url: hooks.url('marked') };
      await given.aCanary({ iterations: 2, webhooks: [smoke] }, { provider: 'kubernetes' });
      await when.imageChanges('2');
      await then.releaseEnds('Succeeded');
      await expectMark('Promoted');
      hooks.answers('marked', 500);
      await when.imageChanges('3');
      await then.releaseEnds('Failed');
      await expectMark('Rolled back');
    } finally {
      await scenario.end();
    }
  });

  it('06-F14, 06-F15: those about Serin itself have data, and so has each metric that an alert asks for', async () => {
    const asked = alertRules.flatMap(({ expr }) => expr.match(/\b(?:flagger|serin)_\w+/g) ?? []);
    const own = panelQueriesOf(dashboardOf('serin')).map(({ expr }) => filled(expr, 'none'));
    // There is a difference only while a release is under way.
    await haveData([...new Set(asked), ...own.filter((query) => !query.includes('flagger_canary_phase{phase='))]);
  });
});
