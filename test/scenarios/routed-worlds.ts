import { describe, expect, it } from 'vitest';
import { specOf } from '../../src/api/kinds/spec-of.ts';
import { type KubeObject, refOf } from '../../src/api/kube-object.ts';
import { arrivingByRoutes } from '../application/arrival/routes/routed-objects.ts';
import { describeRoutedWorld, type RoutedWorld, routedWorldOf } from '../application/arrival/routes/routed-world.ts';
import { type Asked, type RouteKind, readers } from '../application/arrival/routes/users-route.ts';
import { type Raw, raw } from '../fakes/raw.ts';
import { programOrBroken, startController } from './controller.ts';
import type { Environment } from './environment.ts';
import { eventually } from './eventually.ts';
import { askAt, type Expected } from './route-rows.ts';
import { isOfApplication, seenIn, sharesOf, unlikeIn } from './routed-answers.ts';
import { namespacesFor } from './shares/split-app.ts';
import type { UnwrittenKind } from './unwritten-routes.ts';

/** URL for users of these routes. */
export interface Edge {
  kind: RouteKind;
  url(asked: Asked): string;
  /** The Gateway that its routes name. */
  gateway?: { namespace: string; name: string };
  /** Its worlds tell requests apart by ports: makes a Gateway that opens these. */
  opens?(name: string, ports: readonly number[]): KubeObject;
  /** Its users write another kind, which says the same as the HTTPProxies of its worlds. */
  as?: UnwrittenKind;
}

const APP = 'shop';
const CANARY = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: APP };
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment', name: APP };
/** Number of tries for requests that a single Service answers, and for requests that several Services answer. */
const TRIES = { alone: 2, shared: 60 };
/** Of the gateway, of a world whose rules know nothing of HTTP. */
const PORTS = 30;

/** `WORLD_SEED=720001` plays worlds from this seed on. */
const first = Number(process.env.WORLD_SEED ?? 720_001);

/** Worlds that the data plane can play: Serin and the tools leave it in peace. */
export function realWorldsOf({ kind, opens, as }: Pick<Edge, 'kind' | 'opens' | 'as'>, count: number): RoutedWorld[] {
  const found: RoutedWorld[] = [];
  for (let seed = first; found.length < count; seed += 1) {
    const { second: _, ...world } = routedWorldOf(seed);
    const isSaid = as === undefined || (as.cohorts.includes(world.cohort) && leadsFirst(world));
    if (world.kind === kind && world.isTcp === (opens && true) && isSaid)
      found.push({ ...world, writes: [], ending: 'success', killedAfterMs: undefined });
  }
  return found;
}

/** By its first route users come to the application. */
const leadsFirst = ({ routes: [first] }: RoutedWorld): boolean =>
  first?.rules.some(({ to, header }) => to !== 'redirect' && to[0]?.service === APP && to[0].port === 80 && header === undefined) ?? false;

/** I17 with requests: before a Canary, beside it, during a release and after it. */
export function playRoutedWorlds(environmentOf: () => Environment, edge: Edge, count: number): void {
  const worlds = realWorldsOf(edge, count).map((world) => ({ seed: world.seed, world }));
  describe.concurrent(`worlds of ${edge.as?.name ?? edge.kind}s${edge.opens ? ' for TCP' : ''}`, () => {
    it.each(worlds)('I17: each request to a route of world $seed is answered as before', async ({ world }) => {
      const played = new PlayedWorld(environmentOf(), edge, world);
      await played.play();
    });
  });
}

class PlayedWorld {
  readonly #environment: Environment;
  readonly #edge: Edge;
  readonly #world: RoutedWorld;
  readonly #namespace: string;
  readonly #gateways: readonly KubeObject[];
  /** As the worlds know them. */
  readonly #routes: readonly KubeObject[];
  /** As the user has applied them. */
  readonly #written: readonly KubeObject[];
  readonly #canary: KubeObject;
  readonly #asked: readonly Asked[];

  constructor(environment: Environment, edge: Edge, world: RoutedWorld) {
    this.#environment = environment;
    this.#edge = edge;
    this.#world = world;
    this.#namespace = `world-${world.seed}`;
    const { routes, canary } = arrivingByRoutes(world);
    const opened = edge.opens?.(this.#namespace, portsOf(world));
    this.#gateways = opened ? [opened] : [];
    const gateway = opened ? { namespace: opened.metadata.namespace ?? '', name: opened.metadata.name } : edge.gateway;
    const here = <T extends object>(object: T): T => moved(object, this.#namespace, gateway, portsOf(world)[0]);
    const { as } = edge;
    this.#routes = (routes?.declared ?? []).map(here).map((route) => as?.saidOf(route) ?? route);
    this.#written = as ? this.#routes.flatMap((route, index) => as.written(route, index === 0)) : this.#routes;
    const { routeRefs, ...spec } = raw(canary).spec;
    const entry = as ? { provider: as.provider, ...as.specOf(this.#routes[0]?.metadata.name ?? '') } : { ...(routeRefs && { routeRefs }) };
    this.#canary = here({ ...canary, spec: { ...spec, ...entry, analysis: quick(spec.analysis) } });
    const reader = readers[edge.kind];
    const groups = [{}, ...(routes?.headers ?? [])];
    const asked = this.#routes.flatMap((route) => reader.askedOf(route));
    const all = asked.flatMap((one) => groups.map((headers) => ({ ...one, headers: { ...one.headers, ...headers } })));
    this.#asked = [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
  }

  async play(): Promise<void> {
    const { cluster } = this.#environment;
    await this.#apply();
    await eventually(
      `${describeRoutedWorld(this.#world)}\nis answered as its routes say`,
      () => this.#unlike('before the Canary'),
      (unlike) => unlike.length === 0,
    );
    const before = await this.#specs();
    const controller = startController(this.#environment, { namespace: this.#namespace }, undefined, programOrBroken());
    try {
      await cluster.create(this.#canary);
      const phase = await this.#arrived();
      await this.#holds('beside the Canary');
      if (phase === 'Initialized') await this.#release();
      await cluster.delete({ ...CANARY, namespace: this.#namespace });
      for (const ref of [CANARY, { ...DEPLOYMENT, name: `${APP}-primary` }])
        await this.#asking(
          'during a deletion',
          () => cluster.get({ ...ref, namespace: this.#namespace }),
          (left) => left === undefined,
        );
      await this.#holds('after the Canary');
      expect(await this.#specs()).toEqual(before);
    } finally {
      await controller.stop();
    }
  }

  async #apply(): Promise<void> {
    const { cluster } = this.#environment;
    await namespacesFor(cluster, [this.#namespace, awayOf(this.#namespace)]);
    for (const object of [...application(this.#namespace, this.#world), ...this.#gateways, ...this.#written])
      await cluster.apply(object, { fieldManager: 'user' });
  }

  /** A Canary that the gate refuses writes nothing. */
  async #arrived(): Promise<string> {
    const isRefused = (now: KubeObject | undefined) =>
      (raw(now)?.status?.conditions ?? []).some(({ type, status }: Raw) => type === 'Accepted' && status === 'False');
    const isIn = (now: KubeObject | undefined) => raw(now)?.status?.phase === 'Initialized' && raw(now).status.release?.step === 'resting';
    const now = await this.#asking(
      'during an arrival',
      () => this.#environment.cluster.get({ ...CANARY, namespace: this.#namespace }),
      (one) => isIn(one) || isRefused(one),
    );
    return isRefused(now) ? 'refused' : 'Initialized';
  }

  async #release(): Promise<void> {
    const { cluster } = this.#environment;
    const template = { spec: { containers: [containerOf(this.#world, '2')] } };
    await cluster.patch({ ...DEPLOYMENT, namespace: this.#namespace }, { spec: { template } });
    const ref = { ...CANARY, namespace: this.#namespace };
    const versions = new Set<string>();
    await this.#asking(
      'during a release',
      async () => raw(await cluster.get(ref))?.status,
      (status) => status?.phase === 'Succeeded' && status.release?.step === 'resting',
      versions,
    );
    await this.#holds('after a promotion');
    expect(versions).toContain('2');
  }

  /** Until it is so each request is sent over and over again, and answered as before. */
  #asking<T>(moment: string, look: () => Promise<T>, isSo: (now: T) => boolean, versions?: Set<string>): Promise<T> {
    const looked = async () => {
      expect(await this.#unlike(moment, 1, versions)).toEqual([]);
      return look();
    };
    return eventually(`${describeRoutedWorld(this.#world)}\n${moment}`, looked, isSo);
  }

  async #holds(moment: string): Promise<void> {
    expect(await this.#unlike(moment), describeRoutedWorld(this.#world)).toEqual([]);
  }

  /** Requests with another answer than the user's routes define. `versions` are the versions of the application that answered. */
  async #unlike(moment: string, most = Number.POSITIVE_INFINITY, versions = new Set<string>()): Promise<string[]> {
    const all = await Promise.all(
      this.#asked.map(async (asked) => {
        const expected = sharesOf(readers[this.#edge.kind].answer(this.#aged(), asked));
        const tries = Math.min(most, expected.size > 1 ? TRIES.shared : TRIES.alone);
        const got = new Map<string, number>();
        for (let index = 0; index < tries; index += 1) {
          const answer = await this.#ask(asked);
          if (answer.status === 200 && isOfApplication(answer)) versions.add(answer.version);
          const seen = seenIn(answer);
          got.set(seen, (got.get(seen) ?? 0) + 1);
        }
        const where = `${moment}, ${asked.host}${asked.path} ${JSON.stringify(asked.headers)}`;
        return unlikeIn(expected, got, tries).map((what) => `${where}: ${what}`);
      }),
    );
    return all.flat();
  }

  /** Routes in the order in which they were applied. */
  #aged(): KubeObject[] {
    return this.#routes.map((route, index) => ({ ...route, metadata: { ...route.metadata, creationTimestamp: `2026-01-0${index + 1}` } }));
  }

  /** Status 0: no answer, as of a proxy that listens nowhere before its first route. */
  #ask(asked: Asked): Promise<Required<Expected>> {
    const none: Required<Expected> = { status: 0, version: '1', path: '', port: 0, received: {}, answered: {} };
    const { host, path, headers } = asked;
    return askAt(this.#edge.url(asked), { host, ...headers }, { path }).catch(() => none);
  }

  async #specs(): Promise<unknown[]> {
    const found = await Promise.all(this.#written.map((object) => this.#environment.cluster.get(refOf(object))));
    return found.map((route) => specOf(route));
  }
}

const awayOf = (namespace: string): string => `${namespace}-away`;

/** The same object in a namespace of its own, with hosts of its own, behind the Gateway of the data plane, and with a filter that it has. */
function moved<T extends object>(object: T, namespace: string, gateway: Edge['gateway'], firstPort = 0): T {
  // In place of its name while namespaces are replaced.
  const place = '"the Gateway of the data plane"';
  const text = JSON.stringify(object)
    .replaceAll('{"name":"public","namespace":"edge","sectionName":"https"}', place)
    .replaceAll('{"name":"public","namespace":"edge"}', place)
    .replaceAll('"edge/public"', `"${gateway?.namespace}/${gateway?.name}"`)
    .replaceAll('"namespace":"test"', `"namespace":"${namespace}"`)
    .replaceAll('"namespace":"edge"', `"namespace":"${awayOf(namespace)}"`)
    .replaceAll(place, JSON.stringify(gateway))
    // A busy machine does not answer within the 3 s of the world.
    .replaceAll('"3s"', '"60s"')
    .replaceAll('.test.svc.', `.${namespace}.svc.`)
    .replaceAll('.example.org"', `.${namespace}.example.org"`)
    .replaceAll(/"port":50(\d\d)(?=[,}])/g, (_, index) => `"port":${firstPort + Number(index)}`)
    .replaceAll(
      '{"type":"ExtensionRef","extensionRef":{"group":"example.org","kind":"Auth","name":"staff"}}',
      '{"type":"RequestHeaderModifier","requestHeaderModifier":{"set":[{"name":"x-rule","value":"staff"}]}}',
    );
  return JSON.parse(text);
}

/** As the worlds have them from 5000 on, where no other world has any. */
const portsOf = ({ seed }: RoutedWorld): number[] => Array.from({ length: PORTS }, (_, index) => 10_000 + (seed % 100) * PORTS + index);

/** Two steps, and no metric. */
const quick = ({ iterations, ...whom }: Raw): object => ({
  interval: '1s',
  threshold: 2,
  ...(iterations === undefined ? { stepWeight: 50, maxWeight: 50 } : { iterations: 3 }),
  ...whom,
});

/** The application that is released, and two beside it; each answers with its name as its version. */
function application(namespace: string, world: RoutedWorld): KubeObject[] {
  const { hasSecondPort, kind } = world;
  const made = [APP, 'static', 'legacy'].flatMap((name): KubeObject[] => {
    const isOurs = name === APP;
    const metadata = { name, namespace };
    const labels = { app: name };
    const template = { metadata: { labels }, spec: { containers: [containerOf(world, isOurs ? '1' : name)] } };
    const ports = [
      { name: 'main', port: 80, targetPort: 8080, ...(kind === 'GRPCRoute' && { appProtocol: 'grpc' }) },
      ...(isOurs && hasSecondPort ? [{ name: 'admin', port: 9090, targetPort: 9090 }] : []),
    ];
    return [
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { replicas: 1, selector: { matchLabels: labels }, template } },
      { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: labels, ports } },
    ];
  });
  const isAway = world.routes.some(({ at }) => at === 'another namespace');
  return isAway && isOfGateway(kind) ? [...made, grantOf(namespace, kind)] : made;
}

function containerOf({ hasSecondPort }: RoutedWorld, version: string) {
  const ports = [{ name: 'web', containerPort: 8080 }, ...(hasSecondPort ? [{ name: 'admin', containerPort: 9090 }] : [])];
  return { name: 'app', image: `web:${version}`, ports };
}

const isOfGateway = (kind: RouteKind): boolean => kind === 'HTTPRoute' || kind === 'GRPCRoute';

/** Routes of the other namespace may lead to Services here. */
const grantOf = (namespace: string, kind: RouteKind): KubeObject => ({
  apiVersion: 'gateway.networking.k8s.io/v1beta1',
  kind: 'ReferenceGrant',
  metadata: { name: 'away', namespace },
  spec: {
    from: [{ group: 'gateway.networking.k8s.io', kind, namespace: awayOf(namespace) }],
    to: [{ group: '', kind: 'Service' }],
  },
});
