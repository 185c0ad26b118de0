import fc from 'fast-check';
import type { JsonRecord } from '../../../src/base/json.ts';
import { inPlace } from '../../../src/routers/contour/in-place.ts';
import { type Raw, raw } from '../../fakes/raw.ts';
import type { SplitCase } from './split-case.ts';

const service = fc.record(
  {
    name: fc.constantFrom('shop', 'shop', 'shop', 'static', 'shop-canary'),
    port: fc.constantFrom(8080, 9090),
    requestHeadersPolicy: fc.constant({ set: [{ name: 'x-side', value: 'a' }] }),
    protocol: fc.constant('h2c'),
  },
  { requiredKeys: ['name', 'port'] },
);

/** Each of several backends has a weight above 0; a mirror can follow them. */
const services = fc
  .tuple(
    fc.oneof(
      service.map((one) => [one]),
      fc
        .array(fc.tuple(service, fc.integer({ min: 1, max: 100 })), { minLength: 2, maxLength: 3 })
        .map((all) => all.map(([one, weight]) => ({ ...one, weight }))),
      fc.tuple(service, fc.constantFrom(1, 2, 100)).map(([one, weight]) => [{ ...one, weight }]),
    ),
    fc.constantFrom([], [], [{ name: 'recorder', port: 80, mirror: true, weight: 10 }]),
  )
  .map(([answering, mirrors]) => [...answering, ...mirrors]);

const rule = fc.record(
  {
    conditions: fc.constantFrom(
      [{ prefix: '/' }],
      [{ header: { name: 'x-tenant', exact: 'a' } }, { prefix: '/admin' }],
      [{ prefix: '/static' }],
    ),
    timeoutPolicy: fc.constant({ response: '3s' }),
    enableWebsockets: fc.constant(true),
    requestHeadersPolicy: fc.constant({ set: [{ name: 'x-all', value: 'b' }] }),
    services,
  },
  { requiredKeys: ['conditions', 'services'] },
);

export const contour: SplitCase = {
  rules: fc.array(rule, { minLength: 1, maxLength: 3 }).map((rules) =>
    rules.map((one, index) => ({
      ...one,
      conditions: (raw(one).conditions as Raw[]).map((each) => (each.prefix ? { prefix: `/rule-${index}${each.prefix}` } : each)),
    })),
  ) as fc.Arbitrary<JsonRecord[]>,
  route: (routes) => ({
    apiVersion: 'projectcontour.io/v1',
    kind: 'HTTPProxy',
    metadata: { name: 'shop', namespace: 'prod' },
    spec: { virtualhost: { fqdn: 'shop.example.org' }, routes },
  }),
  split: (canary, found, routes) => (inPlace.split(canary, found, routes) as Raw).routes,
  join: (canary, found) => (inPlace.joined(canary, found) as Raw | undefined)?.routes ?? raw(found).spec.routes,
  read: inPlace.read,
  answers(one) {
    const answering = raw(one).services.filter(({ mirror }: Raw) => !mirror);
    const isEven = answering.every(({ weight }: Raw) => !weight);
    return answering.map(({ name, port, weight = 0 }: Raw) => ({ service: `prod/${name}:${port}`, weight: isEven ? 1 : weight }));
  },
  conditions: 'conditions',
  can: { match: true, affinity: false, mirror: true },
};
