import type { KubeObject } from '../../../src/api/kube-object.ts';
import { raw } from '../../fakes/raw.ts';
import type { AppName, ProviderFixture } from './provider-fixture.ts';

interface Route {
  conditions?: object[];
  services: { name: string; weight?: number }[];
}
const apiVersion = 'projectcontour.io/v1';
const hostOf = ({ name, namespace }: AppName) => `${name}.${namespace}.example.org`;
const routes =
  (edit: (routes: Route[]) => object[]) =>
  (object: KubeObject): KubeObject => ({
    ...object,
    spec: { ...raw(object).spec, routes: edit(structuredClone(raw(object).spec.routes)) },
  });
const services = (edit: (sides: Route['services']) => object[]) =>
  routes((found) => found.map((route) => ({ ...route, services: edit(route.services) })));

export const contour: ProviderFixture = {
  provider: 'contour',
  tutorial: ['Contour', 'Your HTTPProxy includes another one by its name, which the release takes over: the name of the apex Service.'],
  // The root is the user's for good; the HTTPProxy that it includes is taken over: they are served before Serin comes, and after it has gone.
  objects: (app) => [
    {
      apiVersion,
      kind: 'HTTPProxy',
      metadata: { name: `${app.name}-root`, namespace: app.namespace },
      spec: { virtualhost: { fqdn: hostOf(app) }, includes: [{ name: app.name, conditions: [{ prefix: '/' }] }] },
    },
    { apiVersion, kind: 'HTTPProxy', metadata: { ...app }, spec: { routes: [{ services: [{ name: app.name, port: 80 }] }] } },
  ],
  host: hostOf,
  route: ({ name, namespace }) => ({ apiVersion, kind: 'HTTPProxy', name, namespace }),
  edits: {
    'all weight to the canary': services((sides) => sides.map((side, index) => ({ ...side, weight: 100 * index }))),
    'half and half': services((sides) => sides.map((side) => ({ ...side, weight: 50 }))),
    'weights left out, which is even': services((sides) => sides.map(({ weight: _, ...side }) => side)),
    'the other order': services((sides) => sides.toReversed()),
    'one side less': services((sides) => sides.slice(1)),
    'a route of their own besides': routes((found) => [...found, { conditions: [{ prefix: '/theirs' }], services: found[0]?.services }]),
    'another prefix': routes((found) => found.map((route) => ({ ...route, conditions: [{ prefix: '/elsewhere' }] }))),
    'a timeout': routes((found) => found.map((route) => ({ ...route, timeoutPolicy: { response: '7s' } }))),
    'no route at all': routes(() => []),
  },
};
