import fc from 'fast-check';
import type { JsonRecord } from '../../../src/base/json.ts';
import { joinedRoute, readSplitRoute, splitRoute } from '../../../src/routers/gateway-api/in-place.ts';
import { type Raw, raw } from '../../fakes/raw.ts';
import type { SplitCase } from './split-case.ts';

const backend = fc.record(
  {
    group: fc.constant(''),
    kind: fc.constant('Service'),
    name: fc.constantFrom('shop', 'shop', 'shop', 'static', 'shop-canary', 'shop-admin'),
    namespace: fc.constantFrom('prod', 'other'),
    port: fc.constantFrom(8080, 9090),
    weight: fc.integer({ min: 0, max: 1000 }),
    filters: fc.constantFrom(
      [{ type: 'RequestHeaderModifier', requestHeaderModifier: { set: [{ name: 'x-side', value: 'a' }] } }],
      [{ type: 'ResponseHeaderModifier', responseHeaderModifier: { add: [{ name: 'Set-Cookie', value: 'theme=dark; Max-Age=1' }] } }],
      [{ type: 'ResponseHeaderModifier', responseHeaderModifier: { set: [{ name: 'x-a', value: 'b' }] } }],
    ),
  },
  { requiredKeys: ['group', 'kind', 'name', 'port', 'weight'] },
);

const match = fc.record(
  {
    path: fc.constantFrom('/', '/static', '/admin').map((value) => ({ type: 'PathPrefix', value })),
    method: fc.constantFrom('GET', 'POST'),
    headers: fc.constantFrom([{ type: 'Exact', name: 'x-tenant', value: 'a' }]),
  },
  { requiredKeys: ['path'] },
);

const rule = fc.record(
  {
    name: fc.constantFrom('first', 'second'),
    matches: fc.uniqueArray(match, { minLength: 1, maxLength: 3, selector: (each) => JSON.stringify(each) }),
    filters: fc.constantFrom(
      [{ type: 'ExtensionRef', extensionRef: { group: 'example.org', kind: 'Auth', name: 'staff' } }],
      [{ type: 'RequestMirror', requestMirror: { backendRef: { group: '', kind: 'Service', name: 'recorder', port: 80 } } }],
      [{ type: 'URLRewrite', urlRewrite: { path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/' } } }],
    ),
    timeouts: fc.constant({ request: '3s' }),
    backendRefs: fc.array(backend, { minLength: 1, maxLength: 3 }),
    sessionPersistence: fc.constant({ sessionName: 's' }),
  },
  { requiredKeys: ['backendRefs'] },
);

/** Rules as the API server stores them: with defaults, and one match instead of a prefix. No match is listed twice. */
export const gatewayApi: SplitCase = {
  rules: fc.array(rule, { minLength: 1, maxLength: 3 }).map((rules) =>
    rules.map((one, index) => {
      const at = index === 0 ? '' : `/rule-${index}`;
      const asked = one.matches ?? [{ path: { type: 'PathPrefix', value: '/' } }];
      const matches = asked.map(({ path, ...rest }) => ({ path: { ...path, value: `${at}${path.value}` }, ...rest }));
      return { ...one, matches: JSON.stringify(one.filters ?? []).includes('ReplacePrefixMatch') ? matches.slice(0, 1) : matches };
    }),
  ) as fc.Arbitrary<JsonRecord[]>,
  route: (rules) => ({
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { name: 'shop', namespace: 'prod' },
    spec: { parentRefs: [{ name: 'edge' }], rules },
  }),
  split: (canary, found, routes) => splitRoute(canary, found, routes, 'v1'),
  join: (canary, found) => joinedRoute(canary, found, 'v1'),
  read: (canary, found) => readSplitRoute(canary, found, 'v1'),
  answers: (one) =>
    raw(one).backendRefs.map((ref: Raw) => ({ service: `${ref.namespace ?? 'prod'}/${ref.name}:${ref.port}`, weight: ref.weight })),
  conditions: 'matches',
  can: { match: true, affinity: true, mirror: true },
};
