import type { KubeObject } from '../../../src/api/kube-object.ts';
import { raw } from '../../fakes/raw.ts';
import type { AppName, ProviderFixture } from './provider-fixture.ts';

interface Route {
  routeAction: { multi: { destinations: { weight?: number }[] } };
}
const apiVersion = 'gateway.solo.io/v1';
const hostOf = ({ name, namespace }: AppName) => `${name}.${namespace}.example.org`;
const routes =
  (edit: (routes: Route[]) => object[]) =>
  (object: KubeObject): KubeObject => ({
    ...object,
    spec: { ...raw(object).spec, routes: edit(structuredClone(raw(object).spec.routes)) },
  });
const destinations = (edit: (sides: { weight?: number }[]) => object[]) =>
  routes((found) =>
    found.map((route) => ({ ...route, routeAction: { multi: { destinations: edit(route.routeAction.multi.destinations) } } })),
  );

export const gloo: ProviderFixture = {
  provider: 'gloo',
  tutorial: ['Gloo', 'Your VirtualService delegates to a RouteTable, which the release takes over; Serin makes an Upstream of each side.'],
  // The VirtualService is the user's for good; the RouteTable that it delegates to is taken over: they are served before Serin comes, and after it has gone.
  objects: (app) => [
    {
      apiVersion,
      kind: 'VirtualService',
      metadata: { ...app },
      spec: {
        virtualHost: { domains: [hostOf(app)], routes: [{ matchers: [{ prefix: '/' }], delegateAction: { ref: { ...app } } }] },
      },
    },
    {
      apiVersion,
      kind: 'RouteTable',
      metadata: { ...app },
      spec: { routes: [{ matchers: [{ prefix: '/' }], routeAction: { single: { kube: { ref: { ...app }, port: 80 } } } }] },
    },
  ],
  host: hostOf,
  route: ({ name, namespace }) => ({ apiVersion, kind: 'RouteTable', name, namespace }),
  edits: {
    'all weight to the canary': destinations((sides) => sides.map((side, index) => ({ ...side, weight: 100 * index }))),
    'half and half': destinations((sides) => sides.map((side) => ({ ...side, weight: 50 }))),
    'weights left out': destinations((sides) => sides.map(({ weight: _, ...side }) => side)),
    'the other order': destinations((sides) => sides.toReversed()),
    'one side less': destinations((sides) => sides.slice(1)),
    'a route of their own before ours': routes(([first, ...rest]) => [
      { ...first, matchers: [{ headers: [{ name: 'theirs' }] }] },
      ...(first ? [first] : []),
      ...rest,
    ]),
    'a path of its own': routes((found) =>
      found.map((route) => ({ ...route, inheritablePathMatchers: false, matchers: [{ prefix: '/elsewhere' }] })),
    ),
    'a timeout': routes((found) => found.map((route) => ({ ...route, options: { timeout: '7s' } }))),
    'no route at all': routes(() => []),
  },
};
