import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type Routes, weight } from '../../src/api/routes.ts';
import { type Asked, ask, type Expected, only } from './asked-routes.ts';
import { eventually } from './eventually.ts';
import { istio } from './providers/istio.ts';
import type { ShareEnvironment } from './shares/share-environment.ts';
import { namespacesFor, SplitApp } from './shares/split-app.ts';
import { afterAll, beforeAll } from './world.ts';

interface Row {
  what: string;
  service?: object;
  routes?: Routes;
  asks: readonly (readonly [Asked, Expected])[];
}

const PRIMARY: Routes = { kind: 'weighted', canary: weight(0) };
const insider = (condition: object): Routes => ({ kind: 'matched', match: [{ headers: { 'x-canary': condition as { exact: string } } }] });
const by = (value: string): Asked => ({ headers: { 'x-canary': value } });
const CORS = {
  allowOrigins: [{ exact: 'https://shop.example' }],
  allowMethods: ['GET', 'POST'],
  allowHeaders: ['x-token'],
  exposeHeaders: ['x-total'],
  allowCredentials: true,
  maxAge: '24h',
};

/** What users can write into `spec.service` and `analysis.match`, and what requests become by it. */
const ROWS: readonly Row[] = [
  {
    what: 'A/B by a header that is exactly so',
    routes: insider({ exact: 'insider' }),
    asks: [
      [by('insider'), { version: '2' }],
      [by('insiders'), { version: '1' }],
      [{}, { version: '1' }],
    ],
  },
  {
    what: 'A/B by the begin of a header',
    routes: insider({ prefix: 'in' }),
    asks: [
      [by('insider'), { version: '2' }],
      [by('out'), { version: '1' }],
    ],
  },
  {
    what: 'A/B by a regular expression, which has to match the whole header',
    routes: insider({ regex: 'in.*r' }),
    asks: [
      [by('insider'), { version: '2' }],
      [by('insiders'), { version: '1' }],
      [by('an insider'), { version: '1' }],
    ],
  },
  {
    what: 'A/B by a cookie among others',
    routes: { kind: 'matched', match: [{ headers: { cookie: { regex: '^(.*?;\\s*)?(canary=always)(;.*)?$' } } }] },
    asks: [
      [{ headers: { cookie: 'theme=dark; canary=always; x=1' } }, { version: '2' }],
      [{ headers: { cookie: 'canary=alwaysnot' } }, { version: '1' }],
    ],
  },
  {
    what: 'A/B by a query parameter',
    routes: { kind: 'matched', match: [{ queryParams: { beta: { exact: 'yes' } } }] },
    asks: [
      [{ path: '/cart?beta=yes&x=1' }, { version: '2' }],
      [{ path: '/cart?beta=no' }, { version: '1' }],
    ],
  },
  {
    what: 'A/B by two conditions of one entry, both of which must hold',
    routes: { kind: 'matched', match: [{ headers: { 'x-canary': { exact: 'insider' }, 'x-team': { exact: 'shop' } } }] },
    asks: [
      [{ headers: { 'x-canary': 'insider', 'x-team': 'shop' } }, { version: '2' }],
      [by('insider'), { version: '1' }],
    ],
  },
  {
    what: 'A/B by two entries, one of which must hold',
    routes: { kind: 'matched', match: [{ headers: { 'x-canary': { exact: 'a' } } }, { headers: { 'x-canary': { exact: 'b' } } }] },
    asks: [
      [by('a'), { version: '2' }],
      [by('b'), { version: '2' }],
      [by('c'), { version: '1' }],
    ],
  },
  {
    what: 'a route for the begin of a path: others are not found',
    service: { match: [{ uri: { prefix: '/shop' } }] },
    asks: [
      [{ path: '/shop/cart?x=1' }, { version: '1', path: '/shop/cart?x=1' }],
      [{ path: '/shopping' }, { version: '1', path: '/shopping' }],
      [{ path: '/other' }, { status: 404 }],
    ],
  },
  {
    what: 'a route for one path',
    service: { match: [{ uri: { exact: '/shop' } }] },
    asks: [
      [{ path: '/shop' }, { version: '1' }],
      [{ path: '/shop?x=1' }, { version: '1' }],
      [{ path: '/shop/' }, { status: 404 }],
    ],
  },
  {
    what: 'a route for paths by a regular expression, without regard to what follows the question mark',
    service: { match: [{ uri: { regex: '/shop/[0-9]+' } }] },
    asks: [
      [{ path: '/shop/12?x=1' }, { version: '1' }],
      [{ path: '/shop/12/a' }, { status: 404 }],
    ],
  },
  {
    what: 'a route for a path in any case',
    service: { match: [{ uri: { prefix: '/Shop' }, ignoreUriCase: true }] },
    asks: [
      [{ path: '/sHOP/cart' }, { version: '1', path: '/sHOP/cart' }],
      [{ path: '/other' }, { status: 404 }],
    ],
  },
  {
    what: 'a route for one method, and without a header',
    service: { match: [{ method: { exact: 'POST' }, withoutHeaders: { 'x-internal': { exact: 'yes' } } }] },
    asks: [
      [{ method: 'POST' }, { version: '1' }],
      [{ method: 'GET' }, { status: 404 }],
      [{ method: 'POST', headers: { 'x-internal': 'yes' } }, { status: 404 }],
      [{ method: 'POST', headers: { 'x-internal': 'no' } }, { version: '1' }],
    ],
  },
  {
    what: 'an A/B condition within the route of a path',
    service: { match: [{ uri: { prefix: '/shop' } }] },
    routes: insider({ exact: 'insider' }),
    asks: [
      [{ path: '/shop/1', ...by('insider') }, { version: '2' }],
      [{ path: '/shop/1' }, { version: '1' }],
      [{ path: '/other', ...by('insider') }, { status: 404 }],
    ],
  },
  {
    what: 'a prefix that is rewritten',
    service: { match: [{ uri: { prefix: '/shop' } }], rewrite: { uri: '/v2' } },
    asks: [
      [{ path: '/shop/cart?x=1' }, { version: '1', path: '/v2/cart?x=1' }],
      [{ path: '/shop' }, { version: '1', path: '/v2' }],
    ],
  },
  {
    what: 'a prefix with a slash at its end that is rewritten to the root',
    service: { match: [{ uri: { prefix: '/shop/' } }], rewrite: { uri: '/' } },
    asks: [[{ path: '/shop/cart?x=1' }, { version: '1', path: '/cart?x=1' }]],
  },
  {
    what: 'a rewritten authority',
    service: { rewrite: { authority: 'inside.example' } },
    asks: [[{}, { version: '1', received: { host: 'inside.example' } }]],
  },
  {
    what: 'headers of requests and answers that are set, added and removed',
    service: {
      headers: {
        request: { set: { 'x-set': 'ours' }, add: { 'x-add': 'ours' }, remove: ['x-secret'] },
        response: { set: { 'x-answer': 'ours' }, add: { 'x-more': 'ours' }, remove: ['x-serin-pod'] },
      },
    },
    asks: [
      [
        { headers: { 'x-set': 'theirs', 'x-add': 'theirs', 'x-secret': 'theirs' } },
        {
          version: '1',
          received: { 'x-set': 'ours', 'x-add': 'theirs,ours', 'x-secret': undefined },
          answered: { 'x-answer': 'ours', 'x-more': 'ours', 'x-serin-pod': undefined },
        },
      ],
    ],
  },
  {
    what: 'CORS: a preflight is answered by the proxy, and only for an origin of the list',
    service: { corsPolicy: CORS },
    asks: [
      [
        { method: 'OPTIONS', headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' } },
        {
          status: 200,
          answered: {
            'access-control-allow-origin': 'https://shop.example',
            'access-control-allow-methods': 'GET,POST',
            'access-control-allow-headers': 'x-token',
            'access-control-allow-credentials': 'true',
            'access-control-max-age': '86400',
          },
        },
      ],
      [
        { headers: { origin: 'https://shop.example' } },
        { version: '1', answered: { 'access-control-allow-origin': 'https://shop.example', 'access-control-expose-headers': 'x-total' } },
      ],
      [{ headers: { origin: 'https://else.example' } }, { version: '1', answered: { 'access-control-allow-origin': undefined } }],
    ],
  },
];

/** The routes that Serin writes for Istio, read by the data plane of the environment. */
export function describeIstioRoutes(start: () => Promise<ShareEnvironment>): void {
  const namespace = 'istio-routes';
  let environment: ShareEnvironment;
  beforeAll(async () => {
    environment = await start();
    await namespacesFor(environment.cluster, [namespace]);
  }, 180_000);
  afterAll(() => environment?.stop());

  const plain = 'istio-services';
  /** 0: nothing listens, as in a mesh without any Service. */
  const statusOf = (host: string) =>
    ask({ url: environment.mesh.url(0), host, headers: {} }, {}).then(
      ({ status }) => status,
      () => 0,
    );
  const statuses = () => Promise.all(Object.keys(SERVICES).map((name) => statusOf(`${name}.${plain}`)));

  it('a Service without a ready port answers 503, until a VirtualService for every host takes all Services without one of their own', async () => {
    const { cluster } = environment;
    await namespacesFor(cluster, [plain]);
    await applyServices(environment, plain);
    const app = await SplitApp.run(environment, istio, { name: 'own', namespace: plain });
    await app.route({ kind: 'weighted', canary: weight(100) });
    const expected = Object.values(SERVICES).map(({ status }) => status);
    await eventually('the Services answer as they should', statuses, (got) => isDeepStrictEqual(got, expected));
    const everyHost = { apiVersion: 'networking.istio.io/v1beta1', kind: 'VirtualService', name: 'every-host', namespace: plain };
    await cluster.create({
      ...{ apiVersion: everyHost.apiVersion, kind: everyHost.kind, metadata: { name: everyHost.name, namespace: plain } },
      spec: { hosts: ['*'], gateways: ['mesh'], http: [{ route: [{ destination: { host: 'plain' } }] }] },
    });
    await eventually('it takes all of them', statuses, (got) => got.every((status) => status === 200));
    expect((await ask(app.target, {})).version).toBe('2');
    expect(await statusOf('nowhere.example.org')).not.toBe(200);
    await cluster.delete(everyHost);
  });

  describe.concurrent('istio', () => {
    it.each(ROWS.map((row, index) => ({ ...row, index })))('$what', async ({ service = {}, routes = PRIMARY, asks, index }) => {
      const fixture = { ...istio, service: () => service };
      const app = await SplitApp.run(environment, fixture, { name: `r${index}`, namespace });
      await app.route(routes);
      const got = await Promise.all(asks.map(([asked]) => ask(app.target, asked)));
      expect(got.map((answer, each) => only(answer, asks[each]?.[1] ?? {}))).toEqual(asks.map(([, expected]) => expected));
    });
  });
}

const HTTP = { name: 'http', port: 80, targetPort: 'http' };
/** Services of pods whose container port is called `http`. */
const SERVICES: Record<string, { selects?: string; ports?: readonly object[]; status: number }> = {
  plain: { status: 200 },
  'names-no-port-of-the-pods': { ports: [{ ...HTTP, targetPort: 'admin' }], status: 503 },
  'names-a-port-of-the-pods-second': {
    ports: [
      { ...HTTP, targetPort: 'admin' },
      { ...HTTP, name: 'also', port: 81 },
    ],
    status: 503,
  },
  'selects-no-pod': { selects: 'nothing', status: 503 },
};

/** A ready pod of version 1, and the Services before it. */
async function applyServices({ cluster }: ShareEnvironment, namespace: string): Promise<void> {
  await cluster.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace, labels: { app: 'web' } },
    spec: { containers: [{ name: 'web', image: 'web:1', ports: [{ name: 'http', containerPort: 8080 }] }] },
  });
  for (const [name, { selects = 'web', ports = [HTTP] }] of Object.entries(SERVICES))
    await cluster.create({ apiVersion: 'v1', kind: 'Service', metadata: { name, namespace }, spec: { selector: { app: selects }, ports } });
}
