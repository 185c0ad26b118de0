import { by, insider, type Row } from './route-rows.ts';

/** Rows for Istio, and for Contour with both of its providers. */
export const envoyMatches: readonly Row[] = [
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
    what: 'A/B by a cookie among others',
    routes: { kind: 'matched', match: [{ headers: { cookie: { regex: '^(.*?;\\s*)?(canary=always)(;.*)?$' } } }] },
    asks: [
      [{ headers: { cookie: 'theme=dark; canary=always; x=1' } }, { version: '2' }],
      [{ headers: { cookie: 'canary=alwaysnot' } }, { version: '1' }],
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
    what: 'a route for one path',
    service: { match: [{ uri: { exact: '/shop' } }] },
    asks: [
      [{ path: '/shop' }, { version: '1' }],
      [{ path: '/shop?x=1' }, { version: '1' }],
      [{ path: '/shop/' }, { status: 404 }],
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
];

/** Rows for Contour with both of its providers. */
export const contourRows: readonly Row[] = [
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
    what: 'a route for paths by a regular expression, without regard to what follows the question mark',
    service: { match: [{ uri: { regex: '/shop/[0-9]+' } }] },
    asks: [
      [{ path: '/shop/12?x=1' }, { version: '1' }],
      [{ path: '/shop/12/a' }, { status: 404 }],
      [{ path: '/a/shop/12' }, { status: 404 }],
    ],
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
];

/** Rows for Istio, and for the Gateway API through Contour. */
export const envoyChanges: readonly Row[] = [
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
];
