import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { releasing } from '../fakes/compared-release.ts';
import { type DashboardFixture, seriousFindings, startDashboardFixture } from '../scenarios/dashboard-fixture.ts';
import { askByKeyboard, describeViews, keepScreenshot } from '../scenarios/dashboard-views.ts';

const RELEASE = '/canaries/test/podinfo';
const ref = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', namespace: 'test', name: 'podinfo' };

describe('the dashboard in Chromium', () => {
  let fixture: DashboardFixture;
  beforeAll(async () => {
    fixture = await startDashboardFixture();
  });
  afterAll(() => fixture?.stop());

  describeViews(
    () => fixture,
    [
      { view: 'all Canaries', path: '/', shows: 'podinfo' },
      { view: 'Canaries that wait', path: '/?waiting', shows: 'No Canary waits.' },
      { view: 'one release', path: RELEASE, shows: 'Succeeded' },
      { view: 'history', path: `${RELEASE}/history`, shows: 'Promoted revisions' },
      { view: 'a past release', path: `${RELEASE}/releases/1`, shows: 'Weight of the canary' },
      { view: 'two releases', path: `${RELEASE}/compare/1/1`, shows: 'Duration' },
      { view: 'pending changes', path: `${RELEASE}/diff`, shows: 'Pending changes' },
    ],
  );

  it.each([
    ['Promote', 'promote'],
    ['Roll back', 'rollback'],
    ['Pause', 'pause'],
    ['Resume', 'resume'],
    ['Retry', 'retry'],
    ['Undo', 'undo'],
  ] as const)('%s by the keyboard alone reaches the Canary as %s', async (label, verb) => {
    const page = await fixture.open(RELEASE);
    await askByKeyboard(fixture, { page, label, verb, canary: ref });
    await page.context().close();
  });

  it.each([
    ['Approve', 'promote'],
    ['Deny', 'rollback'],
  ] as const)('a closed gate shows its answer as text, and %s asks for %s', async (label, verb) => {
    const answer = '<b id="answer">not yet</b>';
    const gate = { name: 'approval', type: 'confirm-promotion', url: 'http://gate.example' };
    await fixture.cluster.patch(ref, { spec: { analysis: { webhooks: [gate] } } });
    const refusedBy = { webhook: gate.name, type: gate.type, detail: answer };
    await fixture.cluster.patch(ref, { status: { release: { refusedBy } } }, { subresource: 'status' });
    const page = await fixture.open(RELEASE);
    await page.getByText(answer).first().waitFor();
    expect(await page.locator('#answer').count()).toBe(0);
    await askByKeyboard(fixture, { page, label, verb, canary: ref });
    await page.context().close();
  });

  it.each([390, 1280])('%i px wide, a release shows how it was compared with the primary', async (width) => {
    const world = releasing({ warmUp: '0s' }, { canary: 0.0061, primary: 0.0005, perSecond: 5000 });
    for (let tick = 0; tick < 10; tick += 1) world.tick();
    await fixture.cluster.patch(ref, { spec: { analysis: { comparison: { warmUp: '0s' } } } });
    await fixture.cluster.patch(ref, { status: { release: { comparison: world.release.comparison } } }, { subresource: 'status' });
    const page = await fixture.open(RELEASE, { width, bypassCSP: true });
    await page.getByRole('heading', { name: 'Compared with the primary (shadow: decides nothing)' }).waitFor();
    await page.getByText('times worse, certainty 99%').first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await seriousFindings(page)).toEqual([]);
    await keepScreenshot(page, `compared-${width}`);
    await page.context().close();
  });

  it('texts of tenants are shown as text: no part of them runs', async () => {
    const hostile = `<img src=x onerror="document.title='run'"><script>document.title='run'</script>`;
    const before = (await fixture.cluster.get(ref))?.status as { conditions?: object[]; release?: object };
    const conditions = [{ type: 'Promoted', status: 'Unknown', reason: 'Failed', message: hostile }];
    const blockers = [{ code: 'GateClosed', webhook: hostile, since: new Date().toISOString() }];
    const status = { ...before, conditions, release: { ...before.release, blockers } };
    await fixture.cluster.patch(ref, { status }, { subresource: 'status' });
    for (const path of ['/', '/?waiting', RELEASE]) {
      const page = await fixture.open(path);
      await page.locator('main').getByText('onerror=').first().waitFor();
      expect(await page.locator('main img, main script').count()).toBe(0);
      expect(await page.title()).not.toBe('run');
      await page.context().close();
    }
  });

  it('another port of this machine gets the cookie of the session, and nothing that opens one', async () => {
    const cookies: string[] = [];
    const pod = createServer(({ headers }, response) => {
      cookies.push(headers.cookie ?? '');
      response.end('<!doctype html><title>pod</title>');
    });
    await new Promise<void>((resolve) => pod.listen(0, '127.0.0.1', resolve));
    const page = await fixture.open('/');
    await page.getByText('podinfo').first().waitFor();
    const other = await page.context().newPage();
    await other.goto(`http://127.0.0.1:${(pod.address() as AddressInfo).port}/`);
    expect(cookies[0]).toContain('serin-dashboard-');
    expect(await other.evaluate('localStorage.length')).toBe(0);
    expect((await fetch(`${fixture.base}/api/session`, { headers: { cookie: cookies[0] ?? '' } })).status).toBe(401);
    // A new tab of the dashboard itself is in the session.
    await other.goto(fixture.base);
    await other.getByText('podinfo').first().waitFor();
    // A link of someone else, with a proof that is none, ends nothing.
    await other.goto(`${fixture.base}/#proof=x`);
    await other.reload();
    await other.getByText('podinfo').first().waitFor();
    await page.context().close();
    pod.close();
  });

  it('1,000 Canaries are listed, found by name, and filtered by namespace; a change is shown without a reload', async () => {
    await fixture.addCanaries(1_000);
    const page = await fixture.open('/');
    await page.getByText('1001 of 1001').waitFor();
    await page.getByRole('searchbox').fill('app-0007');
    await page.getByText('1 of 1001').waitFor();
    await page.getByRole('searchbox').fill('');
    await page.getByLabel('Namespace').selectOption('team-3');
    await page.getByText('100 of 1001').waitFor();
    const one = { ...ref, namespace: 'team-3', name: 'app-0003' };
    await fixture.cluster.patch(one, { status: { phase: 'Failed' } }, { subresource: 'status' });
    await page.getByRole('link', { name: /app-0003.*Failed/ }).waitFor();
    await fixture.cluster.delete(one);
    await page.getByText('99 of 1000').waitFor();
    expect(await page.getByText('app-0003').count()).toBe(0);
    await page.context().close();
  });
});
