import type { KubeObject } from '../../../src/api/kube-object.ts';
import { definition } from '../../../src/embedded/definition.ts';
import { ordersTemplate } from '../../fakes/model/journals.ts';
import { ModelLab, NAMESPACE } from '../../fakes/model/lab.ts';
import { drawer } from '../../fakes/model/life.ts';
import { routeTraffic } from '../../fakes/model/route-traffic.ts';
import { type Raw, raw } from '../../fakes/raw.ts';
import { fingerprint, type Loss } from './fingerprint.ts';
import { isRequired } from './kinds-of-loss.ts';
import { isNamed, Losses, type SeenLoss } from './losses.ts';
import { canonical } from './requests.ts';
import { DeclaredRoutes } from './routes/declared-routes.ts';
import type { RouteKind } from './routes/users-route.ts';
import type { Application } from './seen.ts';

/** An application as its user has applied it, and the Canary that arrives. */
export interface Arriving {
  name: string;
  objects: readonly KubeObject[];
  canary: KubeObject;
  ending: Ending;
  /** Serin is killed so long after the Canary was made, in milliseconds, and is back five seconds later, or as soon as this says. */
  killedAfterMs?: number;
  backAfterMs?: number;
  /** Routes of the user's by which requests come, and who writes them again. */
  routes?: ArrivingRoutes;
}

export interface ArrivingRoutes {
  kind: RouteKind;
  declared: readonly KubeObject[];
  /** The Canary may write the route; all other routes stay byte for byte the same. */
  isServed(name: string): boolean;
  /** Headers of the clients for whom the release is. */
  headers: readonly Readonly<Record<string, string>>[];
  /** The Canary as its user edits it, and for how long. */
  edit?: {
    atMs: number;
    undoneAfterMs: number;
    canary: KubeObject;
    /** This edit comes before, and adds a host to the route that Serin makes; Serin is killed so long after both. */
    adds?: { canary: KubeObject; host: string; killedAfterMs: number };
  };
  /** Another application behind the same routes, with a Canary of its own. */
  second?: { canary: KubeObject; isFirst: boolean; isLast: boolean };
  /** Time after the creation of the Canary, in milliseconds. */
  writes: readonly { atMs: number; how: 'patch' | 'replace'; object: KubeObject }[];
}

/** Events before the final deletion of the Canary: a promotion, then a failed release, or a Canary that is created again, with the same or another name. */
export type Ending = 'success' | 'failure' | 'replaced' | 'renamed';

export type Outcome =
  | { is: 'arrived'; losses: readonly SeenLoss[]; second?: 'arrived' | 'refused' }
  /** Nothing was written, and the condition names an object. */
  | { is: 'refused'; message: string; losses: readonly SeenLoss[] };

const MOST_MS = { start: 60_000, initialize: 180_000, release: 600_000, delete: 240_000 };
const SECOND = 1_000;
/** Longer than it takes to write a route. */
const BETWEEN_EDITS_MS = 4_000;
const NOT_ADDED: Readonly<{ isAsked: boolean; isRouted: boolean }> = { isAsked: false, isRouted: false };
/** The longest pause of users whom a tool has led past the primary (issue 43). */
const MOST_EXCUSED_MS = 2_000;

/** The whole life of a Canary over the application, in virtual time, with a fingerprint of each moment. */
export async function play(arriving: Arriving): Promise<Outcome> {
  const lab = new ModelLab({ draw: drawer(7), startUpMs: [500, 3_000], lagMs: [0, 1], latencyMs: [0, 20], scaleDownDelayMs: 2_000 });
  try {
    return await new Arrival(lab, arriving).play();
  } finally {
    lab.close();
  }
}

/** Kinds of routes whose proxies know a Service only while a rule names it. */
const LEARNING: Readonly<Record<string, { list: string; backends: string } | undefined>> = {
  HTTPRoute: { list: 'rules', backends: 'backendRefs' },
  GRPCRoute: { list: 'rules', backends: 'backendRefs' },
  HTTPProxy: { list: 'routes', backends: 'services' },
};

class Arrival {
  readonly #lab: ModelLab;
  readonly #app: Application;
  readonly #arriving: Arriving;
  #canary: KubeObject;
  #losses: Losses | undefined;
  /** Messages of conditions and events so far. */
  readonly #said = new Set<string>();
  #version = 1;
  /** Objects of users and their tools, in their last written form. */
  #written = new Map<string, string>();
  /** Version of the store at the last look in passing. */
  #looked = 0;
  readonly #routes: DeclaredRoutes | undefined;
  /** Absent for routes whose proxies know all Services. */
  readonly #traffic: ReturnType<typeof routeTraffic> | undefined;
  /** The other Canary, once it has arrived. */
  #second: { name: string } | undefined;
  /** The host that an edit adds. */
  #added = NOT_ADDED;
  /** Until then a tool that has put the Service back may keep users from the application, in virtual milliseconds. */
  #excusedUntil = 0;
  /** When Serin, which was killed, is back: until then no one corrects the tool. */
  #backAt = 0;

  constructor(lab: ModelLab, arriving: Arriving) {
    const { objects, canary } = arriving;
    this.#arriving = arriving;
    this.#lab = lab;
    const { second } = arriving.routes ?? {};
    this.#app = { ...applicationOf(canary, NAMESPACE), ...(second && { others: [second.canary.metadata.name] }) };
    this.#canary = judgedByOrders(canary);
    for (const object of [...objects, ordersTemplate]) put(lab, object);
    const { routes } = arriving;
    this.#routes = routes && new DeclaredRoutes(routes.kind, this.#app, routes.headers);
    for (const route of routes?.declared ?? []) this.#routes?.applied(route);
    const listed = routes && LEARNING[routes.kind];
    this.#traffic = routes && listed && routeTraffic(lab, { kind: routes.kind, ...listed });
    lab.externalMetric = () => ({ value: this.#image().startsWith('bad-') ? 10 : 1, afterMs: 0 });
  }

  async play(): Promise<Outcome> {
    const lab = this.#lab;
    const { ending, killedAfterMs } = this.#arriving;
    await lab.pass(10 * SECOND);
    this.#losses = new Losses(fingerprint(objectsIn(lab), this.#app), this.#arriving.objects);
    const { second } = this.#arriving.routes ?? {};
    if (second?.isFirst) {
      lab.start();
      await this.#secondArrives(second.canary);
    }
    this.#written = wholeOf(lab);
    lab.server.create(structuredClone(this.#canary));
    if (!lab.isUp) lab.start();
    if (killedAfterMs !== undefined) this.#kill(killedAfterMs);
    const { edit } = this.#arriving.routes ?? {};
    if (edit) {
      const { adds } = edit;
      const { clock } = lab.server;
      if (adds) {
        clock.setTimer(edit.atMs, () => {
          this.#added = { ...NOT_ADDED, isAsked: this.#edit(judgedByOrders(adds.canary)) };
        });
        this.#kill(edit.atMs + BETWEEN_EDITS_MS + adds.killedAfterMs);
      }
      clock.setTimer(edit.atMs + (adds ? BETWEEN_EDITS_MS : 0), () => this.#edit(judgedByOrders(edit.canary)));
      clock.setTimer(edit.atMs + (adds ? BETWEEN_EDITS_MS : 0) + edit.undoneAfterMs, () => {
        this.#added = NOT_ADDED;
        this.#edit(this.#canary);
        clock.setTimer(10 * SECOND, () => this.#correct(judgedByOrders(edit.canary)));
      });
    }
    for (const write of this.#arriving.routes?.writes ?? []) lab.server.clock.setTimer(write.atMs, () => this.#write(write));
    if (!(await this.#pass('as the Canary arrives', () => this.#isAt('Initialized'), MOST_MS.initialize))) return this.#notArrived();
    await this.#rest('initialized');
    if (second?.isFirst === false) await this.#secondArrives(second.canary);
    if (this.#second) this.#push('good', this.#second.name);
    await this.#release('good', 'Succeeded');
    if (ending === 'failure') await this.#release('bad', 'Failed');
    await this.#secondRests();
    if (second?.isLast === false) await this.#secondLeaves();
    this.#delete();
    if (ending === 'replaced' || ending === 'renamed') {
      await this.#make(ending === 'renamed' ? `${this.#canary.metadata.name}-renamed` : this.#canary.metadata.name);
      this.#delete();
    }
    if (ending === 'failure') {
      await this.#rest('after the Canary is deleted, with a primary that is kept');
      this.#push('good');
    }
    const primary = { apiVersion: 'apps/v1', kind: 'Deployment', name: `${this.#app.target}-primary`, namespace: NAMESPACE };
    const isOver = await this.#pass('as the application is handed over', () => lab.server.find(primary) === undefined, MOST_MS.delete);
    if (!isOver) this.#stuck('the application is not handed over');
    if (second?.isLast) await this.#secondLeaves();
    await this.#rest('after the Canary');
    this.#losses?.addAll('after the Canary', this.#routes?.unlike(objectsIn(lab), () => true) ?? []);
    for (const route of this.#routes?.withoutShare() ?? []) this.#routeWithoutShare(route);
    if (this.#second) for (const route of this.#routes?.withoutShare(this.#second.name) ?? []) this.#routeWithoutShare(route);
    return { is: 'arrived', losses: this.#found(), ...(second && { second: this.#second ? 'arrived' : 'refused' }) };
  }

  /** It arrives, or is refused by a message that names an object. */
  async #secondArrives(canary: KubeObject): Promise<void> {
    const { name } = canary.metadata;
    this.#lab.server.create(structuredClone(canary));
    const isIn = () => this.#lab.phase(name) === 'Initialized' && this.#stepOf(name) === 'resting';
    if (await this.#pass('as the second Canary arrives', isIn, MOST_MS.initialize)) {
      this.#second = { name };
      await this.#rest('beside the second Canary');
    } else if (
      !isNamed(
        saidBy(this.#lab).join('\n'),
        this.#arriving.objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`),
      )
    )
      this.#stuck(`the second Canary is ${this.#lab.phase(name)} ${this.#stepOf(name)}, and no object is named`);
  }

  async #secondRests(): Promise<void> {
    const name = this.#second?.name;
    if (name === undefined) return;
    const isOver = () => this.#lab.phase(name) === 'Succeeded' && this.#stepOf(name) === 'resting';
    if (!(await this.#pass('during a release of the second Canary', isOver, MOST_MS.release)))
      this.#stuck(`a release of the second Canary is ${this.#lab.phase(name)} ${this.#stepOf(name)}`);
  }

  async #secondLeaves(): Promise<void> {
    const { canary } = this.#arriving.routes?.second ?? {};
    if (canary === undefined) return;
    const { apiVersion, kind, metadata } = canary;
    const { server } = this.#lab;
    server.delete({ apiVersion, kind, name: metadata.name, namespace: NAMESPACE });
    const primary = { apiVersion: 'apps/v1', kind: 'Deployment', name: `${metadata.name}-primary`, namespace: NAMESPACE };
    const isGone = () => this.#lab.canary(metadata.name) === undefined && server.find(primary) === undefined;
    if (!(await this.#pass('as the second application is handed over', isGone, MOST_MS.delete)))
      this.#stuck('the second application is not handed over');
    await this.#rest('after the second Canary');
  }

  #kill(afterMs: number): void {
    const { clock } = this.#lab.server;
    const { backAfterMs = 5 * SECOND } = this.#arriving;
    clock.setTimer(afterMs, () => {
      this.#lab.kill();
      this.#backAt = clock.nowMs() + backAfterMs;
      if (clock.nowMs() < this.#excusedUntil) this.#excusedUntil = this.#backAt + MOST_EXCUSED_MS;
    });
    clock.setTimer(afterMs + backAfterMs, () => {
      if (!this.#lab.isUp) this.#lab.start();
    });
  }

  /** Lets the user write the Canary again, if it exists. */
  #edit({ spec }: KubeObject): boolean {
    const live = this.#lab.canary(this.#canary.metadata.name);
    if (live === undefined || live.metadata.deletionTimestamp !== undefined) return false;
    this.#lab.server.putAs('kubectl-replace', { ...live, spec });
    return true;
  }

  /** A user whose last edit is refused, for what it would take from others, returns to the spec that has arrived. */
  #correct(arrived: KubeObject): void {
    const { phase, conditions = [] } = raw(this.#lab.canary(this.#canary.metadata.name))?.status ?? {};
    if (phase === 'Initializing' || !conditions.some(({ type, status }: Raw) => type === 'Accepted' && status === 'False')) return;
    this.#canary = { ...this.#canary, spec: arrived.spec };
    this.#edit(arrived);
  }

  /** A host that an edit has added is routed from when it first was, until its user takes it back. */
  #lookAtAdded(moment: string, objects: readonly KubeObject[]): void {
    const { kind, edit } = this.#arriving.routes ?? {};
    const { host } = edit?.adds ?? {};
    if (host === undefined || !this.#added.isAsked) return;
    const route = raw(objects.find((one) => one.kind === kind && one.metadata.name === this.#app.apex));
    const isRouted = [route?.spec.hosts, route?.spec.hostnames].some((hosts) => hosts?.includes(host));
    if (this.#added.isRouted && !isRouted) {
      const lost = { kind: 'route', what: `what answers ${host}`, before: 'the application', now: 'nothing', objects: [] } as const;
      this.#losses?.addAll(moment, [lost]);
    }
    this.#added = { isAsked: true, isRouted: this.#added.isRouted || isRouted };
  }

  /** Writes like a tool that knows of no Canary: `kubectl apply` patches the fields of its manifest, `kubectl replace` drops all other fields. */
  #write({ how, object }: ArrivingRoutes['writes'][number]): void {
    const { server } = this.#lab;
    const { apiVersion, kind, metadata } = object;
    const ref = { apiVersion, kind, name: metadata.name, namespace: metadata.namespace ?? NAMESPACE };
    const live = server.find(ref);
    if (live === undefined) return;
    if (kind === 'Service') this.#excusedUntil = Math.max(server.clock.nowMs(), this.#backAt) + MOST_EXCUSED_MS;
    else this.#routes?.applied(object);
    const { spec } = raw(object);
    if (how === 'patch') server.patch(ref, { spec });
    else {
      const { resourceVersion = '' } = live.metadata;
      server.putAs('kubectl-replace', { ...object, metadata: { ...metadata, namespace: ref.namespace, resourceVersion } });
    }
    const key = `${kind}/${metadata.name}`;
    this.#written.set(key, wholeOf(this.#lab).get(key) ?? '');
  }

  /** The Canary has to write it, or to say that it does not. */
  #routeWithoutShare(route: string): void {
    const isServed = this.#arriving.routes?.isServed(route.split('/').at(-1) ?? '') === true;
    const isSaid = isNamed([...this.#said].join('\n'), [route]);
    if (isServed || !isSaid)
      this.#losses?.add('route', `the share of ${route}`, isServed ? 'as the release says' : 'none, as a condition says', 'none');
  }

  #delete(): void {
    const { apiVersion, kind, metadata } = this.#canary;
    this.#lab.server.delete({ apiVersion, kind, name: metadata.name, namespace: NAMESPACE });
  }

  /** Waits until the previous Canary is gone, as `kubectl replace --force` does. */
  async #make(name: string): Promise<void> {
    const isGone = () => this.#lab.canary(this.#canary.metadata.name) === undefined;
    await this.#pass('as the Canary goes', isGone, MOST_MS.delete);
    // A Canary that is created again no longer names it.
    this.#added = NOT_ADDED;
    this.#canary = { ...this.#canary, metadata: { ...this.#canary.metadata, name } };
    this.#lab.server.create(structuredClone(this.#canary));
    const isBack = await this.#pass('as the Canary is made anew', () => this.#isAt('Initialized'), MOST_MS.initialize);
    if (!isBack) this.#stuck(`a Canary that is made anew is ${this.#phase()} ${this.#step()}`);
    await this.#rest('after the Canary is made anew');
  }

  async #release(kind: 'good' | 'bad', phase: string): Promise<void> {
    this.#push(kind);
    await this.#pass('before the release', () => this.#phase() === 'Progressing', MOST_MS.start);
    const isOver = await this.#pass(`during a ${kind} release`, () => this.#isAt(phase), MOST_MS.release);
    if (!isOver) this.#stuck(`a ${kind} release is ${this.#phase()} ${this.#step()}`);
    await this.#rest(kind === 'good' ? 'after a promotion' : 'after a failed release');
  }

  #push(kind: 'good' | 'bad', target = this.#app.target): void {
    this.#version += 1;
    const ref = { apiVersion: 'apps/v1', kind: 'Deployment', name: target, namespace: NAMESPACE };
    const [first, ...others] = raw(this.#lab.server.find(ref)).spec.template.spec.containers;
    const containers = [{ ...first, image: `${kind}-${this.#version}` }, ...others];
    this.#lab.server.patch(ref, { spec: { template: { spec: { containers } } } });
  }

  #image(): string {
    const ref = { apiVersion: 'apps/v1', kind: 'Deployment', name: this.#app.target, namespace: NAMESPACE };
    return raw(this.#lab.server.find(ref))?.spec.template.spec.containers[0].image ?? '';
  }

  async #rest(moment: string): Promise<void> {
    await this.#lab.pass(10 * SECOND);
    this.#look(moment, () => true);
  }

  async #pass(moment: string, isDone: () => boolean, mostMs: number): Promise<boolean> {
    for (let ms = 0; ms < mostMs && !isDone(); ms += SECOND) {
      await this.#lab.pass(SECOND);
      const { version } = this.#lab.server.api.store;
      if (version === this.#looked) continue;
      this.#looked = version;
      // Objects that are written one after the other can be incomplete until the Canary rests. Answers and refusals must be right at each moment.
      this.#look(moment, (loss) => isRequired(loss.kind));
    }
    return isDone();
  }

  #look(moment: string, isMeant: (loss: Loss) => boolean): void {
    for (const message of saidBy(this.#lab)) this.#said.add(message);
    if (this.#lab.server.clock.nowMs() < this.#excusedUntil) return;
    const objects = objectsIn(this.#lab);
    this.#losses?.look(moment, fingerprint(objects, this.#app), { isReleasing: this.#phase() === 'Progressing', isMeant });
    this.#lookAtAdded(moment, objects);
    const unwritten = this.#routes?.unlike(objects, (key) => !this.#arriving.routes?.isServed(key.split('/').at(-1) ?? '')) ?? [];
    const unknown = (this.#traffic?.lost.splice(0) ?? []).map(
      (now): Loss => ({ kind: 'route', what: 'what proxies know of', before: 'each Service that gets requests', now, objects: [] }),
    );
    this.#losses?.addAll(moment, [...(this.#routes?.look(objects) ?? []), ...unwritten, ...unknown]);
  }

  #notArrived(): Outcome {
    const whole = this.#written;
    const message = saidBy(this.#lab).join('\n');
    const now = wholeOf(this.#lab);
    // The second Canary splits again what a tool has put back.
    const second: Raw[] = this.#second ? raw(this.#arriving.routes?.second?.canary).spec.routeRefs : [];
    const isOfSecond = (key: string): boolean => second.some(({ kind, name }) => key === `${kind}/${name}`);
    const written = [...new Set([...whole.keys(), ...now.keys()])].filter((key) => whole.get(key) !== now.get(key) && !isOfSecond(key));
    const names = [...whole.keys()].filter((key) => isNamed(message, [key]));
    if (written.length > 0) this.#stuck(`${this.#phase()} ${this.#step()}; it wrote ${written.join(', ')}: ${message}`);
    else if (names.length === 0) this.#losses?.add('refusal', 'what a refusal names', 'an object and a remedy', message || 'nothing');
    return { is: 'refused', message, losses: this.#found() };
  }

  #found(): SeenLoss[] {
    return this.#losses?.found([...this.#said].join('\n')) ?? [];
  }

  #stuck(now: string): void {
    this.#losses?.add('stuck', 'whether it goes on', 'it does', now);
  }

  #isAt(phase: string): boolean {
    return this.#phase() === phase && this.#step() === 'resting';
  }

  #phase(): string {
    return this.#lab.phase(this.#canary.metadata.name);
  }

  #step(): string {
    return this.#stepOf(this.#canary.metadata.name);
  }

  #stepOf(name: string): string {
    return raw(this.#lab.canary(name))?.status?.release?.step ?? '';
  }
}

export function applicationOf(canary: KubeObject, namespace: string): Application {
  const { targetRef, service, provider } = raw(canary).spec;
  return { namespace, target: targetRef.name, apex: service.name ?? targetRef.name, port: service.port, hasMesh: provider === 'istio' };
}

/** Stores an object whose kind the embedded cluster does not serve, if it has a group. Creates a missing namespace. */
function put(lab: ModelLab, { apiVersion, kind, metadata, ...rest }: KubeObject): void {
  const { server } = lab;
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  const isServed = (): boolean => server.api.resources.all().some((one) => one.kind === kind && one.group === group);
  // Volumes and the like say nothing about requests.
  if (!isServed() && group === '') return;
  if (!isServed()) server.create(definition(group, kind, `${kind.toLowerCase()}s`, [version]));
  const served = server.api.resources.all().filter((one) => one.kind === kind && one.group === group);
  const usable = served.find((one) => one.version === version) ?? served[0];
  const namespace = metadata.namespace ?? NAMESPACE;
  const namespaceRef = { apiVersion: 'v1', kind: 'Namespace', name: namespace };
  if (server.find(namespaceRef) === undefined) server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const of = group === '' ? version : `${group}/${usable?.version ?? version}`;
  server.create(structuredClone({ ...rest, apiVersion: of, kind, metadata: { ...metadata, namespace } }));
}

/** The fewest steps that show both sides. */
export function stepsOf(canary: KubeObject): object {
  const { provider, analysis } = raw(canary).spec;
  const isBlueGreen = provider === 'kubernetes' || analysis.iterations !== undefined;
  return isBlueGreen ? { iterations: 2 } : { stepWeight: 50, maxWeight: 50 };
}

/** A release of seconds, judged by a metric that needs no scrape. */
function judgedByOrders(canary: KubeObject): KubeObject {
  const { spec, ...rest } = raw(canary);
  const steps = stepsOf(canary);
  const metrics = [{ name: 'orders', templateRef: { name: 'orders' }, thresholdRange: { max: 5 } }];
  const metadata = { ...rest.metadata, namespace: NAMESPACE };
  const { match, mirror, mirrorWeight, sessionAffinity } = spec.analysis;
  const whom = JSON.parse(JSON.stringify({ match, mirror, mirrorWeight, sessionAffinity }));
  return { ...rest, metadata, spec: { ...spec, analysis: { interval: '10s', threshold: 1, ...steps, ...whom, metrics } } };
}

function objectsIn(lab: ModelLab): KubeObject[] {
  const { store } = lab.server.api;
  return store
    .storeKeys()
    .filter((key) => !/^(\/events|apiextensions.k8s.io)/.test(key))
    .flatMap((key) => store.list(key).map(([, stored]) => stored));
}

/** Objects of users and additions of Serin, without kinds that only report. */
function wholeOf(lab: ModelLab): Map<string, string> {
  const told = /^(Canary|Event|Lease|Pod|Namespace)$/;
  return new Map(
    objectsIn(lab)
      .filter(({ kind }) => !told.test(kind))
      .map(({ kind, metadata: { name, labels, annotations }, status: _, apiVersion, ...rest }): [string, string] => {
        return [`${kind}/${name}`, canonical({ labels, annotations, apiVersion, ...rest })];
      }),
  );
}

/** Messages of Serin about a Canary now: conditions and events. */
function saidBy(lab: ModelLab): string[] {
  const { store } = lab.server.api;
  const events = store.list('/events').map(([, event]) => String(raw(event).message ?? raw(event).note ?? ''));
  const canaries = store.list(lab.server.resource('flagger.app/v1beta1', 'Canary').storeKey);
  const conditions = canaries.flatMap(([, one]) => (raw(one).status?.conditions ?? []).map(({ message }: Raw) => String(message)));
  return [...conditions, ...events];
}
