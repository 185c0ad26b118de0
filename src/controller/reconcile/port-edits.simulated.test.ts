import { describe, expect, it, vi } from 'vitest';
import { APP, aModelCanary, canaryRef, type ModelLab, NAMESPACE, targetRef } from '../../../test/fakes/model/lab.ts';
import { labOf } from '../../../test/fakes/model/life.ts';
import { deleteCanary } from '../../../test/fakes/model/released.ts';
import { routeTraffic } from '../../../test/fakes/model/route-traffic.ts';
import { type Raw, raw } from '../../../test/fakes/raw.ts';
import { INTRODUCED_FOR_MS } from '../../routers/introduction.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

interface Backend {
  service: string;
  port: number;
}
const kinds: Record<
  string,
  { provider: string; service?: object; lists?: { list: string; backends: string }; backendsIn(spec: Raw): Backend[] }
> = {
  HTTPRoute: {
    provider: 'gatewayapi:v1',
    lists: { list: 'rules', backends: 'backendRefs' },
    service: { gatewayRefs: [{ name: 'public', namespace: 'edge' }], hosts: ['shop.example.org'] },
    backendsIn: ({ rules }) => rules.flatMap(({ backendRefs }: Raw) => backendRefs.map(({ name, port }: Raw) => ({ service: name, port }))),
  },
  HTTPProxy: {
    provider: 'contour',
    lists: { list: 'routes', backends: 'services' },
    backendsIn: ({ routes }) => routes.flatMap(({ services }: Raw) => services.map(({ name, port }: Raw) => ({ service: name, port }))),
  },
  // It names ports only where a Service has several.
  VirtualService: {
    provider: 'istio',
    service: { portDiscovery: true, gateways: ['edge/public'], hosts: ['shop.example.org'] },
    backendsIn: ({ http }) =>
      http.flatMap(({ route }: Raw) => route.map(({ destination: { host, port } }: Raw) => ({ service: host, port: port.number }))),
  },
};
const serviceRef = (name: string) => ({ apiVersion: 'v1', kind: 'Service', name, namespace: NAMESPACE });
const SERVICES = [APP, `${APP}-primary`, `${APP}-canary`];
const portsOf = (lab: ModelLab, name: string): number[] | undefined =>
  raw(lab.server.find(serviceRef(name)))?.spec.ports.map(({ port }: Raw) => port);
const allPorts = (lab: ModelLab) => SERVICES.map((name) => portsOf(lab, name)?.toSorted((a, b) => a - b));

/** An idle Canary over a route that Serin has made. `dangling`: ports to which the route has led and that a Service did not have. */
async function idle(kind: string, hasService: boolean) {
  const { provider, service, backendsIn, lists } = kinds[kind] as (typeof kinds)[string];
  const { lab } = labOf({ seed: 7, provider: 'istio', delayMs: 2_000, plan: 0, hasService });
  await lab.application(hasService);
  const spec = { provider, service: { port: 80, targetPort: 'http', ...service } };
  lab.server.create(aModelCanary({ stepWeight: 25, maxWeight: 50, interval: '30s' }, spec));
  const dangling = new Set<string>();
  let led: Backend[] = [];
  lab.server.api.store.subscribe(({ object }: Raw) => {
    if (object.kind === kind) led = backendsIn(object.spec);
    if (!['Service', kind].includes(object.kind)) return;
    for (const one of led)
      if (portsOf(lab, one.service)?.includes(one.port) === false)
        dangling.add(`${lab.clock.monotonicMs()} ms: ${one.service}:${one.port}`);
  });
  // Istio's proxies know all Services.
  const traffic = lists && routeTraffic(lab, { kind, ...lists });
  lab.start();
  const isIdle = () => lab.phase() === 'Initialized' && raw(lab.server.find(targetRef))?.spec.replicas === 0;
  expect(await lab.passUntil(isIdle, 300_000)).toBe(true);
  await lab.pass(30_000);
  return {
    ...{ lab, dangling, lost: traffic?.lost ?? [] },
    leadsTo: () => [...new Set(led.map(({ port }) => port))],
    edit: (port: number) => lab.server.patch(canaryRef, { spec: { service: { port } } }),
  };
}

describe.each(Object.keys(kinds))('I17, DF868: service.port is edited over a %s that Serin has made', (kind) => {
  it('and each Service keeps the former port until the route leads to the next one, and no longer', async () => {
    const { lab, dangling, lost, leadsTo, edit } = await idle(kind, false);
    for (const port of [81, 82, 80]) {
      edit(port);
      expect(await lab.passUntil(() => leadsTo().includes(port), 30_000)).toBe(true);
      // Proxies learn of a route later than the API server.
      expect(allPorts(lab).every((ports) => ports?.length === 2)).toBe(true);
      await lab.pass(3 * INTRODUCED_FOR_MS + 3_000);
      expect([leadsTo(), allPorts(lab)]).toEqual([[port], [[port], [port], [port]]]);
    }
    const written = lab.writes.length;
    await lab.pass(300_000);
    expect(lab.writes.slice(written)).toEqual([]);
    expect([[...dangling], lost, lab.lost]).toEqual([[], [], []]);
  });

  it('and back, and a Service of the user’s has only its own ports again', async () => {
    const { lab, dangling, lost, leadsTo, edit } = await idle(kind, true);
    edit(81);
    await lab.pass(60_000);
    expect([leadsTo(), allPorts(lab)]).toEqual([[81], Array(3).fill([80, 81])]);
    edit(80);
    await lab.pass(60_000);
    expect([leadsTo(), allPorts(lab)]).toEqual([[80], Array(3).fill([80])]);
    expect([[...dangling], lost, lab.lost]).toEqual([[], [], []]);
    await deleteCanary(lab);
    expect(allPorts(lab)).toEqual([[80], undefined, undefined]);
  });
});

it('I17: a port that an edit of the Canary has added goes with the next edit, also after a restart, and a port of the user’s stays', async () => {
  const { lab, leadsTo, edit } = await idle('HTTPRoute', true);
  edit(81);
  await lab.pass(60_000);
  const live = raw(lab.server.find(serviceRef(APP)));
  lab.server.patch(serviceRef(APP), { spec: { ports: [...live.spec.ports, { name: 'admin', port: 90, targetPort: 9898 }] } });
  await lab.pass(60_000);
  lab.kill();
  edit(82);
  lab.start();
  await lab.pass(60_000);
  expect([leadsTo(), allPorts(lab)]).toEqual([[82], Array(3).fill([80, 82, 90])]);
});

it.each([
  { what: 'Serin has made', hasService: false },
  { what: 'its user has made', hasService: true },
])(
  'I17, DF868: service.port is edited in the middle of a release, over a Service that $what, and the release ends',
  async ({ hasService }) => {
    const { lab, dangling, lost, leadsTo, edit } = await idle('HTTPRoute', hasService);
    lab.push('2');
    expect(await lab.passUntil(() => raw(lab.canary())?.status?.canaryWeight === 25, 300_000)).toBe(true);
    edit(81);
    expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 900_000)).toBe(true);
    expect([leadsTo(), allPorts(lab)]).toEqual([[81], Array(3).fill(hasService ? [80, 81] : [81])]);
    expect([[...dangling], lost, lab.lost]).toEqual([[], [], []]);
  },
);
