import { expect, it } from 'vitest';
import { aCanary, initialized } from '../../test/fakes/world.ts';
import { allToPrimary, type Routes } from '../api/routes.ts';
import { routesToPrimary, withWeight } from './strategy.ts';

const canary = aCanary({ stepWeight: 20, sessionAffinity: { cookieName: 'side', primaryCookieName: 'main' } });
const abilities = (cookieWord: string) => ({
  supports: { weights: true, mirroring: true, headerMatch: true, sessionAffinity: true },
  cookieWord,
});
const affinityOf = (routes: Routes) => (routes.kind === 'mirrored' ? undefined : routes.affinity);

it('E18, E19: the cookie of the canary lives from the first weight to 0; that of the primary is another at each weight', () => {
  const first = withWeight(allToPrimary, 20, canary, abilities('one'));
  const second = withWeight(first, 40, canary, abilities('two'));
  expect(affinityOf(first)).toEqual({ canary: 'side=one', primary: 'main=one' });
  expect(affinityOf(second)).toEqual({ canary: 'side=one', primary: 'main=two' });
  expect(affinityOf(withWeight(second, 40, canary, abilities('again')))).toEqual(affinityOf(second));
  expect(affinityOf(withWeight(second, 0, canary, abilities('three')))).toEqual({ previous: 'side=one' });
  expect(affinityOf(routesToPrimary(second))).toEqual({ previous: 'side=one' });
});

it('a primary cookie is made only if it has a name', () => {
  const nameless = aCanary({ stepWeight: 20, sessionAffinity: { cookieName: 'side' } });
  expect(affinityOf(withWeight(allToPrimary, 20, nameless, abilities('one')))).toEqual({ canary: 'side=one' });
});

it('E19: a retired cookie is sent to browsers until the next release makes its own', () => {
  const retired = routesToPrimary(withWeight(allToPrimary, 20, canary, abilities('one')));
  expect(routesToPrimary(retired)).toEqual(retired);
  expect(affinityOf(withWeight(retired, 20, canary, abilities('two')))).toEqual({ canary: 'side=two', primary: 'main=two' });
});

it('E19: a provider that cannot keep users on a side gets no cookies', () => {
  const world = initialized(canary, (one) => {
    one.supports.sessionAffinity = false;
  });
  world.pushUntil('s1:b', (one) => one.canary.status?.canaryWeight === 20);
  expect(world.routes).toEqual({ kind: 'weighted', canary: 20 });
});
