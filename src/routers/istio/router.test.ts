import { describe, expect, it } from 'vitest';
import { aCanary, anApex, asMade, deepFreeze } from '../../../test/contracts/routers-cases.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { ownerAnnotation } from '../../api/names.ts';
import { allToPrimary, type Routes, weight } from '../../api/routes.ts';
import { originalConfig } from '../original-spec.ts';
import { istio } from './router.ts';

const virtualService = (http: object[], annotations?: Record<string, string>): KubeObject => ({
  apiVersion: 'networking.istio.io/v1beta1',
  kind: 'VirtualService',
  metadata: { name: 'shop', namespace: 'prod', annotations: annotations ?? { [ownerAnnotation]: 'c-1' } },
  spec: { hosts: ['shop'], http },
});
const to = (primary: number, canary: number) => [
  { destination: { host: 'shop-primary' }, weight: primary },
  { destination: { host: 'shop-canary' }, weight: canary },
];
const cookie = (regex: string) => [{ headers: { Cookie: { regex } } }];
const stickyCanary = { match: cookie('.*sh-canary.*QwErTyUiOp.*'), route: to(0, 100) };
const stickyPrimary = { match: cookie('.*sh-primary.*AsDfGhJkLz.*'), route: to(100, 0) };
const affinity = { sessionAffinity: { cookieName: 'sh-canary', primaryCookieName: 'sh-primary' } };

describe("Flagger's objects", () => {
  it.each([
    { what: 'weights', http: [{ route: to(70, 30) }], routes: { kind: 'weighted', canary: 30 } },
    {
      what: 'qualified hosts',
      http: [{ route: to(90, 10).map((r) => ({ ...r, destination: { host: `${r.destination.host}.prod.svc.cluster.local` } })) }],
      routes: { kind: 'weighted', canary: 10 },
    },
    {
      what: 'a mirror',
      http: [{ route: to(100, 0), mirror: { host: 'shop-canary' }, mirrorPercentage: { value: 10 } }],
      routes: { kind: 'mirrored', share: 10 },
    },
    {
      what: 'A/B, whose second route has weight 0',
      http: [
        { match: [{ headers: { x: { exact: 'y' } } }], route: to(0, 100) },
        { route: [{ destination: { host: 'shop-primary' }, weight: 0 }] },
      ],
      routes: { kind: 'matched', match: [{ headers: { x: { exact: 'y' } } }] },
    },
    {
      what: 'A/B within a service match',
      http: [
        { match: ['a', 'b'].map((user) => ({ uri: { prefix: '/api' }, headers: { x: { exact: user } } })), route: to(0, 100) },
        { match: [{ uri: { prefix: '/api' } }], route: [{ destination: { host: 'shop-primary' } }] },
      ],
      routes: { kind: 'matched', match: ['a', 'b'].map((user) => ({ headers: { x: { exact: user } } })) },
    },
    {
      what: 'both cookies',
      http: [stickyCanary, stickyPrimary, { route: to(70, 30) }],
      routes: { kind: 'weighted', canary: 30, affinity: { canary: 'sh-canary=QwErTyUiOp', primary: 'sh-primary=AsDfGhJkLz' } },
    },
    {
      what: 'a cookie to delete',
      http: [
        { ...stickyCanary, headers: { response: { add: { 'Set-Cookie': 'sh-canary=QwErTyUiOp; Max-Age=-1' } } }, route: to(100, 0) },
        { route: to(100, 0) },
      ],
      routes: { kind: 'weighted', canary: 0, affinity: { previous: 'sh-canary=QwErTyUiOp' } },
    },
    {
      what: 'a duplicate where no cookie is to delete',
      http: [{ route: to(100, 0) }, { route: to(100, 0) }],
      routes: { kind: 'weighted', canary: 0 },
    },
  ])('$what can be read', ({ http, routes }) => {
    expect(istio.readRoutes(aCanary({ analysis: affinity }), [virtualService(http)])).toEqual(routes);
  });

  it.each([
    { what: 'weights that do not sum to 100', http: [{ route: to(50, 30) }] },
    { what: 'fractions', http: [{ route: to(99.5, 0.5) }] },
    { what: 'a third host', http: [{ route: [...to(50, 30), { destination: { host: 'other' }, weight: 20 }] }] },
    { what: 'no canary', http: [{ route: [{ destination: { host: 'shop-primary' } }] }] },
    { what: 'a catch-all that claims to be A/B', http: [{ route: to(0, 100) }, { route: [{ destination: { host: 'shop-primary' } }] }] },
  ])('$what is unreadable, never a guess', ({ http }) => {
    expect(istio.readRoutes(aCanary(), [virtualService(http)])).toHaveProperty('unreadable');
  });
});

describe('a VirtualService found in place', () => {
  const own = virtualService([{ route: [{ destination: { host: 'shop' } }] }], {});
  const first = virtualService([{ route: to(100, 0) }], { [originalConfig]: JSON.stringify(own.spec) });

  it('the spec that is kept of one taken over whole before is repeated', () => {
    const second = istio.render(aCanary(), anApex, { kind: 'weighted', canary: weight(10) }, [first]).write.at(-1);
    expect(second?.metadata.annotations?.[originalConfig]).toBe(first.metadata.annotations?.[originalConfig]);
  });

  it("deletion restores every field; the user's last apply wins", () => {
    expect(istio.finalize(aCanary(), [first]).write[0]?.spec).toEqual(own.spec);
    const applied = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ spec: { hosts: ['newer'] } }) };
    const both = { ...first, metadata: { ...first.metadata, annotations: { ...first.metadata.annotations, ...applied } } };
    expect(istio.finalize(aCanary(), [both]).write[0]?.spec).toEqual({ hosts: ['newer'] });
  });

  it('a foreign edit of our object is not kept as an original that deletion would bring back', () => {
    const emptied = virtualService([], { 'serin.dev/canary-uid': 'c-1' });
    const annotations = istio.render(aCanary(), anApex, allToPrimary, [emptied]).write.at(-1)?.metadata.annotations;
    expect(annotations).not.toHaveProperty(originalConfig);
  });

  it('a restored VirtualService is not touched again', () => {
    const [restored] = istio.finalize(aCanary(), [first]).write;
    expect(istio.finalize(aCanary(), restored ? [restored] : [])).toEqual({ write: [], remove: [] });
  });

  it('an unreadable backup sends everything to the apex Service instead of failing', () => {
    const broken = virtualService([{ route: to(100, 0) }], { [originalConfig]: '{' });
    expect(raw(istio.finalize(aCanary(), [broken]).write[0])?.spec.http).toEqual([
      { route: [{ destination: { host: 'shop' }, weight: 100 }] },
    ]);
  });
});

describe('specs that Istio cannot route', () => {
  it.each([
    { what: 'delegation with gateways', spec: { service: { delegation: true, gateways: ['a/b'] } }, says: /service.gateways/ },
    {
      what: 'A/B over TCP',
      spec: { service: { appProtocol: 'tcp' }, analysis: { iterations: 2, match: [{ headers: { a: { exact: 'b' } } }] } },
      says: /tcp/,
    },
    { what: 'mirroring over TCP', spec: { service: { appProtocol: 'TCP' }, analysis: { mirror: true } }, says: /tcp/ },
    { what: 'an empty condition', spec: { analysis: { match: [{}] } }, says: /match\[0\]/ },
    {
      what: 'two conditions on one query parameter',
      spec: { service: { match: [{ queryParams: { a: { exact: 'b' } } }] }, analysis: { match: [{ queryParams: { a: { exact: 'c' } } }] } },
      says: /queryParams a/,
    },
  ])('$what is refused with the field named', ({ spec, says }) => {
    expect(istio.refuses?.(aCanary(spec))?.message).toMatch(says);
  });

  it('a condition that is refused does not keep traffic from the primary', () => {
    const canary = aCanary({ analysis: { match: [{}] } });
    expect(istio.render(canary, anApex, allToPrimary, []).write).toHaveLength(3);
  });
});

/** A proxy's handling of one request, by the rules in their order. */
type Rule = {
  match?: { headers?: Record<string, { regex?: string; exact?: string }> }[];
  route: { destination: { host: string }; weight: number; headers?: { response: { add: Record<string, string> } } }[];
  headers?: { response?: { add?: Record<string, string> } };
};
const rulesOf = (canary: Canary, routes: Routes, current: KubeObject[] = []): Rule[] =>
  raw(istio.render(canary, anApex, routes, current).write.at(-1))?.spec.http;
const attributes = { domain: 'example.org', path: '/', secure: true, partitioned: true, sameSite: 'None', httpOnly: true };
const sticky = (more: object = {}, service: object = {}) =>
  aCanary({ service, analysis: { sessionAffinity: { cookieName: 'sh-canary', ...more } } });

describe('session affinity', () => {
  it('the deleting cookie has the attributes of the cookie that was set, and reaches only its holders', () => {
    const set = rulesOf(sticky(attributes), { kind: 'weighted', canary: weight(30), affinity: { canary: 'sh-canary=Abc' } });
    const [deleting, rest, ...more] = rulesOf(sticky(attributes), {
      kind: 'weighted',
      canary: weight(0),
      affinity: { previous: 'sh-canary=Abc' },
    });
    const setText = set.at(-1)?.route[1]?.headers?.response.add['Set-Cookie'] ?? '';
    const deletes = deleting?.headers?.response?.add?.['Set-Cookie'] ?? '';
    expect(setText).toContain('; Domain=example.org; HttpOnly; Partitioned; Path=/; SameSite=None; Secure');
    expect(deletes).toBe(setText.replace('Max-Age=86400', 'Max-Age=-1'));
    expect(deleting?.match?.[0]?.headers?.Cookie?.regex).toContain('sh-canary=Abc');
    expect(JSON.stringify(rest)).not.toContain('Set-Cookie');
    expect(more).toEqual([]);
  });

  it('the primary has a rule and a cookie only where the release has made one, for one interval', () => {
    const both = { canary: 'sh-canary=Abc', primary: 'sh-primary=Def' };
    const rules = rulesOf(sticky({ primaryCookieName: 'sh-primary' }), { kind: 'weighted', canary: weight(30), affinity: both });
    expect(rules).toHaveLength(3);
    expect(rules[1]?.route.map(({ weight }) => weight)).toEqual([100, 0]);
    expect(rules[2]?.route[0]?.headers?.response.add['Set-Cookie']).toBe('sh-primary=Def; Max-Age=60');
    const alone = rulesOf(sticky(), { kind: 'weighted', canary: weight(30), affinity: { canary: 'sh-canary=Abc' } });
    expect(alone).toHaveLength(2);
    expect(alone[1]?.route[0]?.headers).toBeUndefined();
  });

  it("the cookie that deletes gets into no other rule and not into the Canary's own headers", () => {
    const service = { headers: { response: { add: { 'x-own': '1' } }, request: { set: { 'x-in': '2' } } } };
    const canary = deepFreeze(sticky({}, service));
    const [deleting, rest] = rulesOf(canary, { kind: 'weighted', canary: weight(0), affinity: { previous: 'sh-canary=Abc' } });
    expect(deleting?.headers).toEqual({
      request: { set: { 'x-in': '2' } },
      response: { add: { 'x-own': '1', 'Set-Cookie': 'sh-canary=Abc; Max-Age=-1' } },
    });
    expect(rest?.headers).toEqual(service.headers);
  });

  it('a Set-Cookie that the Canary adds itself stays beside the deleting one', () => {
    const own = { headers: { response: { add: { 'Set-Cookie': 'own=1' } } } };
    const [deleting] = rulesOf(sticky({}, own), { kind: 'weighted', canary: weight(0), affinity: { previous: 'sh-canary=Abc' } });
    expect(deleting?.headers).toEqual(own.headers);
    expect(deleting?.route[0]?.headers?.response.add['Set-Cookie']).toBe('sh-canary=Abc; Max-Age=-1');
  });

  it.each(['sh.canary', 'a+b', '(x)', 'c$'])('a cookie named %s is required literally, at the borders of a cookie', (cookieName) => {
    const [first] = rulesOf(sticky({ cookieName }), { kind: 'weighted', canary: weight(10), affinity: { canary: `${cookieName}=Abc` } });
    const holds = (header: string) => new RegExp(`^(?:${first?.match?.[0]?.headers?.Cookie?.regex})$`).test(header);
    expect([`${cookieName}=Abc`, `a=1; ${cookieName}=Abc; b=2`].map(holds)).toEqual([true, true]);
    expect(
      [`x${cookieName}=Abc`, `${cookieName}=Abcd`, `${cookieName.replace(/\W/, '_')}=Abc`, `a="${cookieName}=Abc"`].map(holds),
    ).toEqual(Array(4).fill(false));
  });

  it('with a service match and no primary cookie no rule requires an empty name', () => {
    const service = { match: [{ uri: { prefix: '/api' } }] };
    for (const affinity of [{ canary: 'sh-canary=Abc' }, { previous: 'sh-canary=Abc' }, {}]) {
      const canary = weight(affinity.canary === undefined ? 0 : 20);
      const rules = rulesOf(sticky({}, service), { kind: 'weighted', canary, affinity });
      expect(JSON.stringify(rules)).not.toMatch(/"\(\.\*; \?\)\?=|"=/);
      expect(rules).toHaveLength(Object.keys(affinity).length + 1);
    }
  });

  it('the cookie is required beside the headers of the service match, in each of its alternatives', () => {
    const service = {
      match: [{ headers: { 'x-tenant': { exact: 'a' } } }, { uri: { prefix: '/b' }, headers: { cookie: { regex: '.*x=1.*' } } }],
    };
    const [first] = rulesOf(sticky({}, service), { kind: 'weighted', canary: weight(20), affinity: { canary: 'sh-canary=Abc' } });
    const pattern = { regex: '(.*; ?)?sh-canary=Abc(;.*)?' };
    expect(first?.match).toEqual([
      { headers: { 'x-tenant': { exact: 'a' }, Cookie: pattern } },
      { uri: { prefix: '/b' }, headers: { cookie: { regex: '.*x=1.*' }, Cookie: pattern } },
    ]);
  });
});

describe('the match of the service', () => {
  it('all its forms are rendered', () => {
    const entry = {
      name: 'api',
      uri: { prefix: '/api' },
      scheme: { exact: 'https' },
      method: { regex: 'GET|HEAD' },
      authority: { suffix: '.example.org' },
      headers: { 'x-a': { prefix: 'b' } },
      withoutHeaders: { 'x-c': { suffix: 'd' } },
      queryParams: { q: { prefix: 'e' } },
      sourceLabels: { app: 'web' },
      sourceNamespace: 'shops',
      gateways: ['mesh'],
      port: 8080,
      ignoreUriCase: true,
    };
    const [rule] = rulesOf(aCanary({ service: { match: [entry] } }), allToPrimary);
    expect(rule?.match).toEqual([
      {
        ...entry,
        authority: { regex: '.*\\.example\\.org' },
        withoutHeaders: { 'x-c': { regex: '.*d' } },
        queryParams: { q: { regex: 'e.*' } },
      },
    ]);
  });

  describe('with several ports, and the mesh after a gateway (DF633)', () => {
    const ofPorts = (service: object, analysis: object = {}) =>
      rulesOf(aCanary({ service: { portDiscovery: true, gateways: ['a/b', 'mesh'], ...service }, analysis }), allToPrimary);
    const named = to(100, 0).map((side) => ({ ...side, destination: { ...side.destination, port: { number: 8080 } } }));

    it.each([
      { what: 'without a match', match: undefined, says: [{ gateways: ['a/b'] }, { gateways: ['mesh'], port: 8080 }] },
      {
        what: 'a path',
        match: [{ uri: { prefix: '/x' } }],
        says: [
          { uri: { prefix: '/x' }, gateways: ['a/b'] },
          { uri: { prefix: '/x' }, gateways: ['mesh'], port: 8080 },
        ],
      },
      { what: 'gateways of its own', match: [{ gateways: ['mesh'] }], says: [{ gateways: ['mesh'], port: 8080 }] },
      { what: 'a port of its own', match: [{ port: 9090 }], says: [{ port: 9090, gateways: ['a/b'] }] },
      { what: 'nothing that is routed', match: [{ port: 9090, gateways: ['mesh'] }], says: [{ port: 9090, gateways: ['mesh'] }] },
    ])('clients of the mesh are led to the named port only where they address it: $what', ({ match, says }) => {
      const [rule] = ofPorts(match ? { match } : {});
      expect(rule).toEqual({ match: says, route: named });
    });

    it('a Service with several ports needs a named port at its gateways, also where mesh comes first', () => {
      const severalPorts = { ...anApex, ports: [...anApex.ports, { name: 'admin', port: 9090, targetPort: 9090, protocol: 'TCP' }] };
      const canary = aCanary({ service: { gateways: ['mesh', 'a/b'] } });
      const { write } = istio.render(canary, severalPorts, allToPrimary, []);
      expect(raw(write.at(-1))?.spec).toMatchObject({
        gateways: ['mesh', 'a/b'],
        http: [{ match: [{ gateways: ['a/b'] }, { gateways: ['mesh'], port: 8080 }], route: named }],
      });
      const discovered = aCanary({ service: { gateways: ['mesh', 'a/b'], portDiscovery: true } });
      expect(raw(istio.render(discovered, severalPorts, allToPrimary, []).write.at(-1))?.spec.http).toEqual([{ route: to(100, 0) }]);
      const inMesh = istio.render(aCanary({ service: { gateways: ['mesh'] } }), severalPorts, allToPrimary, []);
      expect(raw(inMesh.write.at(-1))?.spec.http).toEqual([{ route: to(100, 0) }]);
    });

    it('a Service found in place with several ports counts as such as long as its route exists', () => {
      const severalPorts = { ...anApex, ports: [...anApex.ports, { name: 'admin', port: 9090, targetPort: 9090, protocol: 'TCP' }] };
      const canary = aCanary({ service: { gateways: ['a/b', 'mesh'] } });
      const write = istio.render(canary, severalPorts, allToPrimary, []).write.map(asMade);
      expect(raw(write.at(-1))?.spec.http).toEqual([{ match: [{ gateways: ['a/b'] }, { gateways: ['mesh'], port: 8080 }], route: named }]);
      expect(istio.readRoutes(canary, write)).toEqual(allToPrimary);
      // At deletion it is not known what the Service had.
      expect(istio.render(canary, anApex, allToPrimary, write).write.map(asMade)).toEqual(write);
      expect(raw(istio.finalize(canary, write).write[0])?.spec.http[0].route).toEqual([
        { destination: { host: 'shop', port: { number: 8080 } }, weight: 100 },
      ]);
      const matched: Routes = { kind: 'matched', match: [{ headers: { 'x-user': { exact: 'insider' } } }] };
      expect(istio.readRoutes(canary, istio.render(canary, severalPorts, matched, write).write.map(asMade))).toEqual(matched);
    });

    it.each([
      { what: 'labels of clients', service: { match: [{ sourceLabels: { app: 'x' } }] } },
      { what: 'the namespace of clients', service: { match: [{ sourceNamespace: 'x' }] } },
    ])('conditions name the port, and no gateway, beside $what', ({ service }) => {
      const [rule] = ofPorts(service);
      expect(rule).toEqual({ match: [{ ...service.match[0], port: 8080 }], route: named });
    });

    it('labels of clients in a condition of the release are those of clients of the mesh, at the port of the Canary', () => {
      const match = [{ sourceLabels: { app: 'x' } }, { headers: { 'x-user': { exact: 'insider' } } }];
      const canary = aCanary({ service: { portDiscovery: true, gateways: ['a/b', 'mesh'] }, analysis: { match } });
      expect(istio.refuses?.(canary)).toBeUndefined();
      const [segment, others] = rulesOf(canary, { kind: 'matched', match });
      expect(segment?.match).toEqual([
        { sourceLabels: { app: 'x' }, port: 8080 },
        { headers: { 'x-user': { exact: 'insider' } }, gateways: ['a/b'] },
        { headers: { 'x-user': { exact: 'insider' } }, gateways: ['mesh'], port: 8080 },
      ]);
      expect(others?.match).toEqual([{ gateways: ['a/b'] }, { gateways: ['mesh'], port: 8080 }]);
      const write = istio.render(canary, anApex, { kind: 'matched', match }, []).write.map(asMade);
      expect(istio.readRoutes(canary, write)).toEqual({ kind: 'matched', match });
    });

    const noRules = { match: undefined };
    it.each([
      { what: 'TCP', service: { appProtocol: 'tcp' }, rules: { tcp: [noRules] } },
      { what: 'TCP at a port', service: { appProtocol: 'tcp', match: [{ port: 8080 }] }, rules: { tcp: [{ match: [{ port: 8080 }] }] } },
      {
        what: 'labels of clients',
        service: { match: [{ sourceLabels: { app: 'x' } }] },
        rules: { http: [{ match: [{ sourceLabels: { app: 'x' } }] }] },
      },
      {
        what: 'labels of clients in a condition of the release',
        analysis: { match: [{ sourceLabels: { app: 'x' } }] },
        rules: { http: [noRules] },
      },
    ])('I8: a VirtualService with $what, of a version that did not part the gateways, stays so until a release begins', (row) => {
      const { service, analysis, rules } = row as { service?: object; analysis?: object; rules: Record<string, { match?: object[] }[]> };
      const canary = aCanary({ service: { portDiscovery: true, gateways: ['a/b', 'mesh'], ...service }, ...(analysis && { analysis }) });
      const inStep = (step: string) => ({ ...canary, status: { ...canary.status, release: { step } } }) as Canary;
      const written = (of: Canary, current: KubeObject[]) => raw(istio.render(of, anApex, allToPrimary, current).write.at(-1));
      const parted = written(canary, []);
      const [kind = ''] = Object.keys(rules);
      const standing = structuredClone(parted);
      for (const [index, rule] of standing.spec[kind].entries()) {
        delete rule.match;
        const match = rules[kind]?.[index]?.match;
        if (match) rule.match = match;
      }
      expect(standing.spec).not.toEqual(parted.spec);
      expect(written(inStep('resting'), [asMade(standing)]).spec).toEqual(standing.spec);
      expect(istio.readRoutes(inStep('resting'), [asMade(standing)])).toEqual(allToPrimary);
      expect(written(inStep('analysing'), [asMade(standing)]).spec).toEqual(parted.spec);
      // An object that another writer has changed is written in the current form.
      const changed = {
        ...standing,
        spec: { ...standing.spec, hosts: ['shop'], [kind]: [{ route: [{ destination: { host: 'shop' } }] }] },
      };
      expect(written(inStep('resting'), [asMade(changed)]).spec).toEqual(parted.spec);
    });

    it('connections of the mesh at other ports also stay with the Service', () => {
      const ports = (match?: object[]) =>
        raw(
          istio
            .render(
              aCanary({ service: { appProtocol: 'tcp', portDiscovery: true, gateways: ['a/b', 'mesh'], ...(match && { match }) } }),
              anApex,
              allToPrimary,
              [],
            )
            .write.at(-1),
        )?.spec.tcp[0].match;
      expect(ports()).toEqual([{ gateways: ['a/b'] }, { gateways: ['mesh'], port: 8080 }]);
      expect(ports([{ port: 5432 }])).toEqual([{ port: 5432, gateways: ['a/b'] }]);
    });
  });

  it('DF634: labels of clients are refused beside gateways, for Istio would send every client to the canary', () => {
    const match = [{ sourceLabels: { app: 'x' } }];
    const canary = aCanary({ service: { match: [{ gateways: ['mesh'] }] }, analysis: { match } });
    expect(istio.refuses?.(canary)).toMatchObject({ field: 'spec.analysis.match[0].sourceLabels' });
    expect(() => istio.render(canary, anApex, { kind: 'matched', match }, [])).toThrow('every client');
    expect(istio.render(canary, anApex, allToPrimary, []).write).toHaveLength(3);
    expect(istio.refuses?.(aCanary({ analysis: { match } }))).toBeUndefined();
  });

  it('a suffix of the path keeps its disregard of upper and lower case', () => {
    const match = [{ uri: { suffix: '.HTML' }, ignoreUriCase: true }];
    const [rule] = rulesOf(aCanary({ service: { match } }), allToPrimary);
    expect(rule?.match).toEqual([{ uri: { regex: '(?i:.*\\.HTML)' }, ignoreUriCase: true }]);
  });

  it('an empty field of the Canary is not written, so that dropping it is not drift', () => {
    const empty = {
      match: [],
      hosts: [],
      gateways: [],
      headers: { request: { add: {} } },
      retries: {},
      rewrite: {},
      corsPolicy: { allowMethods: [] },
    };
    const [empties, clean] = [empty, {}].map((service) => istio.render(aCanary({ service }), anApex, allToPrimary, []).write);
    expect(empties).toEqual(clean);
    const kept = rulesOf(aCanary({ service: { headers: { request: { set: { 'x-a': '' } } } } }), allToPrimary);
    expect(kept[0]?.headers).toEqual({ request: { set: { 'x-a': '' } } });
  });
});

describe('TCP', () => {
  const tcp = (service: object = {}) => aCanary({ service: { appProtocol: 'tcp', ...service } });

  it('has weights on the ports of the service match, and HTTP has no weights', () => {
    const service = { match: [{ port: 5432, uri: { prefix: '/' } }, { uri: { prefix: '/' } }] };
    const spec = istio.render(tcp(service), anApex, { kind: 'weighted', canary: weight(40) }, []).write.at(-1)?.spec;
    expect(spec).toEqual({ gateways: ['mesh'], hosts: ['shop'], tcp: [{ match: [{ port: 5432 }], route: to(60, 40) }] });
  });

  it('a release that an edit turns into a TCP release can go back, with any cookies', () => {
    const routes: Routes = { kind: 'weighted', canary: weight(0), affinity: { previous: 'sh-canary=Abc' } };
    expect(raw(istio.render(tcp(), anApex, routes, []).write.at(-1))?.spec.tcp).toEqual([{ route: to(100, 0) }]);
  });

  it('deletion leaves all of it with the apex Service', () => {
    const write = istio.render(tcp(), anApex, allToPrimary, []).write.map(asMade);
    expect(raw(istio.finalize(tcp(), write).write[0])?.spec.tcp).toEqual([{ route: [{ destination: { host: 'shop' }, weight: 100 }] }]);
  });
});

describe('mirroring', () => {
  it.each([
    { share: 100, says: undefined },
    { share: 10, says: { value: 10 } },
    { share: 0, says: { value: 0 } },
  ])('a copy of $share percent goes to the canary, whose answers are dropped', ({ share, says }) => {
    const [rule, ...more] = rulesOf(aCanary(), { kind: 'mirrored', share: weight(share) }) as (Rule & Record<string, unknown>)[];
    expect(rule).toEqual({ mirror: { host: 'shop-canary' }, ...(says ? { mirrorPercentage: says } : {}), route: to(100, 0) });
    expect(more).toEqual([]);
  });

  it('holders of a cookie of an earlier release have no rule while requests are copied', () => {
    const rules = rulesOf(sticky(), { kind: 'mirrored', share: weight(100) });
    expect(rules).toHaveLength(1);
    expect(JSON.stringify(rules)).not.toContain('Cookie');
  });
});

it.each([
  { spec: { hosts: ['shop'] }, fate: 'goes' },
  { spec: { hosts: ['shop.prod', 'shop.prod.svc', 'shop.prod.svc.cluster.local'], gateways: ['mesh'] }, fate: 'goes' },
  { spec: { hosts: ['shop', 'shop.example.org'] }, fate: 'stays' },
  { spec: { hosts: ['shop.prod.svcs'] }, fate: 'stays' },
  { spec: { hosts: [] }, fate: 'stays' },
  { spec: {}, fate: 'stays' },
  { spec: { hosts: ['shop'], gateways: ['mesh', 'edge/public'] }, fate: 'stays' },
  { spec: { hosts: ['shop'], gateways: [] }, fate: 'stays' },
])('I7: a VirtualService of $spec $fate with its Canary', ({ spec, fate }) => {
  expect(istio.afterDeletion(aCanary(), { ...virtualService([]), spec })).toBe(fate);
});
