import { describe, expect, it } from 'vitest';
import { specOf } from '../../src/api/kinds/spec-of.ts';
import { type KubeObject, refOf } from '../../src/api/kube-object.ts';
import { arrivingByRoutes } from '../application/arrival/routes/routed-objects.ts';
import { describeRoutedWorld, type RoutedWorld, routedWorldOf } from '../application/arrival/routes/routed-world.ts';
import { type Answer, type Asked, type RouteKind, readers } from '../application/arrival/routes/users-route.ts';
import { binomialBounds } from '../fakes/binomial.ts';
import { type Raw, raw } from '../fakes/raw.ts';
import { startController } from './controller.ts';
import type { Environment } from './environment.ts';
import { eventually } from './eventually.ts';
import { askAt, type Expected } from './route-rows.ts';
import { namespacesFor } from './shares/split-app.ts';
import { BOUND_MS, until } from './until.ts';

/** URL for users of these routes. */
export interface Edge {
  kind: RouteKind;
  url(): string;
  /** The Gateway that its routes name. */
  gateway?: { namespace: string; name: string };
}

/** Destinations that answer equal requests, with their shares. */
type Shares = ReadonlyMap<string, number>;

const APP = 'shop';
const CANARY = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: APP };
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment', name: APP };
/** Number of tries for requests that a single Service answers, and for requests that several Services answer. */
const TRIES = { alone: 2, shared: 60 };
/** Risk that a right share is refused: once in a million. */
const RISK = 1e-6;

/** `WORLD_SEED=720001` plays worlds from this seed on. */
const first = Number(process.env.WORLD_SEED ?? 720_001);

/** Worlds that the data plane can play: it has no port for TCP, its users speak no gRPC, and Serin and the tools leave it in peace. */
export function realWorldsOf(kind: RouteKind, count: number): RoutedWorld[] {
  const found: RoutedWorld[] = [];
  for (let seed = first; found.length < count; seed += 1) {
    const { second: _, ...world } = routedWorldOf(seed);
    if (world.kind === kind && world.isTcp === undefined) found.push({ ...world, writes: [], ending: 'success', killedAfterMs: undefined });
  }
  return found;
}

/** I17 with requests: before a Canary, beside it, during a release and after it. */
export function playRoutedWorlds(environmentOf: () => Environment, edge: Edge, count: number): void {
  const worlds = realWorldsOf(edge.kind, count).map((world) => ({ seed: world.seed, world }));
  describe.concurrent(`worlds of ${edge.kind}s`, () => {
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
  readonly #routes: readonly KubeObject[];
  readonly #canary: KubeObject;
  readonly #asked: readonly Asked[];

  constructor(environment: Environment, edge: Edge, world: RoutedWorld) {
    this.#environment = environment;
    this.#edge = edge;
    this.#world = world;
    this.#namespace = `world-${world.seed}`;
    const { routes, canary } = arrivingByRoutes(world);
    const here = <T extends object>(object: T): T => moved(object, this.#namespace, edge);
    this.#routes = (routes?.declared ?? []).map(here);
    this.#canary = here({ ...canary, spec: { ...raw(canary).spec, analysis: quick(raw(canary).spec.analysis) } });
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
    const controller = startController(this.#environment, { namespace: this.#namespace });
    try {
      await cluster.create(this.#canary);
      const phase = await this.#arrived();
      await this.#holds('beside the Canary');
      if (phase === 'Initialized') await this.#release();
      await cluster.delete({ ...CANARY, namespace: this.#namespace });
      await this.#untilGone({ ...CANARY, namespace: this.#namespace });
      await this.#untilGone({ ...DEPLOYMENT, name: `${APP}-primary`, namespace: this.#namespace });
      await this.#holds('after the Canary');
      expect(await this.#specs()).toEqual(before);
    } finally {
      await controller.stop();
    }
  }

  async #apply(): Promise<void> {
    const { cluster } = this.#environment;
    await namespacesFor(cluster, [this.#namespace, awayOf(this.#namespace)]);
    for (const object of [...application(this.#namespace, this.#world), ...this.#routes])
      await cluster.apply(object, { fieldManager: 'user' });
  }

  /** A Canary that the gate refuses writes nothing. */
  async #arrived(): Promise<string> {
    const isRefused = (now: KubeObject | undefined) =>
      (raw(now)?.status?.conditions ?? []).some(({ type, status }: Raw) => type === 'Accepted' && status === 'False');
    const isIn = (now: KubeObject | undefined) => raw(now)?.status?.phase === 'Initialized' && raw(now).status.release?.step === 'resting';
    const now = await until(
      this.#environment.cluster,
      { ...CANARY, namespace: this.#namespace },
      'arrives, or is refused',
      (one) => isIn(one) || isRefused(one),
    );
    return isRefused(now) ? 'refused' : 'Initialized';
  }

  /** While it is under way each request is sent over and over again. */
  async #release(): Promise<void> {
    const { cluster } = this.#environment;
    const template = { spec: { containers: [containerOf(this.#world, '2')] } };
    await cluster.patch({ ...DEPLOYMENT, namespace: this.#namespace }, { spec: { template } });
    const ref = { ...CANARY, namespace: this.#namespace };
    const versions = new Set<string>();
    await eventually(
      `${describeRoutedWorld(this.#world)}\nis promoted`,
      async () => {
        expect(await this.#unlike('during a release', 1, versions)).toEqual([]);
        return raw(await cluster.get(ref))?.status;
      },
      (status) => status?.phase === 'Succeeded' && status.release?.step === 'resting',
    );
    await this.#holds('after a promotion');
    expect(versions).toContain('2');
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
  #ask({ host, path, headers }: Asked): Promise<Required<Expected>> {
    const none: Required<Expected> = { status: 0, version: '1', path: '', port: 0, received: {}, answered: {} };
    return askAt(this.#edge.url(), { host, ...headers }, { path }).catch(() => none);
  }

  async #specs(): Promise<unknown[]> {
    const found = await Promise.all(this.#routes.map((route) => this.#environment.cluster.get(refOf(route))));
    return found.map((route) => specOf(route));
  }

  #untilGone(ref: Parameters<typeof until>[1]) {
    return until(this.#environment.cluster, ref, 'is gone', (now) => now === undefined, { boundMs: 2 * BOUND_MS });
  }
}

const awayOf = (namespace: string): string => `${namespace}-away`;

/** The same object in a namespace of its own, with hosts of its own, behind the Gateway of the data plane, and with a supported filter. */
function moved<T extends object>(object: T, namespace: string, { gateway }: Edge): T {
  // Placeholder for its name while namespaces are replaced.
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
    .replaceAll(
      '{"type":"ExtensionRef","extensionRef":{"group":"example.org","kind":"Auth","name":"staff"}}',
      '{"type":"RequestHeaderModifier","requestHeaderModifier":{"set":[{"name":"x-rule","value":"staff"}]}}',
    );
  return JSON.parse(text);
}

/** Two steps, and no metric. */
const quick = ({ iterations, ...whom }: Raw): object => ({
  interval: '1s',
  threshold: 2,
  ...(iterations === undefined ? { stepWeight: 50, maxWeight: 50 } : { iterations: 3 }),
  ...whom,
});

/** The application that is released, and two beside it; each answers with its name as its version. */
function application(namespace: string, world: RoutedWorld): KubeObject[] {
  const { hasSecondPort } = world;
  const made = [APP, 'static', 'legacy'].flatMap((name): KubeObject[] => {
    const isOurs = name === APP;
    const metadata = { name, namespace };
    const labels = { app: name };
    const template = { metadata: { labels }, spec: { containers: [containerOf(world, isOurs ? '1' : name)] } };
    const ports = [
      { name: 'main', port: 80, targetPort: 8080 },
      ...(isOurs && hasSecondPort ? [{ name: 'admin', port: 9090, targetPort: 9090 }] : []),
    ];
    return [
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { replicas: 1, selector: { matchLabels: labels }, template } },
      { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: labels, ports } },
    ];
  });
  const isAway = world.routes.some(({ at }) => at === 'another namespace');
  return world.kind === 'HTTPRoute' && isAway ? [...made, grantOf(namespace)] : made;
}

function containerOf({ hasSecondPort }: RoutedWorld, version: string) {
  const ports = [{ name: 'web', containerPort: 8080 }, ...(hasSecondPort ? [{ name: 'admin', containerPort: 9090 }] : [])];
  return { name: 'app', image: `web:${version}`, ports };
}

/** Routes of the other namespace may lead to Services here. */
const grantOf = (namespace: string): KubeObject => ({
  apiVersion: 'gateway.networking.k8s.io/v1beta1',
  kind: 'ReferenceGrant',
  metadata: { name: 'away', namespace },
  spec: {
    from: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', namespace: awayOf(namespace) }],
    to: [{ group: '', kind: 'Service' }],
  },
});

const TARGET_PORTS: Readonly<Record<number, number>> = { 80: 8080, 9090: 9090 };

/** By the terms of the route; for a redirect only by its host. */
function sharesOf(answer: Answer | undefined): Shares {
  if (answer === undefined) return new Map([['404', 1]]);
  const text = JSON.stringify(answer.terms);
  const redirect = /"(?:hostname|authority)":"([^"]*)"/.exec(text)?.[1];
  if (redirect !== undefined) return new Map([[`redirect to ${redirect}`, 1]]);
  const rule = /"x-rule":"([^"]*)"|"name":"x-rule","value":"([^"]*)"/.exec(text);
  const sent = answer.sent.filter(({ weight }) => weight > 0);
  const total = sent.reduce((sum, { weight }) => sum + weight, 0);
  return new Map(
    sent.map(({ service, port = 80, weight }) => [`${service}:${TARGET_PORTS[port]} ${rule?.[1] ?? rule?.[2] ?? ''}`, weight / total]),
  );
}

const isOfApplication = ({ version }: Expected): boolean => version === '1' || version === '2';

function seenIn(answer: Required<Expected>): string {
  const { status, version, port, received, answered } = answer;
  if (status >= 300 && status < 400) return `redirect to ${new URL(answered.location ?? 'http://nowhere').hostname}`;
  if (status !== 200) return String(status);
  return `${isOfApplication(answer) ? APP : version}:${port} ${received['x-rule'] ?? ''}`;
}

function unlikeIn(expected: Shares, got: ReadonlyMap<string, number>, tries: number): string[] {
  const others = [...got.keys()].filter((seen) => !expected.has(seen)).map((seen) => `${seen}, not ${[...expected.keys()].join(' or ')}`);
  const shares = [...expected].flatMap(([seen, share]) => {
    const count = got.get(seen) ?? 0;
    const { least, most } = share === 1 ? { least: tries, most: tries } : binomialBounds(tries, share, RISK);
    return count < least || count > most ? [`${count} of ${tries} by ${seen}, whose share is ${share.toFixed(3)}`] : [];
  });
  return others.length > 0 ? others : shares;
}
