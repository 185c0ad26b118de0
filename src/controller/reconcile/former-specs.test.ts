import { expect, it } from 'vitest';
import { aCanary } from '../../../test/fakes/world.ts';
import type { Canary } from '../../api/canary.ts';
import { specsOfLeftRoutes } from './former-specs.ts';

const service = { port: 80, gateways: ['edge'] };
const left = (leftRoutes: unknown) => specsOfLeftRoutes({ ...aCanary(), status: { release: { leftRoutes } } } as unknown as Canary);

it('E113: the Canary as it wrote the routes that an edit has left behind', () => {
  const [one, ...others] = left([{ provider: 'istio', spec: { service } }]);
  expect(others).toEqual([]);
  expect(one?.spec).toMatchObject({ provider: 'istio', service, targetRef: aCanary().spec.targetRef });
});

it.each([
  { what: 'a provider that is not known', first: { provider: 'nothing', spec: { service } } },
  { what: 'no provider', first: { spec: { service } } },
  { what: 'a spec that cannot be read', first: { provider: 'istio', spec: { service: 7 } } },
])('E113: with $what routes are passed by, and those after them are not', ({ first }) => {
  const specs = left([first, { provider: 'kuma', spec: { service } }]).map(({ spec }) => spec.provider);
  expect(specs).toEqual(['kuma']);
});

it('E113: no specs are left behind where none are recorded', () => {
  expect([left(undefined), left([]), specsOfLeftRoutes(aCanary())]).toEqual([[], [], []]);
});
