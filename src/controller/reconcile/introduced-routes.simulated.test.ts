import { describe, expect, it, vi } from 'vitest';
import { APP, aModelCanary, canaryRef, type ModelLab, NAMESPACE, targetRef } from '../../../test/fakes/model/lab.ts';
import { labOf } from '../../../test/fakes/model/life.ts';
import { routeTraffic } from '../../../test/fakes/model/route-traffic.ts';
import { eventsOf } from '../../../test/fakes/model/uninstalling.ts';
import { type Raw, raw } from '../../../test/fakes/raw.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { defined } from '../../base/defined.ts';
import { INTRODUCED_FOR_MS, isIntroduction } from '../../routers/introduction.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

interface Destination {
  name: string;
  port: number;
  weight?: number;
}
interface IntroducedKind {
  spec: object;
  apiVersion: string;
  list: string;
  backends: string;
  /** Each destination is a rule. */
  route(host: string, ...to: Destination[]): Raw;
}

const parentRefs = [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'public', namespace: 'edge' }];
const kinds = {
  HTTPRoute: {
    spec: { provider: 'gatewayapi:v1' },
    ...{ apiVersion: 'gateway.networking.k8s.io/v1', list: 'rules', backends: 'backendRefs' },
    route: (host, ...to) => ({
      ...{ parentRefs, hostnames: [host] },
      rules: to.map((one) => ({
        matches: [{ path: { type: 'PathPrefix', value: `/${one.name}/${one.port}` } }],
        backendRefs: [{ group: '', kind: 'Service', weight: 1, ...one }],
      })),
    }),
  },
  HTTPProxy: {
    spec: { provider: 'contour' },
    ...{ apiVersion: 'projectcontour.io/v1', list: 'routes', backends: 'services' },
    route: (host, ...to) => ({
      virtualhost: { fqdn: host },
      routes: to.map((one) => ({ conditions: [{ prefix: `/${one.name}/${one.port}` }], services: [one] })),
    }),
  },
} satisfies Record<string, IntroducedKind>;

const to = (name: string, port = 80): Destination => ({ name, port });
const isInitialized = (lab: ModelLab) => lab.phase() === 'Initialized' && raw(lab.server.find(targetRef))?.spec.replicas === 0;

/** A Canary with routes of its user's, each at the proxy of its own Gateway, which learns of a Service half a second after the route names it. */
async function arrived(kind: keyof typeof kinds, routes: Record<string, Raw>, listed: readonly string[], learnsAfterMs?: number) {
  const each: IntroducedKind = kinds[kind];
  const { apiVersion } = each;
  const { lab } = labOf({ seed: 7, provider: 'istio', delayMs: 2_000, plan: 0, hasService: true });
  await lab.application(true);
  const refsOf = (names: readonly string[]) => ({ routeRefs: names.map((name) => ({ apiVersion, kind, name })) });
  const refOf = (name: string): ObjectRef => ({ apiVersion, kind, name, namespace: NAMESPACE });
  const { lost, states, asUser } = routeTraffic(lab, { kind, list: each.list, backends: each.backends, ...defined({ learnsAfterMs }) });
  const rulesOf = (object: KubeObject | undefined): Raw[] => raw(object)?.spec[each.list] ?? [];
  const weightsOf = (all: readonly Destination[]) => Object.fromEntries(all.map((one) => [`${one.name}:${one.port}`, one.weight]));
  const backendsOf = (rule: Raw): Destination[] => rule[each.backends];
  const create = (name: string, spec: Raw) =>
    asUser(() =>
      lab.server.create({ apiVersion, kind, metadata: { name, namespace: NAMESPACE }, spec: structuredClone(spec) } as KubeObject),
    );
  for (const [name, spec] of Object.entries(routes)) create(name, spec);
  lab.server.create(
    aModelCanary(
      { stepWeight: 25, maxWeight: 50, interval: '30s' },
      { ...each.spec, service: { port: 80, targetPort: 'http' }, ...refsOf(listed) },
    ),
  );
  await lab.pass(5_000);
  lab.start();
  expect(await lab.passUntil(() => isInitialized(lab), 300_000)).toBe(true);
  await lab.pass(30_000);
  expect(lost).toEqual([]);
  return {
    ...{ lab, lost, states, create },
    list: (...names: string[]) => lab.server.patch(canaryRef, { spec: refsOf(names) }),
    edit: (name: string, spec: Raw) => asUser(() => lab.server.patch(refOf(name), { spec: structuredClone(spec) })),
    /** Requests that are lost by this write count. */
    putBack: (name: string, spec: Raw) => lab.server.patch(refOf(name), { spec: structuredClone(spec) }),
    spec: (name: string): Raw => raw(lab.server.find(refOf(name)))?.spec,
    /** The destinations of each rule that requests match, with their weights. */
    leads: (name: string) =>
      rulesOf(lab.server.find(refOf(name)))
        .filter((rule) => !isIntroduction(rule))
        .map((rule) => weightsOf(backendsOf(rule))),
  };
}

const split = (percent: number, port = 80) => ({
  ...{ [`${APP}-primary:${port}`]: 100 - percent, [`${APP}-canary:${port}`]: percent },
  [`${APP}:${port}`]: 0,
});

describe.each(['HTTPRoute', 'HTTPProxy'] as const)('DF650: proxies know a Service before a %s of the user’s leads to it', (kind) => {
  const { route } = kinds[kind] as IntroducedKind;
  const first = route('first.example.org', to(APP));

  it('where the route is listed later, and where it is listed no more', async () => {
    const later = route('later.example.org', to('static'), to(APP));
    const { lab, lost, list, leads, spec } = await arrived(kind, { first, later }, ['first']);
    list('first', 'later');
    expect(await lab.passUntil(() => leads('later')[1]?.[`${APP}-primary:80`] === 100, 60_000)).toBe(true);
    await lab.pass(30_000);
    expect(leads('later')[1]).toEqual(split(0));
    expect(JSON.stringify(spec('later'))).not.toContain('x-serin-introduction');
    list('first');
    expect(await lab.passUntil(() => leads('later')[1]?.[`${APP}-primary:80`] === undefined, 60_000)).toBe(true);
    await lab.pass(30_000);
    expect(spec('later')).toEqual(later);
    list('first', 'later');
    expect(await lab.passUntil(() => leads('later')[1]?.[`${APP}-primary:80`] === 100, 60_000)).toBe(true);
    expect(lost).toEqual([]);
  });

  it('where the route is made later', async () => {
    const { lab, lost, create, leads } = await arrived(kind, { first }, ['first', 'later']);
    create('later', route('later.example.org', to(APP)));
    expect(await lab.passUntil(() => leads('later')[0]?.[`${APP}-primary:80`] === 100, 60_000)).toBe(true);
    expect(lost).toEqual([]);
  });

  it.each([
    { what: 'a listed route that led elsewhere', before: [to('static')], after: [to('static'), to(APP)], port: 80 },
    { what: 'a route, and it leads to another port', before: [to('static'), to(APP)], after: [to('static'), to(APP, 9090)], port: 9090 },
  ])('where its user edits $what', async ({ before, after, port }) => {
    const { lab, lost, list, edit, leads } = await arrived(kind, { first, later: route('later.example.org', ...before) }, ['first']);
    list('first', 'later');
    await lab.pass(60_000);
    edit('later', route('later.example.org', ...after));
    expect(await lab.passUntil(() => leads('later')[1]?.[`${APP}-primary:${port}`] === 100, 60_000)).toBe(true);
    expect(lost).toEqual([]);
  });

  it('where its user leads a route elsewhere, and to the application again', async () => {
    const [elsewhere, back] = [route('later.example.org', to('static')), route('later.example.org', to(APP))];
    const { lab, lost, edit, leads } = await arrived(kind, { first, later: back }, ['first', 'later']);
    edit('later', elsewhere);
    await lab.pass(30_000);
    edit('later', back);
    expect(await lab.passUntil(() => leads('later')[0]?.[`${APP}-primary:80`] === 100, 60_000)).toBe(true);
    expect(lost).toEqual([]);
  });

  it('in the middle of a release, which goes on when the route has its weight', async () => {
    const { lab, lost, list, leads } = await arrived(kind, { first, later: route('later.example.org', to(APP)) }, ['first']);
    lab.push('2');
    expect(await lab.passUntil(() => leads('first')[0]?.[`${APP}-canary:80`] === 25, 300_000)).toBe(true);
    list('first', 'later');
    expect(await lab.passUntil(() => (leads('later')[0]?.[`${APP}-canary:80`] ?? 0) > 0, 60_000)).toBe(true);
    expect(leads('later')).toEqual(leads('first'));
    expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 900_000)).toBe(true);
    expect(lost).toEqual([]);
  });

  it.each([
    { what: 'where the Canary is idle', percent: 0 },
    { what: 'in the middle of a release', percent: 25 },
  ])('and where a tool puts the manifest back, again and again, $what', async ({ percent }) => {
    const { lab, lost, putBack, leads, states } = await arrived(kind, { first }, ['first']);
    if (percent > 0) lab.push('2');
    expect(await lab.passUntil(() => leads('first')[0]?.[`${APP}-canary:80`] === percent, 300_000)).toBe(true);
    await lab.pass(10_000);
    const corrected: number[] = [];
    for (let time = 0; time < 5; time += 1) {
      states.length = 0;
      putBack('first', first);
      const fromMs = lab.clock.monotonicMs();
      expect(await lab.passUntil(() => leads('first')[0]?.[`${APP}-primary:80`] === 100 - percent, 60_000)).toBe(true);
      corrected.push(lab.clock.monotonicMs() - fromMs);
      // The manifest, the announcement, and the split.
      expect(new Set(states).size, states.join('\n')).toBe(3);
    }
    expect(leads('first')[0]).toEqual(split(percent));
    expect(lost).toEqual([]);
    // The brake counts the announcement and the split as one correction, and delays the split by no pause of its own.
    const [firstMs = 0] = corrected;
    expect(firstMs).toBeLessThanOrEqual(INTRODUCED_FOR_MS + 1_000);
    expect(corrected.at(-1)).toBeGreaterThan(7_000);
    expect(corrected.at(-1)).toBeLessThanOrEqual(8_000 + INTRODUCED_FOR_MS);
    expect(eventsOf(lab, 'DriftCorrected')).toEqual([
      expect.stringMatching(/ was changed by .*: Serin splits the application in it again, and keeps all else; set spec.suspend: true/),
    ]);
  });

  it.each([1, 2, 3])('and where a tool puts the manifest back while its correction is announced, %d times', async (times) => {
    const { lab, lost, putBack, leads, states } = await arrived(kind, { first }, ['first']);
    states.length = 0;
    putBack('first', first);
    for (let time = 0; time < times; time += 1) {
      const before = states.length;
      expect(await lab.passUntil(() => states.length > before, 60_000)).toBe(true);
      await lab.pass(INTRODUCED_FOR_MS / 2);
      putBack('first', first);
    }
    expect(await lab.passUntil(() => leads('first')[0]?.[`${APP}-primary:80`] === 100, 60_000)).toBe(true);
    expect(lost, states.join('\n')).toEqual([]);
  });

  it('and where a leader follows that did not announce the correction itself, and finds the announcement', async () => {
    const { lab, lost, putBack, leads, spec } = await arrived(kind, { first }, ['first'], INTRODUCED_FOR_MS - 100);
    putBack('first', first);
    const rulesOf = (): Raw[] => spec('first')[(kinds[kind] as IntroducedKind).list];
    for (let ms = 0; ms < 10_000 && !rulesOf().some(isIntroduction); ms += 5) await lab.pass(5);
    expect(rulesOf().some(isIntroduction)).toBe(true);
    lab.kill();
    lab.start();
    expect(await lab.passUntil(() => leads('first')[0]?.[`${APP}-primary:80`] === 100, 60_000)).toBe(true);
    await lab.pass(30_000);
    expect([lost, leads('first')]).toEqual([[], [split(0)]]);
  });

  it('but all traffic leaves the canary at once, where its user edits the route at that moment', async () => {
    const { lab, edit, leads } = await arrived(kind, { first }, ['first']);
    lab.push('2');
    expect(await lab.passUntil(() => leads('first')[0]?.[`${APP}-canary:80`] === 25, 300_000)).toBe(true);
    await lab.pass(10_000);
    const [own = {}] = first[kinds[kind].list];
    const [added] = route('first.example.org', to(APP, 9090))[kinds[kind].list];
    const shared = {
      ...own,
      [kinds[kind].backends]: [
        { ...to(`${APP}-primary`), weight: 75 },
        { ...to(`${APP}-canary`), weight: 25 },
      ],
    };
    lab.push('1');
    edit('first', { ...first, [kinds[kind].list]: [shared, added] });
    expect(await lab.passUntil(() => JSON.stringify(leads('first')[0]) === JSON.stringify(split(0)), INTRODUCED_FOR_MS - 1)).toBe(true);
    expect(await lab.passUntil(() => leads('first')[1]?.[`${APP}-primary:9090`] === 100, 60_000)).toBe(true);
  });
});
