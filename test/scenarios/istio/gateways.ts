import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { AppName } from '../providers/provider-fixture.ts';
import { by, insider } from '../route-rows.ts';
import { GATEWAY_NAME } from './places.ts';
import { canary, type Row, TWO_PORTS } from './row.ts';

const INSIDERS = insider({ exact: 'insider' });
const outside = (host: string, more: object = {}) => ({ host, isOutside: true, ...more });

/** `service.gateways`, and conditions on the gateway that a request came in by. */
export const gateways: readonly Row[] = [
  {
    what: 'a gateway alone: clients of the mesh are at the Service, which is that of the primary',
    service: { gateways: [GATEWAY_NAME], hosts: ['alone.example'] },
    routes: INSIDERS,
    asks: [
      [outside('alone.example', by('insider')), { version: '2' }],
      [outside('alone.example'), { version: '1' }],
      [outside('else.example', by('insider')), { status: 404 }],
      [by('insider'), { version: '1' }],
    ],
  },
  {
    what: 'a gateway and the mesh',
    service: { gateways: [GATEWAY_NAME, 'mesh'], hosts: ['both.example'] },
    routes: INSIDERS,
    asks: [
      [outside('both.example', by('insider')), { version: '2' }],
      [outside('both.example'), { version: '1' }],
      [by('insider'), { version: '2' }],
      [{}, { version: '1' }],
    ],
  },
  {
    what: 'the mesh alone: the gateway knows nothing of it',
    service: { hosts: ['inside.example'] },
    asks: [
      [outside('inside.example'), { status: 404 }],
      [{}, { version: '1' }],
    ],
  },
  {
    what: 'a path for those who come by the gateway, and none for the others',
    service: {
      gateways: [GATEWAY_NAME, 'mesh'],
      hosts: ['paths.example'],
      match: [{ uri: { prefix: '/shop' }, gateways: [GATEWAY_NAME] }, { gateways: ['mesh'] }],
    },
    asks: [
      [outside('paths.example', { path: '/shop' }), { version: '1' }],
      [outside('paths.example', { path: '/other' }), { status: 404 }],
      [{ path: '/other' }, { version: '1' }],
    ],
  },
  {
    what: 'an A/B condition within a path by the gateway, with a rewrite',
    service: {
      gateways: [GATEWAY_NAME],
      hosts: ['rewritten.example'],
      match: [{ uri: { prefix: '/shop/' } }],
      rewrite: { uri: '/' },
    },
    routes: INSIDERS,
    asks: [
      [outside('rewritten.example', { path: '/shop/1?a=b', ...by('insider') }), { version: '2', path: '/1?a=b' }],
      [outside('rewritten.example', { path: '/shop/1' }), { version: '1', path: '/1' }],
    ],
  },
  {
    what: 'every host below a name by the gateway',
    service: { gateways: [GATEWAY_NAME], hosts: ['*.wild.example'] },
    routes: INSIDERS,
    asks: [
      [outside('a.wild.example', by('insider')), { version: '2' }],
      [outside('a.b.wild.example'), { version: '1' }],
      [outside('wild.example'), { status: 404 }],
    ],
  },
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
  {
    what: 'a root that hands on a path',
    service: { delegation: true },
    routes: INSIDERS,
    objects: (app) => [root(app, { match: [{ uri: { prefix: '/shop' } }] })],
    asks: [
      [{ path: '/shop/1', ...by('insider') }, { version: '2' }],
      [{ path: '/shop/1' }, { version: '1' }],
      [{ path: '/other', ...by('insider') }, { status: 404 }],
    ],
  },
  {
    what: 'a root that hands on everything, to a route for a path',
    service: { delegation: true, match: [{ uri: { prefix: '/shop' } }] },
    routes: INSIDERS,
    objects: (app) => [root(app, {})],
    asks: [
      [{ path: '/shop/1', ...by('insider') }, { version: '2' }],
      [{ path: '/other' }, { status: 404 }],
    ],
  },
  {
    what: 'a root that rewrites the prefix that it hands on',
    service: { delegation: true },
    routes: INSIDERS,
    objects: (app) => [root(app, { match: [{ uri: { prefix: '/shop/' } }], rewrite: { uri: '/' } })],
    asks: [
      [
        { path: '/shop/1', ...by('insider') },
        { version: '2', path: '/1' },
      ],
      [{ path: '/shop/1' }, { version: '1', path: '/1' }],
    ],
  },
  {
    what: 'a path within that of the root',
    service: { delegation: true, match: [{ uri: { prefix: '/shop/cart' } }] },
    objects: (app) => [root(app, { match: [{ uri: { prefix: '/shop' } }] })],
    asks: [
      [{ path: '/shop/cart/1' }, { version: '1' }],
      [{ path: '/shop/1' }, { status: 404 }],
    ],
  },
  {
    what: 'headers of the root, where the Canary has none',
    service: { delegation: true },
    objects: (app) => [root(app, { headers: { request: { set: { 'x-by': 'root' } } } })],
    asks: [[{}, { version: '1', received: { 'x-by': 'root' } }]],
  },
  {
    what: 'headers of the Canary in place of those of the root',
    service: { delegation: true, headers: { request: { set: { 'x-own': 'ours' } } } },
    objects: (app) => [root(app, { headers: { request: { set: { 'x-by': 'root' } } } })],
    asks: [[{}, { version: '1', received: { 'x-own': 'ours', 'x-by': undefined } }]],
  },
  {
    what: 'a root for paths in any case: a rule with a condition of its own is left out, so that no one is at the canary',
    service: { delegation: true },
    routes: INSIDERS,
    objects: (app) => [root(app, { match: [{ uri: { prefix: '/shop' }, ignoreUriCase: true }] })],
    asks: [
      [{ path: '/Shop/1', ...by('insider') }, { version: '1' }],
      [{ path: '/Shop/1' }, { version: '1' }],
    ],
  },
  {
    what: 'a root, and a port found at the container: who asks for it is led to the port of the Canary',
    service: { delegation: true, portDiscovery: true },
    pods: TWO_PORTS,
    routes: canary,
    objects: (app) => [root(app, {})],
    asks: [
      [{}, { version: '2', port: 8080 }],
      [{ port: 9090 }, { version: '2', port: 8080 }],
    ],
  },
  {
    what: 'a root of the gateway',
    service: { delegation: true },
    routes: INSIDERS,
    objects: (app) => [root(app, {}, { hosts: ['delegated.example'], gateways: [GATEWAY_NAME] })],
    asks: [
      [outside('delegated.example', by('insider')), { version: '2' }],
      [outside('delegated.example'), { version: '1' }],
    ],
  },
];
