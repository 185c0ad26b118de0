import { by, insider, notFound, type Row, row, v1, v2 } from './route-rows.ts';

/** Rows for Istio, and for Contour with both of its providers. */
export const envoyMatches: readonly Row[] = [
  row('A/B by a header that is exactly so', { routes: insider({ exact: 'insider' }) }, [by('insider'), v2], [by('insiders'), v1], [{}, v1]),
  row(
    'A/B by a cookie among others',
    { routes: { kind: 'matched', match: [{ headers: { cookie: { regex: '^(.*?;\\s*)?(canary=always)(;.*)?$' } } }] } },
    [{ headers: { cookie: 'theme=dark; canary=always; x=1' } }, v2],
    [{ headers: { cookie: 'canary=alwaysnot' } }, v1],
  ),
  row(
    'A/B by two entries, one of which must hold',
    { routes: { kind: 'matched', match: [{ headers: { 'x-canary': { exact: 'a' } } }, { headers: { 'x-canary': { exact: 'b' } } }] } },
    [by('a'), v2],
    [by('b'), v2],
    [by('c'), v1],
  ),
  row(
    'a route for one path',
    { service: { match: [{ uri: { exact: '/shop' } }] } },
    [{ path: '/shop' }, v1],
    [{ path: '/shop?x=1' }, v1],
    [{ path: '/shop/' }, notFound],
  ),
  row(
    'an A/B condition within the route of a path',
    { service: { match: [{ uri: { prefix: '/shop' } }] }, routes: insider({ exact: 'insider' }) },
    [{ path: '/shop/1', ...by('insider') }, v2],
    [{ path: '/shop/1' }, v1],
    [{ path: '/other', ...by('insider') }, notFound],
  ),
];

/** Rows for Contour with both of its providers. */
export const contourRows: readonly Row[] = [
  row(
    'A/B by two conditions of one entry, both of which must hold',
    { routes: { kind: 'matched', match: [{ headers: { 'x-canary': { exact: 'insider' } }, queryParams: { beta: { exact: 'yes' } } }] } },
    [{ path: '/?beta=yes', ...by('insider') }, v2],
    [by('insider'), v1],
    [{ path: '/?beta=yes' }, v1],
  ),
  row(
    'a route for paths by a regular expression, without regard to what follows the question mark',
    { service: { match: [{ uri: { regex: '/shop/[0-9]+' } }] } },
    [{ path: '/shop/12?x=1' }, v1],
    [{ path: '/shop/12/a' }, notFound],
    [{ path: '/a/shop/12' }, notFound],
  ),
  row('a request that takes longer than the timeout', { service: { timeout: '500ms' }, pods: { env: { 1: { LATENCY_MS: '2000' } } } }, [
    {},
    { status: 504 },
  ]),
  row('a request that takes less', { service: { timeout: '1m30s' }, pods: { env: { 1: { LATENCY_MS: '1000' } } } }, [
    {},
    { status: 200, version: '1' },
  ]),
];

/** Rows for Istio, and for the Gateway API through Contour. */
export const envoyChanges: readonly Row[] = [
  row('a rewritten authority', { service: { rewrite: { authority: 'inside.example' } } }, [
    {},
    { version: '1', received: { host: 'inside.example' } },
  ]),
  row(
    'headers of requests and answers that are set, added and removed',
    {
      service: {
        headers: {
          request: { set: { 'x-set': 'ours' }, add: { 'x-add': 'ours' }, remove: ['x-secret'] },
          response: { set: { 'x-answer': 'ours' }, add: { 'x-more': 'ours' }, remove: ['x-serin-pod'] },
        },
      },
    },
    [
      { headers: { 'x-set': 'theirs', 'x-add': 'theirs', 'x-secret': 'theirs' } },
      {
        version: '1',
        received: { 'x-set': 'ours', 'x-add': 'theirs,ours', 'x-secret': undefined },
        answered: { 'x-answer': 'ours', 'x-more': 'ours', 'x-serin-pod': undefined },
      },
    ],
  ),
];
