import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askPrometheus, chooseVariables, fillVariables } from '../../scripts/dashboards/choose-variables.ts';
import { type Dashboard, panelQueriesOf, queriesOf } from '../../scripts/dashboards/dashboard.ts';
import { dashboardOf, dashboards } from '../../scripts/dashboards/index.ts';
import { alertRules } from '../../scripts/observability/alert-rules.ts';
import { raw } from '../fakes/raw.ts';
import { type ControllerProcess, startController } from '../scenarios/controller.ts';
import { anEnvironment, startEmbeddedEnvironment } from '../scenarios/environment.ts';
import { eventually } from '../scenarios/eventually.ts';
import { type HookServer, startHookServer } from '../scenarios/hook-server.ts';
import type { StartApplication } from '../scenarios/kinds/application.ts';
import { daemonSetApplication } from '../scenarios/kinds/daemon-set.ts';
import { knativeApplication } from '../scenarios/kinds/knative.ts';
import { apisix } from '../scenarios/providers/apisix.ts';
import { canaryFor } from '../scenarios/providers/canary-for.ts';
import { contour } from '../scenarios/providers/contour.ts';
import { gloo } from '../scenarios/providers/gloo.ts';
import { istio } from '../scenarios/providers/istio.ts';
import { knative } from '../scenarios/providers/knative.ts';
import { nginx } from '../scenarios/providers/nginx.ts';
import type { ProviderFixture } from '../scenarios/providers/provider-fixture.ts';
import { skipper } from '../scenarios/providers/skipper.ts';
import { traefik } from '../scenarios/providers/traefik.ts';
import { APP, Scenario } from '../scenarios/scenario.ts';
import { freePort } from './free-port.ts';
import { type RealPrometheus, startRealPrometheus } from './real-prometheus.ts';

/** The kubelet's, which no part of a cluster without kubelets emits: their queries are only parsed. */
const OF_KUBELETS = /\bcontainer_/;
/** Dashboards of targets that are Services: the same requests, by the Service that they were sent to. */
const OF_SERVICES = ['serin-istio-service', 'serin-linkerd-service'];
/** Pods of a DaemonSet have other names, and labels. */
const OF_DAEMON_SETS = ['serin-linkerd-daemonset', 'serin-osm-daemonset', 'serin-gateway-api-daemonset', 'serin-kubernetes-daemonset'];
interface Family {
  fixture: ProviderFixture;
  uids: readonly string[];
  /** Target of the release, if it is not a Deployment. */
  application?: StartApplication;
}
/** The mesh counts a request under the names of Istio, Linkerd, OSM and the application itself; ingresses count what goes through them. */
const families: readonly Family[] = [
  { fixture: istio, uids: ['serin-istio', 'serin-linkerd', 'serin-osm', 'serin-gateway-api', 'serin-kubernetes', ...OF_SERVICES] },
  { fixture: contour, uids: ['serin-contour'] },
  { fixture: nginx, uids: ['serin-nginx'] },
  { fixture: gloo, uids: ['serin-gloo'] },
  { fixture: traefik, uids: ['serin-traefik'] },
  { fixture: skipper, uids: ['serin-skipper'] },
  { fixture: apisix, uids: ['serin-apisix'] },
  { fixture: istio, uids: OF_DAEMON_SETS, application: daemonSetApplication },
  { fixture: knative, uids: ['serin-knative'], application: knativeApplication },
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

  /** Number of series in the result; a wrong query is an error of the server. */
  async function seriesOf(query: string): Promise<number> {
    return (await askPrometheus<{ result: unknown[] }>(prometheus.url, 'query', { query })).result.length;
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

  /** The variables of checks have values after the first check of a release. */
  async function chosenOn(dashboard: Dashboard, namespace: string): Promise<Record<string, string>> {
    const preset = { namespace, target: APP, __rate_interval: '1m' };
    const chosen = await eventually(
      `each variable of ${dashboard.uid} has a value`,
      () => chooseVariables(prometheus.url, dashboard, preset).catch((error: Error) => error),
      (now) => !(now instanceof Error),
    );
    return chosen instanceof Error ? {} : chosen;
  }

  const filled = (expr: string, namespace: string): string => {
    const names = dashboards.flatMap(({ variables }) => variables.map(({ name }) => [name, APP] as const));
    return fillVariables(expr, { ...Object.fromEntries(names), namespace, __rate_interval: '1m' });
  };

  it('all are taken by a real Prometheus', async () => {
    const all = [...dashboards.flatMap(queriesOf), ...alertRules].map(({ expr }) => filled(expr, 'none'));
    for (const query of all) expect(await seriesOf(query), query).toBeGreaterThanOrEqual(0);
  });

  it.each(families)('those of $uids have data during a release through $fixture.provider', async ({ fixture, uids, application }) => {
    const app = { name: APP, namespace: `seen-in-${uids[0]}` };
    const scenario = await Scenario.begin(environmentOf(), controller, app.namespace);
    const { given, when, then } = scenario;
    try {
      const asUsersDo = { 'x-serin-host': fixture.host(app), ...fixture.headers?.(app) };
      const target = application?.(environmentOf().cluster, app.namespace);
      await (target ? target.create() : given.aDeployment());
      for (const object of fixture.objects?.(app) ?? []) await environmentOf().cluster.apply(object, { fieldManager: 'user' });
      const { analysis: _, ...spec } = raw(canaryFor(fixture, app, {})).spec;
      const metrics = [
        { name: 'request-success-rate', interval: '10s', thresholdRange: { min: 99 } },
        { name: 'request-duration', interval: '10s', thresholdRange: { max: 5000 } },
      ];
      const webhooks = [{ name: 'smoke', type: 'pre-rollout', url: hooks.url('smoke') }];
      await given.aCanary({ stepWeight: 30, maxWeight: 60, unmeasured: 'hold', metrics, webhooks }, { ...spec, ...target?.spec });
      await then.everyoneGets('1', asUsersDo);
      given.users(asUsersDo);
      await (target ? when.thisHappens(() => target.push('2')) : when.imageChanges('2'));
      await then.canaryReceives(30);
      const marks: string[] = [];
      for (const dashboard of uids.map(dashboardOf)) {
        const values = await chosenOn(dashboard, app.namespace);
        expect(values).toMatchObject({ canary: APP, metric: 'request-duration' });
        const fill = ({ expr }: { expr: string }): string => fillVariables(expr, values);
        await haveData(
          panelQueriesOf(dashboard)
            .map(fill)
            .filter((query) => !OF_KUBELETS.test(query)),
        );
        // A mark is shown for a minute. No release is rolled back here.
        const ofSuccess = (dashboard.marks ?? []).filter(({ name }) => name !== 'Rolled back');
        marks.push(...ofSuccess.map((mark) => `count_over_time((${fill(mark)})[10m:5s])`));
      }
      await then.releaseEnds('Succeeded');
      expect(marks).toHaveLength(2 * uids.length);
      await haveData(marks);
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

  it('those about Serin itself have data, and so has each metric in the expression of an alert', async () => {
    const asked = alertRules.flatMap(({ expr }) => expr.match(/\b(?:flagger|serin)_\w+/g) ?? []);
    const own = panelQueriesOf(dashboardOf('serin')).map(({ expr }) => filled(expr, 'none'));
    const scenario = await Scenario.begin(environmentOf(), controller, 'kept');
    const { given, when, then } = scenario;
    try {
      await given.aDeployment();
      await given.aCanary({ iterations: 1_000 }, { provider: 'kubernetes' });
      await when.imageChanges('2');
      await then.canaryIs('Progressing');
      // Its target was not promoted, so that its primary is kept.
      await when.canaryIsDeleted();
      // A difference exists only while a release is in progress.
      await haveData([...new Set(asked), ...own.filter((query) => !query.includes('flagger_canary_phase{phase='))]);
    } finally {
      await scenario.end();
    }
  });
});
