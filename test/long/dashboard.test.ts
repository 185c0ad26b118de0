import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseStatus } from '../../src/api/parse-status.ts';
import { type DashboardFixture, seriousFindings, startDashboardFixture } from '../scenarios/dashboard-fixture.ts';

const RELEASE = '/canaries/test/podinfo';
const views = [
  { view: 'all Canaries', path: '/', shows: 'podinfo' },
  { view: 'one release', path: RELEASE, shows: 'Succeeded' },
  { view: 'history', path: `${RELEASE}/history`, shows: 'Promoted revisions' },
  { view: 'a past release', path: `${RELEASE}/releases/1`, shows: 'Weight of the canary' },
  { view: 'two releases', path: `${RELEASE}/compare/1/1`, shows: 'Duration' },
  { view: 'pending changes', path: `${RELEASE}/diff`, shows: 'Pending changes' },
];
const ref = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', namespace: 'test', name: 'podinfo' };

describe('the dashboard in Chromium', () => {
  let fixture: DashboardFixture;
  beforeAll(async () => {
    fixture = await startDashboardFixture();
  });
  afterAll(() => fixture.stop());

  /** Confirms what a button asks for; it has reached the Canary as this verb. */
  const confirmed = async (page: Page, label: string, verb: string): Promise<void> => {
    await page.getByText(`${label} test/podinfo?`).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText(`${label}: carried out`).waitFor();
    const { requests = [] } = parseStatus((await fixture.cluster.get(ref))?.status)?.release ?? {};
    expect(requests.at(-1)).toMatchObject({ verb, outcome: 'carriedOut' });
  };

  describe.each([390, 1280, 2560])('%i px wide', (width) => {
    describe.each(['light', 'dark'] as const)('%s', (colorScheme) => {
      it.each(views)('$view: fits, has no error, and axe finds nothing serious', async ({ path, shows }) => {
        const page = await fixture.open(path, { width, colorScheme, bypassCSP: true });
        await page.locator('main').getByText(shows).first().waitFor();
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
        expect(await seriousFindings(page)).toEqual([]);
        await page.context().close();
      });
    });
  });

  it.each(views)('$view breaks no rule of its own content security policy', async ({ path, shows }) => {
    const page = await fixture.open('/');
    const errors: string[] = [];
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(`${fixture.base}${path}`);
    await page.locator('main').getByText(shows).first().waitFor();
    expect(errors).toEqual([]);
    await page.context().close();
  });

  it.each([
    ['Promote', 'promote'],
    ['Roll back', 'rollback'],
    ['Pause', 'pause'],
    ['Resume', 'resume'],
    ['Retry', 'retry'],
    ['Undo', 'undo'],
  ])('%s by the keyboard alone reaches the Canary as %s', async (label, verb) => {
    const page = await fixture.open(RELEASE);
    const button = page.getByRole('button', { name: label, exact: true }).first();
    await button.waitFor();
    for (let pressed = 0; pressed < 30 && !(await button.evaluate((one) => one.ownerDocument.activeElement === one)); pressed += 1)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await confirmed(page, label, verb);
    await page.context().close();
  });

  it.each([
    ['Approve', 'promote'],
    ['Deny', 'rollback'],
  ])('a closed gate shows its answer as text, and %s asks for %s', async (label, verb) => {
    const answer = '<b id="answer">not yet</b>';
    const gate = { name: 'approval', type: 'confirm-promotion', url: 'http://gate.example' };
    await fixture.cluster.patch(ref, { spec: { analysis: { webhooks: [gate] } } });
    const refusedBy = { webhook: gate.name, type: gate.type, detail: answer };
    await fixture.cluster.patch(ref, { status: { release: { refusedBy } } }, { subresource: 'status' });
    const page = await fixture.open(RELEASE);
    await page.getByText(answer).first().waitFor();
    expect(await page.locator('#answer').count()).toBe(0);
    await page.getByRole('button', { name: label, exact: true }).press('Enter');
    await confirmed(page, label, verb);
    await page.context().close();
  });

  it('what tenants write is shown as text: nothing of it runs', async () => {
    const hostile = `<img src=x onerror="document.title='run'"><script>document.title='run'</script>`;
    const before = (await fixture.cluster.get(ref))?.status as { conditions?: object[] };
    const conditions = [{ type: 'Promoted', status: 'Unknown', reason: 'Failed', message: hostile }];
    await fixture.cluster.patch(ref, { status: { ...before, conditions } }, { subresource: 'status' });
    for (const path of ['/', RELEASE]) {
      const page = await fixture.open(path);
      await page.locator('main').getByText('onerror=').first().waitFor();
      expect(await page.locator('main img, main script').count()).toBe(0);
      expect(await page.title()).not.toBe('run');
      await page.context().close();
    }
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
