import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { ObjectRef } from '../../src/api/kube-object.ts';
import { parseStatus } from '../../src/api/parse-status.ts';
import type { Verb } from '../../src/api/verb-request.ts';
import { type DashboardFixture, seriousFindings } from './dashboard-fixture.ts';

/** A page, and a text of it that comes with its data. */
export interface View {
  view: string;
  path: string;
  shows: string;
}

/** Most presses of Tab from the top of a page to a button of it. */
const MOST_TABS = 40;

/** Each view at three widths, light and dark, and under its own content security policy. */
export function describeViews(fixtureOf: () => DashboardFixture, views: readonly View[]): void {
  describe.each([390, 1280, 2560])('%i px wide', (width) => {
    describe.each(['light', 'dark'] as const)('%s', (colorScheme) => {
      it.each(views)('$view: fits, has no error, and axe finds nothing serious', async ({ view, path, shows }) => {
        const page = await fixtureOf().open(path, { width, colorScheme, bypassCSP: true });
        await page.locator('main').getByText(shows).first().waitFor();
        await keepScreenshot(page, `${view}-${width}-${colorScheme}`);
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
        expect(await seriousFindings(page)).toEqual([]);
        await page.context().close();
      });
    });
  });

  it.each(views)('$view breaks no rule of its own content security policy', async ({ path, shows }) => {
    const page = await fixtureOf().open('/');
    const errors: string[] = [];
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(`${fixtureOf().base}${path}`);
    await page.locator('main').getByText(shows).first().waitFor();
    expect(errors).toEqual([]);
    await page.context().close();
  });
}

/** Keeps a picture in the folder SCREENSHOTS, if it is set: to look at, and for docs. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name.replaceAll(' ', '-')}.png`), fullPage: true });
}

const buttonOf = (page: Page, label: string): Locator => page.getByRole('button', { name: label, exact: true }).first();

/** Requests a verb by its button, only with the keyboard; it has reached the Canary as this verb, and was carried out. */
export async function askByKeyboard(
  { cluster }: DashboardFixture,
  { page, label, verb, canary }: { page: Page; label: string; verb: Verb; canary: ObjectRef },
): Promise<void> {
  const button = buttonOf(page, label);
  await button.waitFor();
  for (let pressed = 0; pressed < MOST_TABS && !(await button.evaluate((one) => one.ownerDocument.activeElement === one)); pressed += 1)
    await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText(`${label} ${canary.namespace}/${canary.name}?`).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText(`${label}: carried out`).waitFor();
  const { requests = [] } = parseStatus((await cluster.get(canary))?.status)?.release ?? {};
  expect(requests.at(-1)).toMatchObject({ verb, outcome: 'carriedOut' });
}
