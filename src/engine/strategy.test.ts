import { expect, it } from 'vitest';
import { aCanary, initialized } from '../../test/build/world.ts';
import { allToPrimary, type Routes } from '../api/routes.ts';
import { homeRoutes, withWeight } from './strategy.ts';

const canary = aCanary({ stepWeight: 20, sessionAffinity: { cookieName: 'side', primaryCookieName: 'main' } });
const abilities = (cookieWord: string) => ({
  supports: { weights: true, mirroring: true, headerMatch: true, sessionAffinity: true },
  cookieWord,
});
const affinityOf = (routes: Routes) => (routes.kind === 'mirrored' ? undefined : routes.affinity);

it('E18, E19: cookies live from the first weight to 0, under the words that they were made with', () => {
  const first = withWeight(allToPrimary, 20, canary, abilities('one'));
  const second = withWeight(first, 40, canary, abilities('two'));
  expect([affinityOf(first), affinityOf(second)]).toEqual(Array(2).fill({ canary: 'side=one', primary: 'main=one' }));
  expect(affinityOf(withWeight(second, 0, canary, abilities('three')))).toEqual({ previous: 'side=one' });
  expect(affinityOf(homeRoutes(second))).toEqual({ previous: 'side=one' });
});

it('E19: a retired cookie is told to browsers until the next release makes its own', () => {
  const retired = homeRoutes(withWeight(allToPrimary, 20, canary, abilities('one')));
  expect(homeRoutes(retired)).toEqual(retired);
  expect(affinityOf(withWeight(retired, 20, canary, abilities('two')))).toEqual({ canary: 'side=two', primary: 'main=two' });
});

it('E19: a provider that cannot keep users on a side gets no cookies', () => {
  const world = initialized(canary, (one) => {
    one.supports.sessionAffinity = false;
  });
  world.push('s1:b');
  world.tickUntil((one) => one.canary.status?.canaryWeight === 20);
  expect(world.routes).toEqual({ kind: 'weighted', canary: 20 });
});
