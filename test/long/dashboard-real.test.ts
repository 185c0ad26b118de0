import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { journalLabel } from '../../src/workloads/journal-record.ts';
import { type ControllerProcess, startController } from '../scenarios/controller.ts';
import { type DashboardFixture, serveDashboard } from '../scenarios/dashboard-fixture.ts';
import { askByKeyboard, describeViews } from '../scenarios/dashboard-views.ts';
import { startRealEnvironment } from '../scenarios/environment.ts';
import { eventually } from '../scenarios/eventually.ts';
import { APP, Scenario } from '../scenarios/scenario.ts';

const METRICS = [{ name: 'request-success-rate', interval: '4s', thresholdRange: { min: 99 } }];
const PLAN = { stepWeight: 20, maxWeight: 60, metrics: METRICS };
const pathOf = (namespace: string, rest = '') => `/canaries/${namespace}/${APP}${rest}`;
const canaryIn = (namespace: string) => ({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary', namespace, name: APP });

describe('the dashboard in Chromium, on a real control plane with releases of the shipped controller', () => {
  const scenarios = new Map<string, Scenario>();
  let controller: ControllerProcess;
  let fixture: DashboardFixture;

  beforeAll(async () => {
    const environment = await startRealEnvironment();
    controller = startController(environment);
    const begun = async (namespace: string, analysis: (scenario: Scenario) => object) => {
      const scenario = await Scenario.begin(environment, controller, namespace);
      scenarios.set(namespace, scenario);
      await scenario.given.aDeployment();
      scenario.given.users();
      await scenario.given.aCanary({ ...PLAN, ...analysis(scenario) });
      return scenario;
    };
    // A journal is stored after the end of its release.
    const journalsAre = (namespace: string, count: number) =>
      eventually(
        'the journals are stored',
        () => environment.cluster.list({ apiVersion: 'apps/v1', kind: 'ControllerRevision', namespace }, { labelSelector: journalLabel }),
        ({ items }) => items.length === count,
      );
    const good = async () => {
      const { when, then } = await begun('good', () => ({}));
      for (const version of ['2', '3']) {
        await when.imageChanges(version);
        await then.releaseEnds('Succeeded');
      }
      await journalsAre('good', 2);
    };
    // Its gate keeps a bad version from being promoted by chance.
    const bad = async () => {
      const { when, then } = await begun('bad', ({ given }) => ({ webhooks: given.aClosedGate() }));
      await when.imageChanges('2', { ERROR_RATE: '0.5' });
      await then.releaseEnds('Failed');
      await journalsAre('bad', 1);
    };
    const gated = async (namespace: string) => {
      const { when, then } = await begun(namespace, ({ given }) => ({ webhooks: given.aClosedGate() }));
      await when.imageChanges('2');
      await then.canaryIs('WaitingPromotion');
    };
    await Promise.all([good(), bad(), gated('gated'), gated('denied')]);
    fixture = await serveDashboard(environment.cluster, () => environment.stop());
  }, 600_000);

  afterAll(async () => {
    for (const scenario of scenarios.values()) await scenario.end();
    await controller?.stop();
    await fixture?.stop();
  }, 60_000);

  describeViews(
    () => fixture,
    [
      { view: 'all Canaries', path: '/', shows: 'canary 0%' },
      { view: 'Canaries that wait', path: '/?waiting', shows: 'Gate finish: 2 Canaries' },
      { view: 'a good release', path: pathOf('good'), shows: 'Succeeded' },
      { view: 'a bad release', path: pathOf('bad'), shows: 'Failed' },
      { view: 'a release at a gate', path: pathOf('gated'), shows: 'Approve' },
      { view: 'history', path: pathOf('good', '/history'), shows: 'serves now' },
      { view: 'a past release', path: pathOf('bad', '/releases/1'), shows: 'request-success-rate failed' },
      { view: 'two releases', path: pathOf('good', '/compare/1/2'), shows: 'Check request-success-rate' },
      { view: 'pending changes of a release', path: pathOf('gated', '/diff'), shows: 'spec.http[0].route[1].weight' },
    ],
  );

  it('a release at its gate shows its weights since it began, the fields of its route, and what it waits for', async () => {
    const page = await fixture.open(pathOf('gated'));
    await page.getByText('since the release began', { exact: true }).waitFor();
    const routes = page.getByRole('region', { name: 'Fields of the route objects' });
    await routes.getByText('+ 60').waitFor();
    expect(await routes.getByText('− 100').count()).toBe(1);
    await page.getByRole('region', { name: 'Waits for' }).getByText('Gate finish').waitFor();
    const path = await page
      .getByRole('img', { name: /^Weight of the canary over time/ })
      .locator('path.line')
      .getAttribute('d');
    // Down for each raise: 20, 40 and 60%.
    expect(new Set(path?.match(/(?<=V)[\d.]+/g)).size).toBeGreaterThanOrEqual(4);
    await page.context().close();
  });

  it.each([
    { namespace: 'gated', label: 'Pause', verb: 'pause', shows: 'Resume' },
    { namespace: 'gated', label: 'Resume', verb: 'resume', shows: 'Approve' },
    { namespace: 'gated', label: 'Approve', verb: 'promote', shows: 'Succeeded' },
    { namespace: 'denied', label: 'Deny', verb: 'rollback', shows: 'Failed' },
    { namespace: 'bad', label: 'Retry', verb: 'retry', shows: 'Progressing' },
    { namespace: 'bad', label: 'Roll back', verb: 'rollback', shows: 'Failed' },
    { namespace: 'good', label: 'Undo', verb: 'undo', shows: 'Progressing' },
    { namespace: 'good', label: 'Promote', verb: 'promote', shows: 'Succeeded' },
  ] as const)('$label in $namespace by the keyboard alone: the controller carries it out, and the page shows $shows', async (act) => {
    const { namespace, label, verb, shows } = act;
    const page = await fixture.open(pathOf(namespace));
    await askByKeyboard(fixture, { page, label, verb, canary: canaryIn(namespace) });
    await page.locator('main').getByText(shows, { exact: true }).first().waitFor();
    await page.context().close();
  });
});
