import { contourRows, envoyChanges, envoyMatches } from './envoy-rows.ts';
import type { ProviderFixture } from './providers/provider-fixture.ts';
import { ask, by, insider, playRows, type Row } from './route-rows.ts';
import type { ShareEnvironment } from './shares/share-environment.ts';
import { namespacesFor } from './shares/split-app.ts';
import { playUsersRoutes } from './users-routes.ts';
import { afterAll, beforeAll } from './world.ts';

const ROWS: readonly Row[] = [
  ...envoyMatches,
  {
    what: 'A/B by a regular expression, which has to match the whole header',
    routes: insider({ regex: 'in.*r|out' }),
    asks: [
      [by('insider'), { version: '2' }],
      [by('out'), { version: '2' }],
      [by('insiders'), { version: '1' }],
      [by('an insider'), { version: '1' }],
    ],
  },
  {
    what: 'A/B by a query parameter, the first of those of this name',
    routes: { kind: 'matched', match: [{ queryParams: { beta: { exact: 'yes' } } }] },
    asks: [
      [{ path: '/cart?beta=yes&x=1' }, { version: '2', path: '/cart?beta=yes&x=1' }],
      [{ path: '/cart?beta=no&beta=yes' }, { version: '1' }],
      [{ path: '/cart?Beta=yes' }, { version: '1' }],
    ],
  },
  {
    what: 'A/B by a query parameter and a regular expression, which has to match the whole of it',
    routes: { kind: 'matched', match: [{ queryParams: { beta: { regex: 'y.s' } } }] },
    asks: [
      [{ path: '/?beta=yes' }, { version: '2' }],
      [{ path: '/?beta=yesno' }, { version: '1' }],
    ],
  },
  {
    what: 'a query parameter is compared as it stands, not as it is decoded',
    routes: { kind: 'matched', match: [{ queryParams: { beta: { exact: 'a b' } } }] },
    asks: [
      [{ path: '/?beta=a%20b' }, { version: '1' }],
      [{ path: '/?beta=a+b' }, { version: '1' }],
    ],
  },
  {
    what: 'A/B by a query parameter without a value',
    routes: { kind: 'matched', match: [{ queryParams: { beta: { regex: '.*' } } }] },
    asks: [
      [{ path: '/?beta' }, { version: '2' }],
      [{ path: '/?beta=' }, { version: '2' }],
      [{ path: '/?betas=1' }, { version: '1' }],
    ],
  },
  ...contourRows,
  {
    what: 'a route for the begin of a path, by its whole parts: others are not found',
    service: { match: [{ uri: { prefix: '/shop' } }] },
    asks: [
      [{ path: '/shop' }, { version: '1' }],
      [{ path: '/shop/cart?x=1' }, { version: '1', path: '/shop/cart?x=1' }],
      [{ path: '/shopping' }, { status: 404 }],
      [{ path: '/other' }, { status: 404 }],
    ],
  },
  {
    what: 'a slash at the end of a prefix says nothing',
    service: { match: [{ uri: { prefix: '/shop/' } }] },
    asks: [
      [{ path: '/shop' }, { version: '1' }],
      [{ path: '/shop/1' }, { version: '1' }],
      [{ path: '/shopping' }, { status: 404 }],
    ],
  },
  {
    what: 'a route for one method, and for a header',
    service: { match: [{ method: { exact: 'POST' } }, { headers: { 'x-shop': { exact: 'yes' } } }] },
    asks: [
      [{ method: 'POST' }, { version: '1' }],
      [{ method: 'GET' }, { status: 404 }],
      [{ method: 'GET', headers: { 'x-shop': 'yes' } }, { version: '1' }],
    ],
  },
  {
    what: 'a path that is rewritten as a whole',
    service: { match: [{ uri: { prefix: '/shop' } }], rewrite: { uri: '/v2' } },
    asks: [
      [{ path: '/shop/cart' }, { version: '1', path: '/v2' }],
      [{ path: '/shop/cart?x=1' }, { version: '1', path: '/v2?x=1' }],
    ],
  },
  {
    what: 'a prefix that is rewritten',
    service: { match: [{ uri: { prefix: '/shop' } }], rewrite: { uri: '/v2', type: 'ReplacePrefixMatch' } },
    asks: [
      [{ path: '/shop/cart?x=1' }, { version: '1', path: '/v2/cart?x=1' }],
      [{ path: '/shop' }, { version: '1', path: '/v2' }],
      [{ path: '/shop/' }, { version: '1', path: '/v2/' }],
    ],
  },
  {
    what: 'a prefix that is rewritten to the root',
    service: { match: [{ uri: { prefix: '/shop' } }], rewrite: { uri: '/', type: 'ReplacePrefixMatch' } },
    asks: [
      [{ path: '/shop/cart?x=1' }, { version: '1', path: '/cart?x=1' }],
      [{ path: '/shop' }, { version: '1', path: '/' }],
      [{ path: '/shop?x=1' }, { version: '1', path: '/?x=1' }],
      [{ path: '/shop/' }, { version: '1', path: '/' }],
    ],
  },
  ...envoyChanges,
  {
    what: 'a header of a percent sign',
    service: { headers: { request: { set: { 'x-set': '100% ours' } } } },
    asks: [[{}, { version: '1', received: { 'x-set': '100% ours' } }]],
  },
  {
    what: 'a try that takes longer than the timeout of backends',
    service: { timeout: '10s', backendTimeout: '500ms' },
    pods: { env: { 1: { LATENCY_MS: '2000' } } },
    asks: [[{}, { status: 504 }]],
  },
  {
    what: 'with a timeout of 0 a request may take any time',
    service: { timeout: '0s' },
    pods: { env: { 1: { LATENCY_MS: '16000' } } },
    asks: [[{}, { status: 200, version: '1' }]],
  },
];

/** The HTTPRoutes that Serin writes, read by the data plane of the environment. */
export function describeGatewayApiRoutes(fixture: ProviderFixture, start: () => Promise<ShareEnvironment>): void {
  const namespace = 'gateway-routes';
  let environment: ShareEnvironment;
  beforeAll(async () => {
    environment = await start();
    await namespacesFor(environment.cluster, [namespace]);
  }, 180_000);
  afterAll(() => environment?.stop());
  playRows(() => environment, fixture, ROWS, namespace);
  playUsersRoutes(() => environment, fixture, { namespace, ask: (app, asked) => ask(app.target, asked) });
}
