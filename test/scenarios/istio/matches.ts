import { envoyMatches } from '../envoy-rows.ts';
import { by, insider, notFound, v1, v2 } from '../route-rows.ts';
import { canary, type Row, row } from './row.ts';

/** Conditions of `spec.service.match` and `analysis.match`. */
export const matches: readonly Row[] = [
  ...envoyMatches,
  row('A/B by the begin of a header', { routes: insider({ prefix: 'in' }) }, [by('insider'), v2], [by('out'), v1]),
  row(
    'A/B by a regular expression, which has to match the whole header',
    { routes: insider({ regex: 'in.*r' }) },
    [by('insider'), v2],
    [by('insiders'), v1],
    [by('an insider'), v1],
  ),
  row(
    'A/B by a query parameter',
    { routes: { kind: 'matched', match: [{ queryParams: { beta: { exact: 'yes' } } }] } },
    [{ path: '/cart?beta=yes&x=1' }, v2],
    [{ path: '/cart?beta=no' }, v1],
  ),
  row(
    'A/B by two conditions of one entry, both of which must hold',
    { routes: { kind: 'matched', match: [{ headers: { 'x-canary': { exact: 'insider' }, 'x-team': { exact: 'shop' } } }] } },
    [{ headers: { 'x-canary': 'insider', 'x-team': 'shop' } }, v2],
    [by('insider'), v1],
  ),
  row(
    'a route for the begin of a path: others are not found',
    { service: { match: [{ uri: { prefix: '/shop' } }] } },
    [{ path: '/shop/cart?x=1' }, { version: '1', path: '/shop/cart?x=1' }],
    [{ path: '/shopping' }, { version: '1', path: '/shopping' }],
    [{ path: '/other' }, notFound],
  ),
  row(
    'a route for paths by a regular expression, without regard to what follows the question mark',
    { service: { match: [{ uri: { regex: '/shop/[0-9]+' } }] } },
    [{ path: '/shop/12?x=1' }, v1],
    [{ path: '/shop/12/a' }, notFound],
  ),
  row(
    'a route for a path in any case',
    { service: { match: [{ uri: { prefix: '/Shop' }, ignoreUriCase: true }] } },
    [{ path: '/sHOP/cart' }, { version: '1', path: '/sHOP/cart' }],
    [{ path: '/other' }, notFound],
  ),
  row(
    'a route for one method, and without a header',
    { service: { match: [{ method: { exact: 'POST' }, withoutHeaders: { 'x-internal': { exact: 'yes' } } }] } },
    [{ method: 'POST' }, v1],
    [{ method: 'GET' }, notFound],
    [{ method: 'POST', headers: { 'x-internal': 'yes' } }, notFound],
    [{ method: 'POST', headers: { 'x-internal': 'no' } }, v1],
  ),
  row(
    'the end of a path, in any case',
    { service: { match: [{ uri: { suffix: '.JSON' }, ignoreUriCase: true }] } },
    [{ path: '/cart.json?x=1' }, v1],
    [{ path: '/cart.json/1' }, notFound],
  ),
  row(
    'the end of a path',
    { service: { match: [{ uri: { suffix: '.json' } }] } },
    [{ path: '/cart.json' }, v1],
    [{ path: '/cart.JSON' }, notFound],
    [{ path: '/cartjson' }, notFound],
  ),
  row(
    'one path in any case',
    { service: { match: [{ uri: { exact: '/Shop' }, ignoreUriCase: true }] } },
    [{ path: '/sHop?x=1' }, v1],
    [{ path: '/shop/1' }, notFound],
  ),
  row(
    'a regular expression of paths, whose case counts in spite of `ignoreUriCase`',
    { service: { match: [{ uri: { regex: '/Shop/[a-z]+' }, ignoreUriCase: true }] } },
    [{ path: '/Shop/cart' }, v1],
    [{ path: '/shop/cart' }, notFound],
  ),
  row(
    'methods by a regular expression',
    { service: { match: [{ method: { regex: 'GET|HEAD' } }] } },
    [{ method: 'GET' }, v1],
    [{ method: 'DELETE' }, notFound],
  ),
  row(
    'methods by their begin, and by their end',
    { service: { match: [{ method: { prefix: 'PU' } }, { method: { suffix: 'ETE' } }] } },
    [{ method: 'PUT' }, v1],
    [{ method: 'DELETE' }, v1],
    [{ method: 'POST' }, notFound],
  ),
  row(
    'headers by their end, and by a regular expression',
    { service: { match: [{ headers: { 'x-a': { suffix: '.com' }, 'x-b': { regex: '[0-9]+' } } }] } },
    [{ headers: { 'x-a': 'shop.com', 'x-b': '12' } }, v1],
    [{ headers: { 'x-a': 'shopxcom', 'x-b': '12' } }, notFound],
    [{ headers: { 'x-a': 'shop.com', 'x-b': '12a' } }, notFound],
    [{ headers: { 'x-a': 'shop.com' } }, notFound],
  ),
  row(
    'any value of a header',
    { service: { match: [{ headers: { 'x-a': { regex: '.*' } } }] } },
    [{ headers: { 'x-a': 'anything' } }, v1],
    [{}, notFound],
  ),
  row(
    'without a header of any value no request is left, for one that is missing counts as an empty one',
    { service: { match: [{ withoutHeaders: { 'x-b': { regex: '.*' } } }, { withoutHeaders: { 'x-c': { regex: '.+' } } }] } },
    [{ headers: { 'x-c': 'anything' } }, notFound],
    [{ headers: { 'x-b': 'anything' } }, v1],
    [{}, v1],
  ),
  row(
    'an A/B condition and one of the route on the same header, both of which must hold',
    { service: { match: [{ headers: { 'x-canary': { prefix: 'in' } } }] }, routes: insider({ regex: '.*er' }) },
    [by('insider'), v2],
    [by('inside'), v1],
    [by('outsider'), notFound],
  ),
  row(
    'without headers that begin, end or are so',
    {
      service: {
        match: [{ withoutHeaders: { 'x-a': { prefix: 'in' }, 'x-b': { suffix: 'er' }, 'x-c': { regex: 'o.t' }, 'x-d': { exact: 'yes' } } }],
      },
    },
    [{ headers: { 'x-a': 'out', 'x-b': 'out', 'x-c': 'in', 'x-d': 'no' } }, v1],
    [{ headers: { 'x-a': 'inner' } }, notFound],
    [{ headers: { 'x-b': 'inner' } }, notFound],
    [{ headers: { 'x-c': 'out' } }, notFound],
    [{ headers: { 'x-d': 'yes' } }, notFound],
    [{}, v1],
  ),
  row(
    'one of the hosts',
    { service: { hosts: ['one.example', 'two.example'], match: [{ authority: { exact: 'one.example' } }] } },
    [{ host: 'one.example' }, v1],
    [{ host: 'two.example' }, notFound],
    [{}, notFound],
  ),
  row(
    'hosts by their begin, their end and a regular expression',
    {
      service: {
        hosts: ['a.three.example', 'b.four.example', 'c.five.example', 'd.six.example'],
        match: [{ authority: { prefix: 'a.' } }, { authority: { suffix: '.four.example' } }, { authority: { regex: 'c\\..*' } }],
      },
    },
    [{ host: 'a.three.example' }, v1],
    [{ host: 'b.four.example' }, v1],
    [{ host: 'c.five.example' }, v1],
    [{ host: 'd.six.example' }, notFound],
  ),
  row(
    'a scheme',
    {
      service: {
        match: [
          { scheme: { exact: 'http' }, uri: { prefix: '/plain' } },
          { scheme: { exact: 'https' }, uri: { prefix: '/secret' } },
        ],
      },
    },
    [{ path: '/plain' }, v1],
    [{ path: '/secret' }, notFound],
  ),
  row(
    'schemes by their begin and a regular expression',
    {
      service: {
        match: [
          { scheme: { prefix: 'ht' }, uri: { prefix: '/begin' } },
          { scheme: { regex: 'https?' }, uri: { prefix: '/regex' } },
          { scheme: { suffix: 's' }, uri: { prefix: '/end' } },
        ],
      },
    },
    [{ path: '/begin' }, v1],
    [{ path: '/regex' }, v1],
    [{ path: '/end' }, notFound],
  ),
  row(
    'query parameters by their begin, their end and a regular expression',
    { service: { match: [{ queryParams: { a: { prefix: 'in' }, b: { suffix: '.x' }, c: { regex: '[0-9]+' } } }] } },
    [{ path: '/?a=inner&b=1.x&c=12' }, v1],
    [{ path: '/?a=outer&b=1.x&c=12' }, notFound],
    [{ path: '/?a=inner&b=1x&c=12' }, notFound],
    [{ path: '/?a=inner&b=1.x&c=12a' }, notFound],
    [{ path: '/?a=inner&b=1.x' }, notFound],
  ),
  row(
    'A/B by a query parameter whose escaped characters stay so, and by the first of two values',
    {
      routes: {
        kind: 'matched',
        match: [
          { queryParams: { plain: { exact: 'a b' } } },
          { queryParams: { escaped: { exact: 'a%20b' } } },
          { queryParams: { twice: { exact: '1' } } },
        ],
      },
    },
    [{ path: '/?plain=a%20b' }, v1],
    [{ path: '/?plain=a+b' }, v1],
    [{ path: '/?escaped=a%20b' }, v2],
    [{ path: '/?twice=1&twice=2' }, v2],
    [{ path: '/?twice=2&twice=1' }, v1],
  ),
  row('labels of the client: those that it has', { service: { match: [{ sourceLabels: { app: 'client' } }] } }, [{}, v1]),
  row(
    'labels of other clients: this one is at the Service, whatever the routes say',
    { service: { match: [{ sourceLabels: { app: 'client', tier: 'front' } }] }, routes: canary },
    [{}, { status: 200, version: '1' }],
  ),
  row('A/B by labels of the client', { routes: { kind: 'matched', match: [{ sourceLabels: { app: 'client' } }] } }, [{}, v2]),
  row(
    'A/B by labels of other clients, or by a header',
    {
      routes: {
        kind: 'matched',
        match: [{ sourceLabels: { app: 'other' } }, { headers: { 'x-canary': { exact: 'insider' } }, sourceLabels: { app: 'client' } }],
      },
    },
    [{}, v1],
    [by('insider'), v2],
  ),
  row(
    'the namespace of the client',
    {
      service: {
        match: [
          { sourceNamespace: 'clients', uri: { prefix: '/theirs' } },
          { sourceNamespace: 'elsewhere', uri: { prefix: '/others' } },
        ],
      },
    },
    [{ path: '/theirs' }, v1],
    [{ path: '/others' }, notFound],
  ),
  row(
    'labels and namespace of the client say nothing beside a gateway of the same condition',
    { service: { match: [{ gateways: ['mesh'], sourceLabels: { app: 'other' }, sourceNamespace: 'elsewhere' }] } },
    [{}, v1],
  ),
];
