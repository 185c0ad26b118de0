import type { ProviderFixture } from './providers/provider-fixture.ts';
import { by, insider, playRows, type Row } from './route-rows.ts';
import type { ShareEnvironment } from './shares/share-environment.ts';
import { namespacesFor } from './shares/split-app.ts';
import { afterAll, beforeAll } from './world.ts';

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
    what: 'A/B by a cookie among others',
    routes: { kind: 'matched', match: [{ headers: { cookie: { regex: '^(.*?;\\s*)?(canary=always)(;.*)?$' } } }] },
    asks: [
      [{ headers: { cookie: 'theme=dark; canary=always; x=1' } }, { version: '2' }],
      [{ headers: { cookie: 'canary=alwaysnot' } }, { version: '1' }],
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
  {
    what: 'A/B by two conditions of one entry, both of which must hold',
    routes: { kind: 'matched', match: [{ headers: { 'x-canary': { exact: 'insider' } }, queryParams: { beta: { exact: 'yes' } } }] },
    asks: [
      [{ path: '/?beta=yes', ...by('insider') }, { version: '2' }],
      [by('insider'), { version: '1' }],
      [{ path: '/?beta=yes' }, { version: '1' }],
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
      [{ path: '/a/shop/12' }, { status: 404 }],
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
    what: 'a header of a percent sign',
    service: { headers: { request: { set: { 'x-set': '100% ours' } } } },
    asks: [[{}, { version: '1', received: { 'x-set': '100% ours' } }]],
  },
  {
    what: 'a request that takes longer than the timeout',
    service: { timeout: '500ms' },
    pods: { env: { 1: { LATENCY_MS: '2000' } } },
    asks: [[{}, { status: 504 }]],
  },
  {
    what: 'a request that takes less',
    service: { timeout: '1m30s' },
    pods: { env: { 1: { LATENCY_MS: '1000' } } },
    asks: [[{}, { status: 200, version: '1' }]],
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
}
