import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ControllerDashboard } from '../fakes/controller-dashboard.ts';
import { aCanary, initialized } from '../fakes/world.ts';

describe('the login of the dashboard in the controller, in Chromium through a port-forward', () => {
  const dashboard = new ControllerDashboard();
  let browser: Browser;
  let base = '';
  let token = '';
  beforeAll(async () => {
    const { canary } = initialized(aCanary({ stepWeight: 25 }));
    dashboard.cluster.put({ ...JSON.parse(JSON.stringify(canary)), metadata: { ...canary.metadata, resourceVersion: '5' } });
    dashboard.cluster.give('ann', undefined, 'get', 'list', 'watch');
    token = dashboard.tokenOf({ name: 'ann', groups: [], extra: {} });
    const { localPort } = await dashboard.serve({ origin: undefined });
    base = `http://localhost:${localPort}`;
    browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
  });
  afterAll(async () => {
    await browser?.close();
    await dashboard.stop();
  });

  it('leads back to the requested page, for all tabs, until the logout', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const release = `${base}/canaries/test/podinfo`;
    await page.goto(release);
    expect(page.url()).toBe(`${base}/login?next=%2Fcanaries%2Ftest%2Fpodinfo`);
    await page.getByLabel('Kubernetes token').fill('wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('the token is not accepted').waitFor();
    await page.getByLabel('Kubernetes token').fill(token);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('link', { name: 'ann' }).waitFor();
    expect(page.url()).toBe(release);

    const other = await context.newPage();
    await other.goto(base);
    await other.getByText('podinfo').first().waitFor();
    await other.goto(`${base}/login`);
    await other.getByText('You are logged in as ann.').waitFor();
    await other.getByRole('button', { name: 'Log out' }).click();
    await other.getByLabel('Kubernetes token').waitFor();

    // A page without its session leads to the login, and from there back.
    await page.waitForURL(`${base}/login?next=%2Fcanaries%2Ftest%2Fpodinfo`);
    await context.close();
  });

  it("is required again when the session is lost from the browser's storage", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(base);
    await page.getByLabel('Kubernetes token').fill(token);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('podinfo').first().waitFor();
    await page.evaluate('localStorage.clear()');
    await page.reload();
    await page.waitForURL(`${base}/login?next=%2F`);
    await page.getByLabel('Kubernetes token').waitFor();
    await context.close();
  });
});
