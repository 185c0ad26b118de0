import fc from 'fast-check';
import type { JsonRecord } from '../../../src/base/json.ts';
import { joinedVirtualService, readSplitVirtualService, splitVirtualService } from '../../../src/routers/istio/in-place.ts';
import { type Raw, raw } from '../../fakes/raw.ts';
import type { SplitCase } from './split-case.ts';

const destination = fc.record(
  {
    destination: fc.record(
      {
        host: fc.constantFrom(
          'shop',
          'shop',
          'shop.prod.svc.cluster.local',
          'static',
          'shop.other.svc.cluster.local',
          'shop-canary',
          'shop.example.org',
        ),
        port: fc.constant({ number: 8080 }),
      },
      { requiredKeys: ['host'] },
    ),
    headers: fc.constantFrom<object>({ request: { set: { 'x-side': 'a' } } }, { response: { remove: ['x-b'], add: { 'x-c': 'd' } } }),
  },
  { requiredKeys: ['destination'] },
);

/** Each of several destinations has a weight; a single destination can also have one. */
const route = fc.oneof(
  destination.map((one) => [one]),
  fc.tuple(destination, fc.constantFrom(1, 2, 100)).map(([one, weight]) => [{ ...one, weight }]),
  fc
    .array(fc.tuple(destination, fc.integer({ min: 0, max: 100 })), { minLength: 2, maxLength: 3 })
    .map((all) => all.map(([one, weight]) => ({ ...one, weight }))),
);

const match = fc.record(
  {
    uri: fc.constantFrom('/', '/static', '/admin').map((prefix) => ({ prefix })),
    headers: fc.constantFrom({ 'x-tenant': { exact: 'a' } }),
    gateways: fc.constant(['mesh']),
  },
  { requiredKeys: ['uri'] },
);

const rule = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record(
      {
        name: fc.constantFrom('first', 'second'),
        match: fc.uniqueArray(match, { minLength: 1, maxLength: 3, selector: (each) => JSON.stringify(each) }),
        rewrite: fc.constant({ uri: '/' }),
        timeout: fc.constant('3s'),
        retries: fc.constant({ attempts: 2 }),
        headers: fc.constant({ request: { set: { 'x-all': 'b' } } }),
        fault: fc.constant({ abort: { httpStatus: 500, percentage: { value: 1 } } }),
        route,
      },
      { requiredKeys: ['match', 'route'] },
    ),
  },
  { weight: 1, arbitrary: fc.constant({ match: [{ uri: { prefix: '/old' } }], redirect: { uri: '/new' } }) },
);

export const istio: SplitCase = {
  rules: fc.array(rule, { minLength: 1, maxLength: 3 }).map((rules) =>
    rules.map((one, index) => ({
      ...one,
      match: (one.match as Raw[]).map((each) => ({ ...each, uri: { prefix: `/rule-${index}${each.uri.prefix}` } })),
    })),
  ) as fc.Arbitrary<JsonRecord[]>,
  route: (http) => ({
    apiVersion: 'networking.istio.io/v1beta1',
    kind: 'VirtualService',
    metadata: { name: 'shop', namespace: 'prod' },
    spec: { hosts: ['shop.example.org'], gateways: ['edge'], http },
  }),
  split: (canary, found, routes) => splitVirtualService(canary, found, routes).http ?? [],
  join: (canary, found) => joinedVirtualService(canary, found).http ?? raw(found).spec.http,
  read: readSplitVirtualService,
  answers: (one) =>
    (raw(one).route ?? []).map(({ destination: { host, port }, weight }: Raw, _: number, all: Raw[]) => {
      const [service, namespace = 'prod', kind] = host.split('.');
      const whole = host.includes('.') && kind !== 'svc' ? host : `${namespace}/${service}`;
      return { service: `${whole}:${port?.number ?? ''}`, weight: all.length === 1 ? 1 : (weight ?? 0) };
    }),
  conditions: 'match',
  can: { match: true, affinity: true, mirror: true },
};
