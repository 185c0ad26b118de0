import { describe, expect, it } from 'vitest';
import { type Routes, weight } from '../../src/api/routes.ts';
import { binomialBounds } from '../fakes/binomial.ts';
import { isChosen, type Part, titleOf, WHOLE } from '../fakes/covering-part.ts';
import type { ProviderFixture } from './providers/provider-fixture.ts';
import { askMany } from './shares/ask-many.ts';
import { type ShareEnvironment, startShareEnvironment } from './shares/share-environment.ts';
import { namespacesFor, routerOf, SplitApp } from './shares/split-app.ts';
import { afterAll, beforeAll } from './world.ts';

const PERCENTS = [0, 1, 10, 50, 99, 100] as const;
/** Shares of new users are judged at these; at 0 and 100 no user is kept anywhere. */
const STICKY_PERCENTS = [10, 50] as const;
/** Chance of a false alarm, of all cells of one run together. */
const ALARM = 1e-6;
const COOKIES = { cookieName: 'sh-canary', primaryCookieName: 'sh-primary' };
const FRESH = { canary: 'sh-canary=abcdefghij', primary: 'sh-primary=klmnopqrst' };
const OLD = 'sh-canary=zyxwvutsrq';

interface Run {
  requests: number;
  /** Decides every choice of the proxy. */
  seed: number;
  /** The pairs of provider and weight that are tried. */
  part?: Part;
  /** Default: the embedded cluster and mesh. */
  start?: () => Promise<ShareEnvironment>;
}

const slug = (provider: string): string => provider.replaceAll(':', '-');

/**
 * Shares of the proxies at each weight: real requests of many users, each one at a time, through the rendered routes. Judged by exact binomial bounds over all
 * cells of a run; 0 means no user, and 100 every user.
 */
export function describeShares(
  fixtures: readonly ProviderFixture[],
  { requests, seed, part = WHOLE, start = () => startShareEnvironment(seed) }: Run,
): void {
  const sticky = fixtures.filter((fixture) => routerOf(fixture).supports.sessionAffinity);
  const percentsOf = (fixture: ProviderFixture) => PERCENTS.filter((_, at) => isChosen(part, fixtures.indexOf(fixture), at));
  const stickyPercentsOf = (fixture: ProviderFixture) => STICKY_PERCENTS.filter((_, at) => isChosen(part, sticky.indexOf(fixture), at));
  const cells = fixtures.flatMap(percentsOf).length + sticky.flatMap(stickyPercentsOf).length;
  const believed = (percent: number) => binomialBounds(requests, percent / 100, ALARM / cells);
  const namespaceOf = ({ provider }: ProviderFixture) => `shares-${slug(provider)}`;
  let environment: ShareEnvironment;

  beforeAll(async () => {
    environment = await start();
    await namespacesFor(environment.cluster, fixtures.map(namespaceOf));
  }, 60_000);
  afterAll(() => environment?.stop());

  describe.concurrent.each(fixtures)(`$provider: of ${requests} requests (${titleOf(part)})`, (fixture) => {
    it.each(percentsOf(fixture))('at a weight of %i % the canary gets its share', async (percent) => {
      const app = await SplitApp.run(environment, fixture, { name: `w${percent}`, namespace: namespaceOf(fixture) });
      await app.route({ kind: 'weighted', canary: weight(percent) });
      const { byVersion } = await askMany(app.target, requests);
      expectShare(byVersion, percent);
    });
  });

  describe.concurrent.each(sticky)(`$provider with session affinity: of ${requests} new users`, (fixture) => {
    it.each(stickyPercentsOf(fixture))('at a weight of %i % the canary gets its share, and who has been there stays', async (percent) => {
      const name = { name: `s${percent}`, namespace: namespaceOf(fixture) };
      const app = await SplitApp.run(environment, fixture, name, { analysis: { sessionAffinity: COOKIES } });
      const routes: Routes = { kind: 'weighted', canary: weight(percent), affinity: FRESH };
      await app.route(routes);
      const first = await askMany(app.target, requests);
      expectShare(first.byVersion, percent);
      // Every user gets a cookie that says where they were.
      expect(first.byCookie).toEqual({ [FRESH.canary]: first.byVersion[2], [FRESH.primary]: first.byVersion[1] });
      const again = (cookie: string) => askMany({ ...app.target, headers: { ...app.target.headers, cookie } }, requests / 10);
      expect((await again(`theme=dark; ${FRESH.canary}`)).byVersion).toEqual({ 2: requests / 10 });
      expect((await again(`${FRESH.primary}; theme=dark`)).byVersion).toEqual({ 1: requests / 10 });
    });

    it('once the weight is 0 again everybody is at the primary, and the cookie is taken away', async () => {
      const app = await SplitApp.run(
        environment,
        fixture,
        { name: 's0', namespace: namespaceOf(fixture) },
        { analysis: { sessionAffinity: COOKIES } },
      );
      await app.route({ kind: 'weighted', canary: weight(0), affinity: { previous: OLD } });
      const users = requests / 10;
      const back = await askMany({ ...app.target, headers: { ...app.target.headers, cookie: OLD } }, users);
      expect(back).toEqual({ byVersion: { 1: users }, byCookie: { [`${OLD} deleted`]: users } });
      expect(await askMany(app.target, users)).toEqual({ byVersion: { 1: users }, byCookie: {} });
    });
  });

  function expectShare(byVersion: Record<string, number>, percent: number): void {
    const { 1: primary = 0, 2: canary = 0, ...others } = byVersion;
    expect(others, 'answers of neither version').toEqual({});
    expect(primary + canary).toBe(requests);
    const { least, most } = believed(percent);
    expect(canary, `${percent}% of ${requests}`).toBeGreaterThanOrEqual(least);
    expect(canary, `${percent}% of ${requests}`).toBeLessThanOrEqual(most);
  }
}
