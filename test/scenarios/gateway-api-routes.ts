import { contourRows, envoyChanges, envoyMatches } from './envoy-rows.ts';
import type { ProviderFixture } from './providers/provider-fixture.ts';
import { ask, by, insider, notFound, playRows, type Row, row, v1, v2 } from './route-rows.ts';
import type { ShareEnvironment } from './shares/share-environment.ts';
import { namespacesFor } from './shares/split-app.ts';
import { playUsersRoutes } from './users-routes.ts';
import { afterAll, beforeAll } from './world.ts';

const ROWS: readonly Row[] = [
  ...envoyMatches,
  row(
    'A/B by a regular expression, which has to match the whole header',
    { routes: insider({ regex: 'in.*r|out' }) },
    [by('insider'), v2],
    [by('out'), v2],
    [by('insiders'), v1],
    [by('an insider'), v1],
  ),
  row(
    'A/B by a query parameter, the first of those of this name',
    { routes: { kind: 'matched', match: [{ queryParams: { beta: { exact: 'yes' } } }] } },
    [{ path: '/cart?beta=yes&x=1' }, { version: '2', path: '/cart?beta=yes&x=1' }],
    [{ path: '/cart?beta=no&beta=yes' }, v1],
    [{ path: '/cart?Beta=yes' }, v1],
  ),
  row(
    'A/B by a query parameter and a regular expression, which has to match the whole of it',
    { routes: { kind: 'matched', match: [{ queryParams: { beta: { regex: 'y.s' } } }] } },
    [{ path: '/?beta=yes' }, v2],
    [{ path: '/?beta=yesno' }, v1],
  ),
  row(
    'a query parameter is compared as it stands, not as it is decoded',
    { routes: { kind: 'matched', match: [{ queryParams: { beta: { exact: 'a b' } } }] } },
    [{ path: '/?beta=a%20b' }, v1],
    [{ path: '/?beta=a+b' }, v1],
  ),
  row(
    'A/B by a query parameter without a value',
    { routes: { kind: 'matched', match: [{ queryParams: { beta: { regex: '.*' } } }] } },
    [{ path: '/?beta' }, v2],
    [{ path: '/?beta=' }, v2],
    [{ path: '/?betas=1' }, v1],
  ),
  ...contourRows,
  row(
    'a route for the begin of a path, by its whole parts: others are not found',
    { service: { match: [{ uri: { prefix: '/shop' } }] } },
    [{ path: '/shop' }, v1],
    [{ path: '/shop/cart?x=1' }, { version: '1', path: '/shop/cart?x=1' }],
    [{ path: '/shopping' }, notFound],
    [{ path: '/other' }, notFound],
  ),
  row(
    'a slash at the end of a prefix says nothing',
    { service: { match: [{ uri: { prefix: '/shop/' } }] } },
    [{ path: '/shop' }, v1],
    [{ path: '/shop/1' }, v1],
    [{ path: '/shopping' }, notFound],
  ),
  row(
    'a route for one method, and for a header',
    { service: { match: [{ method: { exact: 'POST' } }, { headers: { 'x-shop': { exact: 'yes' } } }] } },
    [{ method: 'POST' }, v1],
    [{ method: 'GET' }, notFound],
    [{ method: 'GET', headers: { 'x-shop': 'yes' } }, v1],
  ),
  row(
    'a path that is rewritten as a whole',
    { service: { match: [{ uri: { prefix: '/shop' } }], rewrite: { uri: '/v2' } } },
    [{ path: '/shop/cart' }, { version: '1', path: '/v2' }],
    [{ path: '/shop/cart?x=1' }, { version: '1', path: '/v2?x=1' }],
  ),
  row(
    'a prefix that is rewritten',
    { service: { match: [{ uri: { prefix: '/shop' } }], rewrite: { uri: '/v2', type: 'ReplacePrefixMatch' } } },
    [{ path: '/shop/cart?x=1' }, { version: '1', path: '/v2/cart?x=1' }],
    [{ path: '/shop' }, { version: '1', path: '/v2' }],
    [{ path: '/shop/' }, { version: '1', path: '/v2/' }],
  ),
  row(
    'a prefix that is rewritten to the root',
    { service: { match: [{ uri: { prefix: '/shop' } }], rewrite: { uri: '/', type: 'ReplacePrefixMatch' } } },
    [{ path: '/shop/cart?x=1' }, { version: '1', path: '/cart?x=1' }],
    [{ path: '/shop' }, { version: '1', path: '/' }],
    [{ path: '/shop?x=1' }, { version: '1', path: '/?x=1' }],
    [{ path: '/shop/' }, { version: '1', path: '/' }],
  ),
  ...envoyChanges,
  row('a header of a percent sign', { service: { headers: { request: { set: { 'x-set': '100% ours' } } } } }, [
    {},
    { version: '1', received: { 'x-set': '100% ours' } },
  ]),
  row(
    'a try that takes longer than the timeout of backends',
    { service: { timeout: '10s', backendTimeout: '500ms' }, pods: { env: { 1: { LATENCY_MS: '2000' } } } },
    [{}, { status: 504 }],
  ),
  row('with a timeout of 0 a request may take any time', { service: { timeout: '0s' }, pods: { env: { 1: { LATENCY_MS: '16000' } } } }, [
    {},
    { status: 200, version: '1' },
  ]),
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
