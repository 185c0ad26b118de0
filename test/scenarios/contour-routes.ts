import { expect, it } from 'vitest';
import { contourRows, envoyMatches } from './envoy-rows.ts';
import { eventually } from './eventually.ts';
import { contour } from './providers/contour.ts';
import type { ProviderFixture } from './providers/provider-fixture.ts';
import { ask, by, insider, notFound, playRows, primary, type Row, row, v1, v2 } from './route-rows.ts';
import type { ShareEnvironment } from './shares/share-environment.ts';
import { namespacesFor, SplitApp } from './shares/split-app.ts';
import { playUsersRoutes } from './users-routes.ts';
import { afterAll, beforeAll } from './world.ts';

/** Only the user's root: Serin writes the HTTPProxy that it includes, with the Canary's settings for routes. */
const made: ProviderFixture = { ...contour, objects: (app) => contour.objects?.(app).slice(0, 1) ?? [] };

const beta = (condition: object): NonNullable<Row['routes']> => ({
  kind: 'matched',
  match: [{ queryParams: { beta: condition as { exact: string } } }],
});

const FAILS_OFTEN = { ERROR_RATE: '0.7' };
const everyTime = (count: number): Row['asks'] => Array.from({ length: count }, () => [{}, { status: 200, version: '1' }]);

const ROWS: readonly Row[] = [
  ...envoyMatches,
  row(
    'A/B by the begin of a header, dots of which stand for themselves',
    { routes: insider({ prefix: 'in.' }) },
    [by('in.sider'), v2],
    [by('insider'), v1],
  ),
  row('A/B by the end of a header', { routes: insider({ suffix: 'sider' }) }, [by('insider'), v2], [by('insiders'), v1]),
  row('A/B by a header that is there at all', { routes: insider({ prefix: '' }) }, [by('any'), v2], [by(''), v2], [{}, v1]),
  row('A/B by a header that is empty', { routes: insider({ exact: '' }) }, [by(''), v2], [by('any'), v1], [{}, v1]),
  row(
    'A/B by a regular expression, which has to match the whole header',
    { routes: insider({ regex: 'in.*r' }) },
    [by('insider'), v2],
    [by('insiders'), v1],
    [by('an insider'), v1],
  ),
  row('A/B by a regular expression of alternatives', { routes: insider({ regex: 'a|bc' }) }, [by('a'), v2], [by('bc'), v2], [by('ac'), v1]),
  row(
    'A/B by a query parameter that is exactly so',
    { routes: beta({ exact: 'yes' }) },
    [{ path: '/cart?beta=yes&x=1' }, { version: '2', path: '/cart?beta=yes&x=1' }],
    [{ path: '/cart?x=1&beta=yes' }, v2],
    [{ path: '/cart?beta=yesno' }, v1],
    [{ path: '/cart?Beta=yes' }, v1],
    [{ path: '/cart' }, v1],
  ),
  row(
    'A/B by the begin of a query parameter',
    { routes: beta({ prefix: 'y' }) },
    [{ path: '/?beta=yes' }, v2],
    [{ path: '/?beta=no' }, v1],
  ),
  row(
    'A/B by the end of a query parameter',
    { routes: beta({ suffix: 's' }) },
    [{ path: '/?beta=yes' }, v2],
    [{ path: '/?beta=yeses!' }, v1],
  ),
  row(
    'A/B by a query parameter that is there at all',
    { routes: beta({ prefix: '' }) },
    [{ path: '/?beta=any' }, v2],
    [{ path: '/?beta' }, v2],
    [{ path: '/?alpha=any' }, v1],
  ),
  row(
    'A/B by a query parameter and a regular expression, which has to match the whole of it',
    { routes: beta({ regex: 'y.s' }) },
    [{ path: '/?beta=yes' }, v2],
    [{ path: '/?beta=yesno' }, v1],
  ),
  row(
    'of a query parameter that is given twice, the first counts',
    { routes: beta({ exact: 'yes' }) },
    [{ path: '/?beta=yes&beta=no' }, v2],
    [{ path: '/?beta=no&beta=yes' }, v1],
  ),
  row(
    'a query parameter is compared as it stands, not as it is decoded',
    { routes: beta({ exact: 'a b' }) },
    [{ path: '/?beta=a%20b' }, v1],
    [{ path: '/?beta=a+b' }, v1],
  ),
  ...contourRows,
  row(
    'a route for the begin of a path, not only of its whole parts: others are not found',
    { service: { match: [{ uri: { prefix: '/shop' } }] } },
    [{ path: '/shop/cart?x=1' }, { version: '1', path: '/shop/cart?x=1' }],
    [{ path: '/shopping' }, { version: '1', path: '/shopping' }],
    [{ path: '/other' }, notFound],
  ),
  row(
    'routes for two paths and for a header',
    { service: { match: [{ uri: { prefix: '/shop' } }, { uri: { exact: '/cart' } }, { headers: { 'x-shop': { exact: 'yes' } } }] } },
    [{ path: '/shop/1' }, v1],
    [{ path: '/cart' }, v1],
    [{ path: '/other', headers: { 'x-shop': 'yes' } }, v1],
    [{ path: '/other' }, notFound],
  ),
  row(
    'an A/B condition within the route of one path and of another by a regular expression',
    { service: { match: [{ uri: { exact: '/cart' } }, { uri: { regex: '/shop/[0-9]+' } }] }, routes: insider({ exact: 'insider' }) },
    [{ path: '/cart', ...by('insider') }, v2],
    [{ path: '/shop/1', ...by('insider') }, v2],
    [{ path: '/cart' }, v1],
    [{ path: '/shop/1' }, v1],
  ),
  row(
    'an A/B condition on the header that the service matches, too: both have to hold',
    {
      service: { match: [{ headers: { 'x-canary': { exact: 'insider' } } }] },
      routes: {
        kind: 'matched',
        match: [{ headers: { 'x-canary': { exact: 'insider' } } }, { headers: { 'X-Canary': { exact: 'out' } } }],
      },
    },
    [by('insider'), v2],
    [by('out'), notFound],
    [{}, notFound],
  ),
  row('without a timeout a request may take 15 s', { pods: { env: { 1: { LATENCY_MS: '16000' } } } }, [{}, { status: 504 }]),
  row('with a timeout of 0 it may take any time', { service: { timeout: '0' }, pods: { env: { 1: { LATENCY_MS: '16000' } } } }, [
    {},
    { status: 200, version: '1' },
  ]),
  row(
    'retries, of every answer of 500 and more where no condition is named',
    { service: { retries: { attempts: 40 } }, pods: { env: { 1: FAILS_OFTEN } } },
    ...everyTime(3),
  ),
  row(
    'retries of errors of gateways: not 500',
    { service: { retries: { attempts: 40, retryOn: 'gateway-error' } }, pods: { env: { 1: { ERROR_RATE: '1' } } } },
    [{}, { status: 500, version: '1' }],
  ),
  row(
    'each try may take only so long, and all of them together',
    {
      service: { timeout: '5s', retries: { attempts: 2, perTryTimeout: '200ms', retryOn: '5xx' } },
      pods: { env: { 1: { LATENCY_MS: '2000' } } },
    },
    [{}, { status: 504 }],
  ),
];

/** The HTTPProxies that Serin writes, read by the data plane of the environment. */
export function describeContourRoutes(start: () => Promise<ShareEnvironment>): void {
  const namespace = 'contour-routes';
  let environment: ShareEnvironment;
  beforeAll(async () => {
    environment = await start();
    await namespacesFor(environment.cluster, [namespace]);
  }, 180_000);
  afterAll(() => environment?.stop());
  playRows(() => environment, made, ROWS, namespace);
  playUsersRoutes(() => environment, contour, { namespace, ask: (app, asked) => ask(app.target, asked) });

  it.each(REFUSED)('$what: Contour serves no route of the HTTPProxy', async ({ name, conditions }) => {
    const { cluster } = environment;
    const app = await SplitApp.run(environment, contour, { name, namespace });
    await app.route(primary);
    expect(await ask(app.target, {})).toMatchObject({ version: '1' });
    const services = [{ name: `${name}-primary`, port: 80 }];
    const routes = [
      { conditions: [{ prefix: '/' }], services },
      { conditions, services },
    ];
    const { apiVersion, kind } = contour.route({ name, namespace });
    await cluster.apply({ apiVersion, kind, metadata: { name, namespace }, spec: { routes } }, { fieldManager: 'user', force: true });
    await eventually(
      'nothing is found',
      () => ask(app.target, {}),
      ({ status }) => status === 404,
    );
  });
}

const REFUSED = [
  {
    what: 'two exact values of one header',
    name: 'twice',
    conditions: [{ header: { name: 'x-a', exact: 'a' } }, { header: { name: 'X-A', exact: 'b' } }],
  },
  { what: 'two paths of one route', name: 'paths', conditions: [{ prefix: '/a' }, { prefix: '/b' }] },
];
