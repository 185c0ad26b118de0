import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { type Routes, weight } from '../../src/api/routes.ts';
import { binomialBounds } from '../fakes/binomial.ts';
import type { Raw } from '../fakes/raw.ts';
import type { AppName, ProviderFixture } from './providers/provider-fixture.ts';
import { type Asked, by, type Expected, insider, only, primary } from './route-rows.ts';
import type { ShareEnvironment } from './shares/share-environment.ts';
import { SplitApp } from './shares/split-app.ts';

/** A rule as users write it, in no kind's own words. */
interface Rule {
  path: string;
  to: readonly { service: string; weight?: number }[];
}

/** The Service that is not the application: its requests come in by another port of the same pods. */
const OTHER = { name: 'other', port: 8081 };
const otherOf = ({ name }: AppName): string => `${name}-other`;
const HEADER = 'x-rule';

/** `/other` leads elsewhere, `/half` to both in the proportion of 3 to 1, all else to the application; each sets a header of its own. */
const rulesFor = (app: AppName): Rule[] => [
  { path: '/other', to: [{ service: otherOf(app) }] },
  {
    path: '/half',
    to: [
      { service: app.name, weight: 3 },
      { service: otherOf(app), weight: 1 },
    ],
  },
  { path: '/', to: [{ service: app.name }] },
];

const KINDS: Readonly<Record<string, (rules: readonly Rule[], route: Raw, app: AppName) => object>> = {
  HTTPProxy: (rules) => ({
    routes: rules.map(({ path, to }) => ({
      conditions: [{ prefix: path }],
      requestHeadersPolicy: { set: [{ name: HEADER, value: path }] },
      services: to.map(({ service, ...rest }) => ({ name: service, port: 80, ...rest })),
    })),
  }),
  HTTPRoute: (rules, { gatewayRefs, hosts }) => ({
    parentRefs: gatewayRefs,
    hostnames: hosts,
    rules: rules.map(({ path, to }) => ({
      matches: [{ path: { type: 'PathPrefix', value: path } }],
      filters: [{ type: 'RequestHeaderModifier', requestHeaderModifier: { set: [{ name: HEADER, value: path }] } }],
      backendRefs: to.map(({ service, ...rest }) => ({ name: service, port: 80, ...rest })),
    })),
  }),
  VirtualService: (rules, _route, { name }) => ({
    hosts: [name],
    http: rules.map(({ path, to }) => ({
      match: [{ uri: { prefix: path } }],
      headers: { request: { set: { [HEADER]: path } } },
      route: to.map(({ service, ...rest }) => ({ destination: { host: service, port: { number: 80 } }, ...rest })),
    })),
  }),
};

/** The fixture with a route of the user's under the apex's name, and the Service that it leads to besides. */
function withUsersRoute(fixture: ProviderFixture): ProviderFixture {
  const objects = (app: AppName): KubeObject[] => {
    const { apiVersion, kind } = fixture.route(app);
    const spec = KINDS[kind]?.(rulesFor(app), fixture.service?.(app), app);
    if (spec === undefined) throw new Error(`no routes of users of kind ${kind}`);
    const found = (fixture.objects?.(app) ?? []).filter((one) => one.kind !== kind || one.metadata.name !== app.name);
    const other = {
      ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: otherOf(app), namespace: app.namespace } },
      spec: { selector: { app: `${app.name}-primary` }, ports: [{ name: 'http', port: 80, targetPort: OTHER.port }] },
    };
    return [...found, other, { apiVersion, kind, metadata: { ...app }, spec } as KubeObject];
  };
  return { ...fixture, objects };
}

const ROWS: readonly { what: string; routes: Routes; asks: readonly (readonly [Asked, Expected])[] }[] = [
  {
    what: 'all to the primary',
    routes: primary,
    asks: [
      [{ path: '/other/1' }, { port: OTHER.port, received: { [HEADER]: '/other' } }],
      [{ path: '/cart' }, { version: '1', port: 8080, received: { [HEADER]: '/' } }],
    ],
  },
  {
    what: 'all to the canary',
    routes: { kind: 'weighted', canary: weight(100) },
    asks: [
      [{ path: '/other/1' }, { port: OTHER.port, version: '1', received: { [HEADER]: '/other' } }],
      [{ path: '/cart' }, { version: '2', port: 8080, received: { [HEADER]: '/' } }],
    ],
  },
  {
    what: 'A/B within each rule, with its filters',
    routes: insider({ exact: 'insider' }),
    asks: [
      [
        { path: '/other/1', ...by('insider') },
        { port: OTHER.port, received: { [HEADER]: '/other' } },
      ],
      [
        { path: '/cart', ...by('insider') },
        { version: '2', received: { [HEADER]: '/' } },
      ],
      [
        { path: '/cart', ...by('outsider') },
        { version: '1', received: { [HEADER]: '/' } },
      ],
    ],
  },
];

const TRIES = 300;

type Asking = (app: SplitApp, asked: Asked) => Promise<Required<Expected>>;

/** I17 on the data plane of the environment: routes of users do what they did, and the application in them is split. */
export function playUsersRoutes(
  environmentOf: () => ShareEnvironment,
  fixture: ProviderFixture,
  { namespace, ask }: { namespace: string; ask: Asking },
): void {
  const users = withUsersRoute(fixture);
  const pods = {
    ports: [
      { name: 'http', containerPort: 8080 },
      { name: OTHER.name, containerPort: OTHER.port },
    ],
  };
  describe.concurrent('I17: a route of the user’s, split', () => {
    it.each(ROWS)('$what', async ({ what, routes, asks }) => {
      const app = await SplitApp.run(environmentOf(), users, { name: nameOf(what), namespace }, { pods });
      await app.route(routes);
      const got = await Promise.all(asks.map(([asked]) => ask(app, asked)));
      expect(got.map((answer, each) => only(answer, asks[each]?.[1] ?? {}))).toEqual(asks.map(([, expected]) => expected));
    });

    it('beside another Service it keeps its proportion, and the canary gets its part of that', async () => {
      const app = await SplitApp.run(environmentOf(), users, { name: 'proportion', namespace }, { pods });
      await app.route({ kind: 'weighted', canary: weight(100) });
      const got: Required<Expected>[] = [];
      for (let tries = 0; tries < TRIES; tries += 1) got.push(await ask(app, { path: '/half' }));
      const others = got.filter(({ port }) => port === OTHER.port).length;
      const { least, most } = binomialBounds(TRIES, 0.25, 1e-6);
      expect(others).toBeGreaterThanOrEqual(least);
      expect(others).toBeLessThanOrEqual(most);
      expect(new Set(got.map(({ port, version }) => `${port} ${version}`))).toEqual(new Set(['8081 1', '8080 2']));
    });
  });
}

const nameOf = (what: string): string =>
  what
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '-')
    .slice(0, 20)
    .replace(/-$/, '');
