import { envoyMatches } from '../envoy-rows.ts';
import { by, insider } from '../route-rows.ts';
import { canary, type Row } from './row.ts';

/** Conditions of `spec.service.match` and `analysis.match`. */
export const matches: readonly Row[] = [
  ...envoyMatches,
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
    what: 'a route for the begin of a path: others are not found',
    service: { match: [{ uri: { prefix: '/shop' } }] },
    asks: [
      [{ path: '/shop/cart?x=1' }, { version: '1', path: '/shop/cart?x=1' }],
      [{ path: '/shopping' }, { version: '1', path: '/shopping' }],
      [{ path: '/other' }, { status: 404 }],
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
    what: 'the end of a path, in any case',
    service: { match: [{ uri: { suffix: '.JSON' }, ignoreUriCase: true }] },
    asks: [
      [{ path: '/cart.json?x=1' }, { version: '1' }],
      [{ path: '/cart.json/1' }, { status: 404 }],
    ],
  },
  {
    what: 'the end of a path',
    service: { match: [{ uri: { suffix: '.json' } }] },
    asks: [
      [{ path: '/cart.json' }, { version: '1' }],
      [{ path: '/cart.JSON' }, { status: 404 }],
      [{ path: '/cartjson' }, { status: 404 }],
    ],
  },
  {
    what: 'one path in any case',
    service: { match: [{ uri: { exact: '/Shop' }, ignoreUriCase: true }] },
    asks: [
      [{ path: '/sHop?x=1' }, { version: '1' }],
      [{ path: '/shop/1' }, { status: 404 }],
    ],
  },
  {
    what: 'a regular expression of paths, whose case counts in spite of `ignoreUriCase`',
    service: { match: [{ uri: { regex: '/Shop/[a-z]+' }, ignoreUriCase: true }] },
    asks: [
      [{ path: '/Shop/cart' }, { version: '1' }],
      [{ path: '/shop/cart' }, { status: 404 }],
    ],
  },
  {
    what: 'methods by a regular expression',
    service: { match: [{ method: { regex: 'GET|HEAD' } }] },
    asks: [
      [{ method: 'GET' }, { version: '1' }],
      [{ method: 'DELETE' }, { status: 404 }],
    ],
  },
  {
    what: 'methods by their begin, and by their end',
    service: { match: [{ method: { prefix: 'PU' } }, { method: { suffix: 'ETE' } }] },
    asks: [
      [{ method: 'PUT' }, { version: '1' }],
      [{ method: 'DELETE' }, { version: '1' }],
      [{ method: 'POST' }, { status: 404 }],
    ],
  },
  {
    what: 'headers by their end, and by a regular expression',
    service: { match: [{ headers: { 'x-a': { suffix: '.com' }, 'x-b': { regex: '[0-9]+' } } }] },
    asks: [
      [{ headers: { 'x-a': 'shop.com', 'x-b': '12' } }, { version: '1' }],
      [{ headers: { 'x-a': 'shopxcom', 'x-b': '12' } }, { status: 404 }],
      [{ headers: { 'x-a': 'shop.com', 'x-b': '12a' } }, { status: 404 }],
      [{ headers: { 'x-a': 'shop.com' } }, { status: 404 }],
    ],
  },
  {
    what: 'any value of a header',
    service: { match: [{ headers: { 'x-a': { regex: '.*' } } }] },
    asks: [
      [{ headers: { 'x-a': 'anything' } }, { version: '1' }],
      [{}, { status: 404 }],
    ],
  },
  {
    what: 'without a header of any value no request is left, for one that is missing counts as an empty one',
    service: { match: [{ withoutHeaders: { 'x-b': { regex: '.*' } } }, { withoutHeaders: { 'x-c': { regex: '.+' } } }] },
    asks: [
      [{ headers: { 'x-c': 'anything' } }, { status: 404 }],
      [{ headers: { 'x-b': 'anything' } }, { version: '1' }],
      [{}, { version: '1' }],
    ],
  },
  {
    what: 'an A/B condition and one of the route on the same header, both of which must hold',
    service: { match: [{ headers: { 'x-canary': { prefix: 'in' } } }] },
    routes: insider({ regex: '.*er' }),
    asks: [
      [by('insider'), { version: '2' }],
      [by('inside'), { version: '1' }],
      [by('outsider'), { status: 404 }],
    ],
  },
  {
    what: 'without headers that begin, end or are so',
    service: {
      match: [{ withoutHeaders: { 'x-a': { prefix: 'in' }, 'x-b': { suffix: 'er' }, 'x-c': { regex: 'o.t' }, 'x-d': { exact: 'yes' } } }],
    },
    asks: [
      [{ headers: { 'x-a': 'out', 'x-b': 'out', 'x-c': 'in', 'x-d': 'no' } }, { version: '1' }],
      [{ headers: { 'x-a': 'inner' } }, { status: 404 }],
      [{ headers: { 'x-b': 'inner' } }, { status: 404 }],
      [{ headers: { 'x-c': 'out' } }, { status: 404 }],
      [{ headers: { 'x-d': 'yes' } }, { status: 404 }],
      [{}, { version: '1' }],
    ],
  },
  {
    what: 'one of the hosts',
    service: { hosts: ['one.example', 'two.example'], match: [{ authority: { exact: 'one.example' } }] },
    asks: [
      [{ host: 'one.example' }, { version: '1' }],
      [{ host: 'two.example' }, { status: 404 }],
      [{}, { status: 404 }],
    ],
  },
  {
    what: 'hosts by their begin, their end and a regular expression',
    service: {
      hosts: ['a.three.example', 'b.four.example', 'c.five.example', 'd.six.example'],
      match: [{ authority: { prefix: 'a.' } }, { authority: { suffix: '.four.example' } }, { authority: { regex: 'c\\..*' } }],
    },
    asks: [
      [{ host: 'a.three.example' }, { version: '1' }],
      [{ host: 'b.four.example' }, { version: '1' }],
      [{ host: 'c.five.example' }, { version: '1' }],
      [{ host: 'd.six.example' }, { status: 404 }],
    ],
  },
  {
    what: 'a scheme',
    service: {
      match: [
        { scheme: { exact: 'http' }, uri: { prefix: '/plain' } },
        { scheme: { exact: 'https' }, uri: { prefix: '/secret' } },
      ],
    },
    asks: [
      [{ path: '/plain' }, { version: '1' }],
      [{ path: '/secret' }, { status: 404 }],
    ],
  },
  {
    what: 'schemes by their begin and a regular expression',
    service: {
      match: [
        { scheme: { prefix: 'ht' }, uri: { prefix: '/begin' } },
        { scheme: { regex: 'https?' }, uri: { prefix: '/regex' } },
        { scheme: { suffix: 's' }, uri: { prefix: '/end' } },
      ],
    },
    asks: [
      [{ path: '/begin' }, { version: '1' }],
      [{ path: '/regex' }, { version: '1' }],
      [{ path: '/end' }, { status: 404 }],
    ],
  },
  {
    what: 'query parameters by their begin, their end and a regular expression',
    service: { match: [{ queryParams: { a: { prefix: 'in' }, b: { suffix: '.x' }, c: { regex: '[0-9]+' } } }] },
    asks: [
      [{ path: '/?a=inner&b=1.x&c=12' }, { version: '1' }],
      [{ path: '/?a=outer&b=1.x&c=12' }, { status: 404 }],
      [{ path: '/?a=inner&b=1x&c=12' }, { status: 404 }],
      [{ path: '/?a=inner&b=1.x&c=12a' }, { status: 404 }],
      [{ path: '/?a=inner&b=1.x' }, { status: 404 }],
    ],
  },
  {
    what: 'A/B by a query parameter whose escaped characters stay so, and by the first of two values',
    routes: {
      kind: 'matched',
      match: [
        { queryParams: { plain: { exact: 'a b' } } },
        { queryParams: { escaped: { exact: 'a%20b' } } },
        { queryParams: { twice: { exact: '1' } } },
      ],
    },
    asks: [
      [{ path: '/?plain=a%20b' }, { version: '1' }],
      [{ path: '/?plain=a+b' }, { version: '1' }],
      [{ path: '/?escaped=a%20b' }, { version: '2' }],
      [{ path: '/?twice=1&twice=2' }, { version: '2' }],
      [{ path: '/?twice=2&twice=1' }, { version: '1' }],
    ],
  },
  {
    what: 'labels of the client: those that it has',
    service: { match: [{ sourceLabels: { app: 'client' } }] },
    asks: [[{}, { version: '1' }]],
  },
  {
    what: 'labels of other clients: this one is at the Service, whatever the routes say',
    service: { match: [{ sourceLabels: { app: 'client', tier: 'front' } }] },
    routes: canary,
    asks: [[{}, { status: 200, version: '1' }]],
  },
  {
    what: 'A/B by labels of the client',
    routes: { kind: 'matched', match: [{ sourceLabels: { app: 'client' } }] },
    asks: [[{}, { version: '2' }]],
  },
  {
    what: 'A/B by labels of other clients, or by a header',
    routes: {
      kind: 'matched',
      match: [{ sourceLabels: { app: 'other' } }, { headers: { 'x-canary': { exact: 'insider' } }, sourceLabels: { app: 'client' } }],
    },
    asks: [
      [{}, { version: '1' }],
      [by('insider'), { version: '2' }],
    ],
  },
  {
    what: 'the namespace of the client',
    service: {
      match: [
        { sourceNamespace: 'clients', uri: { prefix: '/theirs' } },
        { sourceNamespace: 'elsewhere', uri: { prefix: '/others' } },
      ],
    },
    asks: [
      [{ path: '/theirs' }, { version: '1' }],
      [{ path: '/others' }, { status: 404 }],
    ],
  },
  {
    what: 'labels and namespace of the client say nothing beside a gateway of the same condition',
    service: { match: [{ gateways: ['mesh'], sourceLabels: { app: 'other' }, sourceNamespace: 'elsewhere' }] },
    asks: [[{}, { version: '1' }]],
  },
];
