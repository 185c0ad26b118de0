import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { AppName } from '../providers/provider-fixture.ts';
import { by, insider, notFound, v1, v2 } from '../route-rows.ts';
import { GATEWAY_NAME } from './places.ts';
import { canary, type Row, row, TWO_PORTS } from './row.ts';

const INSIDERS = insider({ exact: 'insider' });
const outside = (host: string, more: object = {}) => ({ host, isOutside: true, ...more });

/** `service.gateways`, and conditions on the gateway that a request came in by. */
export const gateways: readonly Row[] = [
  row(
    'a gateway alone: clients of the mesh are at the Service, which is that of the primary',
    { service: { gateways: [GATEWAY_NAME], hosts: ['alone.example'] }, routes: INSIDERS },
    [outside('alone.example', by('insider')), v2],
    [outside('alone.example'), v1],
    [outside('else.example', by('insider')), notFound],
    [by('insider'), v1],
  ),
  row(
    'a gateway and the mesh',
    { service: { gateways: [GATEWAY_NAME, 'mesh'], hosts: ['both.example'] }, routes: INSIDERS },
    [outside('both.example', by('insider')), v2],
    [outside('both.example'), v1],
    [by('insider'), v2],
    [{}, v1],
  ),
  row(
    'the mesh alone: the gateway knows nothing of it',
    { service: { hosts: ['inside.example'] } },
    [outside('inside.example'), notFound],
    [{}, v1],
  ),
  row(
    'a path for those who come by the gateway, and none for the others',
    {
      service: {
        gateways: [GATEWAY_NAME, 'mesh'],
        hosts: ['paths.example'],
        match: [{ uri: { prefix: '/shop' }, gateways: [GATEWAY_NAME] }, { gateways: ['mesh'] }],
      },
    },
    [outside('paths.example', { path: '/shop' }), v1],
    [outside('paths.example', { path: '/other' }), notFound],
    [{ path: '/other' }, v1],
  ),
  row(
    'an A/B condition within a path by the gateway, with a rewrite',
    {
      service: {
        gateways: [GATEWAY_NAME],
        hosts: ['rewritten.example'],
        match: [{ uri: { prefix: '/shop/' } }],
        rewrite: { uri: '/' },
      },
      routes: INSIDERS,
    },
    [outside('rewritten.example', { path: '/shop/1?a=b', ...by('insider') }), { version: '2', path: '/1?a=b' }],
    [outside('rewritten.example', { path: '/shop/1' }), { version: '1', path: '/1' }],
  ),
  row(
    'every host below a name by the gateway',
    { service: { gateways: [GATEWAY_NAME], hosts: ['*.wild.example'] }, routes: INSIDERS },
    [outside('a.wild.example', by('insider')), v2],
    [outside('a.b.wild.example'), v1],
    [outside('wild.example'), notFound],
  ),
];

/** A VirtualService of the user, which delegates to Serin's. */
const root = ({ name, namespace }: AppName, rule: object, spec: object = {}): KubeObject => ({
  apiVersion: 'networking.istio.io/v1beta1',
  kind: 'VirtualService',
  metadata: { name: `${name}-root`, namespace },
  spec: { hosts: [name], http: [{ ...rule, delegate: { name, namespace } }], ...spec },
});

/** `service.delegation`. */
export const delegation: readonly Row[] = [
  row(
    'a root that hands on a path',
    { service: { delegation: true }, routes: INSIDERS, objects: (app) => [root(app, { match: [{ uri: { prefix: '/shop' } }] })] },
    [{ path: '/shop/1', ...by('insider') }, v2],
    [{ path: '/shop/1' }, v1],
    [{ path: '/other', ...by('insider') }, notFound],
  ),
  row(
    'a root that hands on everything, to a route for a path',
    { service: { delegation: true, match: [{ uri: { prefix: '/shop' } }] }, routes: INSIDERS, objects: (app) => [root(app, {})] },
    [{ path: '/shop/1', ...by('insider') }, v2],
    [{ path: '/other' }, notFound],
  ),
  row(
    'a root that rewrites the prefix that it hands on',
    {
      service: { delegation: true },
      routes: INSIDERS,
      objects: (app) => [root(app, { match: [{ uri: { prefix: '/shop/' } }], rewrite: { uri: '/' } })],
    },
    [
      { path: '/shop/1', ...by('insider') },
      { version: '2', path: '/1' },
    ],
    [{ path: '/shop/1' }, { version: '1', path: '/1' }],
  ),
  row(
    'a path within that of the root',
    {
      service: { delegation: true, match: [{ uri: { prefix: '/shop/cart' } }] },
      objects: (app) => [root(app, { match: [{ uri: { prefix: '/shop' } }] })],
    },
    [{ path: '/shop/cart/1' }, v1],
    [{ path: '/shop/1' }, notFound],
  ),
  row(
    'headers of the root, where the Canary has none',
    { service: { delegation: true }, objects: (app) => [root(app, { headers: { request: { set: { 'x-by': 'root' } } } })] },
    [{}, { version: '1', received: { 'x-by': 'root' } }],
  ),
  row(
    'headers of the Canary in place of those of the root',
    {
      service: { delegation: true, headers: { request: { set: { 'x-own': 'ours' } } } },
      objects: (app) => [root(app, { headers: { request: { set: { 'x-by': 'root' } } } })],
    },
    [{}, { version: '1', received: { 'x-own': 'ours', 'x-by': undefined } }],
  ),
  row(
    'a root for paths in any case: a rule with a condition of its own is left out, so that no one is at the canary',
    {
      service: { delegation: true },
      routes: INSIDERS,
      objects: (app) => [root(app, { match: [{ uri: { prefix: '/shop' }, ignoreUriCase: true }] })],
    },
    [{ path: '/Shop/1', ...by('insider') }, v1],
    [{ path: '/Shop/1' }, v1],
  ),
  row(
    'a root, and a port found at the container: who asks for it is led to the port of the Canary',
    { service: { delegation: true, portDiscovery: true }, pods: TWO_PORTS, routes: canary, objects: (app) => [root(app, {})] },
    [{}, { version: '2', port: 8080 }],
    [{ port: 9090 }, { version: '2', port: 8080 }],
  ),
  row(
    'a root of the gateway',
    {
      service: { delegation: true },
      routes: INSIDERS,
      objects: (app) => [root(app, {}, { hosts: ['delegated.example'], gateways: [GATEWAY_NAME] })],
    },
    [outside('delegated.example', by('insider')), v2],
    [outside('delegated.example'), v1],
  ),
];
