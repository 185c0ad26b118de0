import type { KubeObject, ObjectRef } from '../../../src/api/kube-object.ts';
import type { Clock } from '../../../src/base/clock.ts';
import { ControllerConfig } from '../../../src/controller/config.ts';
import { type Controller, startController } from '../../../src/controller/controller.ts';
import { createControllerMetrics } from '../../../src/controller/telemetry/controller-metrics.ts';
import type { Notifier } from '../../../src/notifiers/notifier.ts';
import { type HandClock, handClock, settableClock } from '../clock.ts';
import { raw } from '../raw.ts';
import { ModelClient, type SentWrite } from './client.ts';
import { HookReceiver, type ReceivedHook } from './hook-receiver.ts';
import { ModelNodes } from './nodes.ts';
import { ModelProxy } from './proxies.ts';
import { ModelServer } from './server.ts';

const metrics = createControllerMetrics('test');
/** The middle of the jitter: only the backoff changes the pauses between retries. */
const middle = (): number => 0.5;
/** Rounds of the event loop until nothing is left to do at one moment; a bound against two parts that wake each other for ever. */
const MOST_ROUNDS = 200;

export const NAMESPACE = 'test';
export const APP = 'podinfo';

export interface LabSettings {
  /** Draws a number at least `from` and below `to`. */
  draw(from: number, to: number): number;
  startUpMs: [number, number];
  lagMs: [number, number];
  latencyMs: [number, number];
  scaleDownDelayMs: number;
  /** Changes that the server keeps for watches that come back. */
  watchWindow?: number;
}

/**
 * The real controller over a modelled cluster, in virtual time: a release of minutes is played in milliseconds, and every moment of
 * it is looked at. It has no socket and no real timer, so a test need not close it.
 */
export class ModelLab {
  readonly clock: HandClock = handClock();
  readonly server: ModelServer;
  readonly nodes: ModelNodes;
  readonly proxies: ModelProxy[];
  /** Reasons for requests that would have no answer, after the moment and the proxy. */
  readonly lost: string[] = [];
  /** Looks for requests that would be lost; off once the user takes the application away. */
  watched = false;
  /** Called before each write of the controller; an error that it throws is the API server's answer. */
  refuse: (write: SentWrite) => void = () => undefined;
  /** Actions of others between any two calls of the controller. */
  betweenCalls: () => void = () => undefined;
  /** Delay of the controller's watch of a kind, in milliseconds. */
  watchLagMs: (kind: string) => number = () => 0;
  /** The watches of a kind report nothing any more. */
  isSilent: (kind: string) => boolean = () => false;
  /** Reason for a refusal to let the controller read a kind. */
  whyForbidden: (kind: string) => string | undefined = () => undefined;
  /** Called for each list besides those of watches; an error that it throws is the answer. */
  listed: (kind: string) => void = () => undefined;
  /** Kinds that the controllers looked for and that are not served. */
  readonly lookedFor: string[] = [];
  /** Value of every external metric, and the delay of its answer. */
  externalMetric: () => { value: number; afterMs: number } = () => ({ value: 1, afterMs: 0 });
  /** Answer to a request for the log of a pod. */
  podLog: (path: string) => { status: number; body: string } = () => ({ status: 404, body: '' });
  /** Gets the alerts of Canaries that name no receiver. */
  notifier: Notifier | undefined;
  /** The status that webhooks of `HOOKS` are answered with. */
  answerHook: (call: ReceivedHook) => number = () => 200;
  /** Time by which the clock of the next controller is ahead of the server's, in milliseconds. */
  aheadMs = 0;
  /** Lines of all controllers so far, with their fields. */
  readonly logged: { msg: string; [field: string]: unknown }[] = [];
  readonly #settings: LabSettings;
  /** Knows of everything at once. */
  readonly #newest: ModelProxy;
  readonly #hooks: HookReceiver;
  #hasAnswered = false;
  readonly #clients: ModelClient[] = [];
  #running: { controller: Controller; client: ModelClient; die(): void; set: { aheadMs: number } } | undefined;

  constructor(settings: LabSettings) {
    this.#settings = settings;
    const { draw, startUpMs, lagMs } = settings;
    this.server = new ModelServer(this.clock, settings.watchWindow);
    this.nodes = new ModelNodes(this.server, this.clock, () => draw(...startUpMs));
    this.server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    this.#hooks = new HookReceiver(this.clock, (call) => this.answerHook(call));
    this.#newest = new ModelProxy(this.server, this.clock, NAMESPACE, () => 0);
    this.proxies = [1, 2, 3].map(() => new ModelProxy(this.server, this.clock, NAMESPACE, () => draw(...lagMs)));
  }

  /** An application as users have it before Serin: a Deployment, and often a Service. It is watched from when it answers. */
  async application(hasService = true): Promise<void> {
    this.server.create(aDeployment('1'));
    const ports = [{ name: 'http', port: 80, targetPort: 'http' }];
    const metadata = { name: APP, namespace: NAMESPACE };
    if (hasService) this.server.create({ apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: { app: APP }, ports } });
    await this.pass(this.#settings.startUpMs[1] + this.#settings.lagMs[1] + 1);
    this.watched = true;
  }

  push(version: string, name = APP): void {
    this.server.patch({ ...targetRef, name }, { spec: { template: { spec: { containers: [container(version)] } } } });
  }

  get isUp(): boolean {
    return this.#running !== undefined;
  }

  get controller(): Controller | undefined {
    return this.#running?.controller;
  }

  /** Kinds that the controller watches now. */
  get watchedKinds(): readonly string[] {
    return this.#running?.client.watchedKinds ?? [];
  }

  get writes(): readonly SentWrite[] {
    return this.#running?.client.writes ?? [];
  }

  /** Writes of each controller that was started, in that order. */
  get writesByController(): readonly (readonly SentWrite[])[] {
    return this.#clients.map(({ writes }) => writes);
  }

  /** Writes of status, routes and Services that would overwrite what another writer wrote meanwhile (I9). */
  get blindWrites(): string[] {
    const mayNot = ({ verb, ref, subresource }: SentWrite) =>
      verb !== 'delete' &&
      (subresource === 'status' || ['VirtualService', 'DestinationRule', 'TrafficSplit', 'Service'].includes(ref.kind));
    const sent = this.#clients.flatMap(({ writes }) => writes);
    return sent.filter((one) => one.isBlind && mayNot(one)).map(({ atMs, verb, ref }) => `${atMs} ms: ${verb} ${ref.kind} ${ref.name}`);
  }

  /** Drops all recorded writes and log lines: only the controller's memory must be able to grow. */
  forget(): void {
    this.logged.length = 0;
    for (const { writes } of this.#clients) writes.length = 0;
  }

  start(mayWrite: () => boolean = () => true, flags: Partial<ControllerConfig> = {}): void {
    const { draw, latencyMs, scaleDownDelayMs } = this.#settings;
    const set = { aheadMs: this.aheadMs };
    const { clock, die } = mortal(settableClock(this.clock, set));
    const client = new ModelClient(this.server, {
      clock,
      aheadMs: () => set.aheadMs,
      latencyMs: () => draw(...latencyMs),
      watchLagMs: (kind) => this.watchLagMs(kind),
      isSilent: (kind) => this.isSilent(kind),
      whyForbidden: (kind) => this.whyForbidden(kind),
      listed: (kind) => this.listed(kind),
      missed: (kind) => void this.lookedFor.push(kind),
      beforeWrite: (write) => this.refuse(write),
      beforeCall: () => this.betweenCalls(),
      externalMetric: () => this.externalMetric(),
      podLog: (path) => this.podLog(path),
    });
    const config = ControllerConfig.parse({ minAnalysisIntervalMs: 0, scaleDownDelayMs, ...flags });
    const write = (fields: object, msg: string) => void this.logged.push({ ...fields, msg });
    const log = { debug: () => undefined, info: write, warn: write, error: write };
    const notifier = this.notifier && ofProcess(this.notifier, client);
    const hooks = this.#hooks.agent(client.isDead);
    const controller = startController({
      config,
      cluster: client,
      clock,
      random: middle,
      log,
      metrics,
      mayWrite,
      agents: { http: hooks, https: hooks as never },
      ...(notifier && { notifier }),
    });
    controller.started.catch(() => undefined); // killed before its first look
    this.#running = { controller, client, die, set };
    this.#clients.push(client);
  }

  /** Sets the clock of the running controller. */
  setClock(aheadMs: number): void {
    if (this.#running) this.#running.set.aheadMs = aheadMs;
  }

  /** SIGKILL: requests in flight are still carried out. */
  kill(): void {
    this.#running?.client.kill();
    this.#running?.die();
    this.#running = undefined;
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (!running) return;
    let isStopped = false;
    void running.controller.stop().then(() => {
      isStopped = true;
    });
    for (let ms = 0; ms < 60_000 && !isStopped; ms += 100) await this.pass(100);
    running.client.close();
  }

  canary(name = APP): KubeObject | undefined {
    return this.server.find({ ...canaryRef, name });
  }

  phase(name = APP): string {
    return raw(this.canary(name))?.status?.phase ?? '';
  }

  /** Time goes on, each moment by itself. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.clock.monotonicMs() + ms;
    await this.#calm();
    while (this.clock.monotonicMs() < untilMs) {
      this.clock.advance(Math.min(untilMs - this.clock.monotonicMs(), this.clock.nextInMs ?? Number.POSITIVE_INFINITY));
      await this.#calm();
    }
  }

  async passUntil(isDone: () => boolean, mostMs: number): Promise<boolean> {
    for (let ms = 0; ms < mostMs; ms += 250) {
      if (isDone()) return true;
      await this.pass(250);
    }
    return isDone();
  }

  /** At some moment every proxy had an endpoint. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** True if a request of this moment can go to the Deployment, by any proxy's view or by the server's objects. */
  mayReach(deployment: string): boolean {
    return [...this.proxies, this.#newest].some((proxy) => {
      const found = proxy.backends(APP);
      return 'deployments' in found && found.deployments.includes(deployment);
    });
  }

  /** The Deployments that answer requests now, or why none does. */
  answering(): string[] {
    const found = this.#newest.backends(APP);
    if ('lost' in found) return [`lost: ${found.lost}`];
    return found.deployments.map((name) => (this.nodes.serves(name, NAMESPACE) ? name : `lost: ${name} is gone`));
  }

  /** Frees the controller's memory: for loops over many labs. */
  close(): void {
    this.kill();
    this.server.stop();
  }

  /** Lets everything happen that can happen at this moment, and then checks every proxy. */
  async #calm(): Promise<void> {
    await this.#hooks.calm();
    await calm(this.server);
    const problems = this.proxies.map((proxy) => this.#problemOf(proxy));
    this.#hasAnswered ||= problems.every((problem) => problem === undefined);
    if (!this.watched || !this.#hasAnswered) return;
    for (const [index, problem] of problems.entries())
      if (problem !== undefined) this.lost.push(`${this.clock.monotonicMs()} ms, proxy ${index + 1}: ${problem} (${this.#step()})`);
  }

  #problemOf(proxy: ModelProxy): string | undefined {
    const found = proxy.backends(APP);
    if ('lost' in found) return found.lost;
    const gone = found.deployments.find((name) => !this.nodes.serves(name, NAMESPACE));
    return gone === undefined ? undefined : `${gone} is gone`;
  }

  #step(): string {
    const { phase, release } = raw(this.canary())?.status ?? {};
    return `${phase ?? 'no Canary'} ${release?.step ?? ''}`;
  }
}

export const targetRef: ObjectRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: APP, namespace: NAMESPACE };
export const primaryRef: ObjectRef = { ...targetRef, name: `${APP}-primary` };
export const canaryRef: ObjectRef = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: APP, namespace: NAMESPACE };
export const namespaceRef: ObjectRef = { apiVersion: 'v1', kind: 'Namespace', name: NAMESPACE };

export function aModelCanary(analysis: object = {}, spec: object = {}, name = APP): KubeObject {
  return {
    apiVersion: 'flagger.app/v1beta1',
    kind: 'Canary',
    metadata: { name, namespace: NAMESPACE },
    spec: {
      provider: 'istio',
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
      service: { port: 80, targetPort: 'http' },
      progressDeadlineSeconds: 60,
      ...spec,
      analysis: { interval: '10s', threshold: 2, ...analysis },
    },
  };
}

export function aDeployment(version: string, name = APP): KubeObject {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: NAMESPACE },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container(version)] } },
    },
  };
}

const container = (image: string) => ({ name: 'web', image, ports: [{ name: 'http', containerPort: 9898 }] });

/** Everything that can happen at this moment happens. */
export async function calm(server: ModelServer): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const before = server.api.store.version;
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    if (server.api.store.version === before) return;
  }
}

/** A process that was killed sends nothing, and gets no answer. */
function ofProcess({ send }: Notifier, { isDead }: { isDead(): boolean }): Notifier {
  const never = () => new Promise<never>(() => undefined);
  return {
    async send(message, signal) {
      const outcome = isDead() ? await never() : await send(message, signal);
      return isDead() ? await never() : outcome;
    },
  };
}

/** A clock whose timers end with the process that set them. */
export function mortal(clock: Clock): { clock: Clock; die(): void } {
  const pending = new Set<() => void>();
  return {
    clock: {
      nowMs: () => clock.nowMs(),
      monotonicMs: () => clock.monotonicMs(),
      setTimer(ms, fn) {
        const cancel = clock.setTimer(ms, () => {
          pending.delete(cancel);
          fn();
        });
        pending.add(cancel);
        return () => {
          pending.delete(cancel);
          cancel();
        };
      },
    },
    die() {
      for (const cancel of pending) cancel();
    },
  };
}
