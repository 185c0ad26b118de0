import { readFileSync } from 'node:fs';
import { readKeptPrimary } from '../../src/api/kept-primary.ts';
import { type KubeObject, type ObjectRef, refOf } from '../../src/api/kube-object.ts';
import { acceptAnnotation, keptAnnotation } from '../../src/api/names.ts';
import type { ObjectChange } from '../../src/embedded/controllers/object-store.ts';
import { isConflict, isForbidden, isNotFound } from '../../src/kube/errors.ts';
import { raw } from '../fakes/raw.ts';
import { type ControllerProcess, newLogFile, startController } from '../scenarios/controller.ts';
import { ask } from '../scenarios/users.ts';
import { monotonicMs, sleep } from '../scenarios/world.ts';
import { THRESHOLD } from './invariants.ts';
import type { Action, Life, Part, Side, Timed } from './life.ts';
import type { RealPlane } from './real-plane.ts';
import type { Acted, Answer, ApplicationWorld, CanaryView, Pace, PodFailed, WorldMaker } from './world.ts';

const APP = 'podinfo';
const NAME_LABEL = 'app.kubernetes.io/name';
/** Of the modelled times: what a life waits for itself. */
const SCALE = 0.2;
/** The reaction of Serin, pods and proxies has no scale, and is slower where other things are to do. */
export const realPace: Pace = {
  askMs: 250,
  mostAwaitedMs: 25_000,
  startsWithinMs: 2_000,
  tailMs: 40_000,
  mostTailMs: 120_000,
  intervalMs: 2_000,
  deadlineMs: 20_000,
  graceMs: 20_000,
  crashGraceMs: 10_000,
  reactionMs: 2_000,
  quietMs: 15_000,
};
/** Versions that fail by themselves, by the environment of their pods. The restarts are the kubelet's. */
const LOOPS: Readonly<Record<string, Record<string, string>>> = {
  exits: { CRASH_AFTER_MS: '2400', EXIT_CODE: '3' },
  oom: { CRASH_AFTER_MS: '3000', EXIT_CODE: '137' },
  flaps: { FLAP_EVERY_MS: '7500' },
  broken: { NEVER_READY: '1' },
};
/** Between two restarts of a container that ends again and again, the first one apart: src/embedded/nodes/kubelet.ts. */
const BACK_OFF_MS = 10_000;
/** Between two questions of the client at each proxy. */
const CLIENT_PAUSE_MS = 250;
/** A version that has a part of the users is answered by within this time. */
const RECENT_MS = 3_000;
/** After so long it is known whether a pod was down when a request was lost. */
const KNOWN_MS = 3_000;
/** A Canary that is deleted is gone by then, or the user does not wait. */
const GONE_WITHIN_MS = 60_000;

interface Lost {
  atMs: number;
  why: string;
}

/** Lives on one real control plane, each in a namespace of its own and with a controller of its own. `main`: another program of Serin. */
export function realWorld(plane: RealPlane, main?: string): WorldMaker {
  let made = 0;
  return async (life) => {
    made += 1;
    const world = new RealWorld(plane, life, `life-${life.seed}-${made}`, main);
    try {
      await world.begin();
    } catch (error) {
      await world.close();
      throw error;
    }
    return world;
  };
}

/** The same life in the time of the real world. */
export function shortened(life: Life): Life {
  const less = (ms: number): number => Math.ceil(ms * SCALE);
  const actions = life.actions.map(({ at, afterMs, action }): Timed => {
    // The brake, which a contest wears out, has no other time here.
    if (action.do === 'contest') return { at, afterMs: less(afterMs), action };
    const ms = Object.entries(action).filter((entry): entry is [string, number] => /^(ms|\w+Ms)$/.test(entry[0]));
    return { at, afterMs: less(afterMs), action: { ...action, ...Object.fromEntries(ms.map(([key, value]) => [key, less(value)])) } };
  });
  return { ...life, actions };
}

class RealWorld implements ApplicationWorld {
  readonly pace = realPace;
  readonly #plane: RealPlane;
  readonly #life: Life;
  readonly #namespace: string;
  readonly #main: string | undefined;
  readonly #logFile = newLogFile();
  readonly #beganMs = monotonicMs();
  readonly #end = new AbortController();
  readonly #clients: Promise<void>[];
  /** Of each proxy; by version, when it answered last. */
  readonly #answered: Map<string, number>[];
  readonly #lost: Lost[] = [];
  readonly #failed: PodFailed[] = [];
  /** Pods that were ready, are not, and stay; and sides that wait for the pod in the place of a drained one. */
  readonly #down = new Set<string>();
  #lastDownMs = Number.NEGATIVE_INFINITY;
  readonly #hearNoMore: () => void;
  #controller: ControllerProcess | undefined;
  #starts = 0;
  #isUp = false;
  #selectorLabels: readonly string[] | undefined;
  #before: string | undefined;
  #contest: { what: 'route' | 'Service'; untilMs: number } | undefined;

  constructor(plane: RealPlane, life: Life, namespace: string, main: string | undefined) {
    this.#plane = plane;
    this.#life = life;
    this.#namespace = namespace;
    this.#main = main;
    const { urls } = plane.environment.mesh;
    this.#answered = urls.map(() => new Map());
    this.#hearNoMore = plane.hearPods(namespace, (change) => this.#podChanged(change));
    plane.hooks.answers(namespace, () => (this.#isBad() ? 500 : 200));
    this.#clients = urls.map((url, proxy) => this.#live(url, proxy));
  }

  async begin(): Promise<void> {
    const { cluster } = this.#plane.environment;
    await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.#namespace } });
    await cluster.create(this.#anApplication('good-1'));
    if (this.#life.hasService) await cluster.create(this.#aService());
    if (this.#life.hasScaler) await cluster.create(this.#aScaler());
    await this.#until('the application is available', () => raw(this.#deployment('target'))?.status?.availableReplicas === 1);
    await cluster.create(this.#aCanary(APP));
    this.#start();
    await this.#until('Serin runs', () => this.#isUp);
  }

  nowMs(): number {
    return monotonicMs() - this.#beganMs;
  }

  async pass(ms: number): Promise<void> {
    await sleep(ms);
    if (this.#controller?.hasExited()) throw new Error(`the controller ended by itself:\n${this.#log()}`);
    if (this.#contest && this.nowMs() < this.#contest.untilMs) await tried(this.#changeBack(this.#contest.what));
  }

  async act(action: Action, pass: (ms: number) => Promise<void>): Promise<Acted | undefined> {
    return await tried(this.#act(action, pass));
  }

  ask(): readonly Answer[] {
    const nowMs = this.nowMs();
    const known = this.#lost.findIndex(({ atMs }) => nowMs - atMs < KNOWN_MS);
    const lost = this.#lost.splice(0, known === -1 ? this.#lost.length : known);
    if (this.#down.size > 0) this.#lastDownMs = nowMs;
    return [
      ...lost.map(({ atMs, why }) => ({ lost: why, isPodsFault: this.#lastDownMs >= atMs - KNOWN_MS })),
      ...this.#answered.flatMap((versions, proxy): Answer[] => {
        const latestMs = Math.max(...versions.values());
        const recent = [...versions].filter(([, atMs]) => atMs === latestMs || nowMs - atMs <= RECENT_MS);
        if (recent.length === 0) return [{ lost: 'no answer yet', isPodsFault: false }];
        return recent.map(([version]) => ({ version, by: `proxy ${proxy + 1}` }));
      }),
    ];
  }

  canaries(): readonly CanaryView[] {
    return this.#plane.canaries(this.#namespace).map((canary) => {
      const { metadata, spec, status } = raw(canary);
      const { phase = '', release, failedChecks = 0, conditions = [] } = status ?? {};
      const contested = conditions.find((one: { type: string; status: string }) => one.type === 'Contested' && one.status === 'True');
      return {
        name: metadata.name,
        uid: metadata.uid,
        isDeleting: metadata.deletionTimestamp !== undefined,
        isSuspended: spec.suspend === true,
        phase,
        step: release?.step ?? '',
        run: release?.run ?? 0,
        failedChecks,
        ...(contested && { contested: contested.message }),
      };
    });
  }

  held() {
    return { target: versionOf(this.#deployment('target')), primary: versionOf(this.#deployment('primary')) };
  }

  isSerinUp(): boolean {
    return this.#isUp;
  }

  failed(): readonly PodFailed[] {
    return this.#failed.splice(0);
  }

  written(): readonly string[] {
    return this.#plane.written(this.#namespace);
  }

  /** The namespace goes with all that is in it. */
  async close(): Promise<void> {
    this.#end.abort();
    await Promise.all(this.#clients);
    this.#hearNoMore();
    await this.#controller?.stop('KILL');
    const { cluster } = this.#plane.environment;
    await cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: this.#namespace });
    for (const canary of this.#plane.canaries(this.#namespace))
      await tried(cluster.patch(refOf(canary), { metadata: { finalizers: null } }));
  }

  async #act(action: Action, pass: (ms: number) => Promise<void>): Promise<Acted | undefined> {
    const { cluster, nodes } = this.#plane.environment;
    switch (action.do) {
      case 'push':
        return await this.#push(action.version);
      case 'push back':
        return this.#before === undefined ? undefined : await this.#push(this.#before);
      case 'delete the Canary': {
        const found = this.#plane.canaries(this.#namespace);
        for (const canary of found) await cluster.delete(refOf(canary));
        return found.length > 0 ? {} : undefined;
      }
      case 'create a Canary':
        return await this.#create(action.name);
      case 'replace --force': {
        const [found] = this.#plane.canaries(this.#namespace);
        if (found === undefined) return undefined;
        await cluster.delete(refOf(found));
        const untilMs = this.nowMs() + GONE_WITHIN_MS;
        while (this.nowMs() < untilMs && this.#plane.get('canaries', this.#namespace, found.metadata.name)) await pass(this.pace.askMs);
        return await this.#create(found.metadata.name);
      }
      case 'rename': {
        const [found] = this.#plane.canaries(this.#namespace);
        if (found === undefined) return undefined;
        if (action.first === 'create') await this.#create(action.name);
        await cluster.delete(refOf(found));
        if (action.first === 'delete') await this.#create(action.name);
        return {};
      }
      case 'edit the spec':
        return await this.#edit({ analysis: { stepWeight: action.stepWeight } });
      case 'suspend':
        return await this.#edit({ suspend: true });
      case 'resume':
        return await this.#edit({ suspend: false });
      case 'accept':
        return await this.#accept();
      case 'edit the route by hand':
        return (await this.#editRoute('kubectl-edit')) ? { isForeign: true } : undefined;
      case 'contest':
        this.#contest = { what: action.what, untilMs: this.nowMs() + action.forMs };
        return { isForeign: true };
      case 'helm uninstall':
        for (const part of action.order) {
          await this.#remove(part);
          await pass(action.gapMs);
        }
        return { isTaken: true };
      case 'helm install':
        return await this.#install(action.version);
      case 'delete the namespace':
        await cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: this.#namespace });
        return { isTaken: true };
      case 'relabel the target':
        return await this.#relabel();
      case 'kill Serin':
        if (action.selectorLabels) this.#selectorLabels = action.selectorLabels;
        await this.#kill();
        void sleep(action.forMs, this.#end.signal).then(
          () => this.#start(),
          () => undefined,
        );
        return {};
      case 'crash': {
        const pod = this.#podOf(action.side);
        if (pod === undefined) return undefined;
        if (action.how !== 'flap') return nodes.crash(this.#namespace, pod.metadata.name, action.how === 'oom' ? 137 : 3) ? {} : undefined;
        const app = nodes.app(this.#namespace, pod.metadata.name);
        if (app === undefined) return undefined;
        app.behaviour.neverReady = true;
        void sleep(Math.max(action.ms, SEEN_UNREADY_MS), this.#end.signal).then(
          () => {
            app.behaviour.neverReady = false;
          },
          () => undefined,
        );
        return {};
      }
      case 'drain': {
        const pod = this.#podOf(action.side);
        if (pod === undefined) return undefined;
        const conditions = [...(raw(pod).status?.conditions ?? []), { type: 'DisruptionTarget', status: 'True', reason: action.how }];
        this.#down.add(action.side);
        await cluster.patch(refOf(pod), { status: { conditions } }, { subresource: 'status' });
        await cluster.delete(refOf(pod));
        this.#failed.push({ side: action.side, how: 'drain', atMs: this.nowMs(), forMs: action.ms });
        return {};
      }
    }
  }

  /** The client at one proxy, who never stops asking. */
  async #live(url: string, proxy: number): Promise<void> {
    while (!this.#end.signal.aborted) {
      const { version, lost } = await ask(url, `${APP}.${this.#namespace}`);
      const atMs = this.nowMs();
      if (version !== undefined) this.#answered[proxy]?.set(version, atMs);
      else if (this.#answered[proxy]?.size) this.#lost.push({ atMs, why: `proxy ${proxy + 1}: ${lost}` });
      await sleep(CLIENT_PAUSE_MS, this.#end.signal).catch(() => undefined);
    }
  }

  #start(): void {
    if (this.#controller !== undefined || this.#end.signal.aborted) return;
    const flags = {
      namespace: this.#namespace,
      ...(this.#selectorLabels && { 'selector-labels': this.#selectorLabels.join(',') }),
    };
    const started = startController(this.#plane.environment, flags, this.#logFile, this.#main);
    this.#controller = started;
    this.#starts += 1;
    const starts = this.#starts;
    const awaitUp = async () => {
      while (readFileSync(this.#logFile, 'utf8').split('reconciling Canaries').length <= starts) {
        if (this.#controller !== started) return;
        await sleep(200, this.#end.signal);
      }
      this.#isUp = this.#controller === started;
    };
    void awaitUp().catch(() => undefined);
  }

  async #kill(): Promise<void> {
    const killed = this.#controller;
    this.#isUp = false;
    this.#controller = undefined;
    await killed?.stop('KILL');
    // One that was killed before it came up has said nothing.
    this.#starts = readFileSync(this.#logFile, 'utf8').split('reconciling Canaries').length - 1;
  }

  async #create(name: string): Promise<Acted | undefined> {
    await this.#plane.environment.cluster.create(this.#aCanary(name));
    return {};
  }

  async #push(version: string): Promise<Acted | undefined> {
    const before = versionOf(this.#deployment('target'));
    if (before === undefined || before === version) return undefined;
    const pushed = { spec: { template: { spec: { containers: [containerOf(version)] } } } };
    await this.#plane.environment.cluster.patch(this.#ref('target'), pushed);
    this.#before = before;
    return { pushed: version };
  }

  async #edit(spec: object): Promise<Acted | undefined> {
    const found = this.#plane.canaries(this.#namespace);
    for (const canary of found) await this.#plane.environment.cluster.patch(refOf(canary), { spec });
    return found.length > 0 ? {} : undefined;
  }

  /** The user's word on the version that the target holds, where a primary is kept from it. */
  async #accept(): Promise<Acted | undefined> {
    const kept = readKeptPrimary(this.#deployment('target')?.metadata.annotations?.[keptAnnotation]);
    if (kept === undefined) return undefined;
    const annotations = { [acceptAnnotation]: kept.unpromoted };
    await this.#plane.environment.cluster.patch(this.#ref('target'), { metadata: { annotations } });
    return { isAccepted: true };
  }

  async #changeBack(what: 'route' | 'Service'): Promise<void> {
    const service = this.#plane.get('services', this.#namespace, APP);
    if (what === 'route') await this.#editRoute('another-controller');
    else if (service && raw(service).spec.ports[0].targetPort !== 9_999) {
      const ports = raw(service).spec.ports.map(({ nodePort: _, ...port }: { nodePort?: number }) => ({ ...port, targetPort: 9_999 }));
      await this.#write('another-controller', service, { ports });
    }
  }

  async #editRoute(manager: string): Promise<boolean> {
    const route = this.#plane.get('routes', this.#namespace, APP);
    const http = structuredClone(raw(route)?.spec.http);
    if (!route || !http?.[0] || http[0].timeout === '7s') return false;
    http[0].timeout = '7s';
    await this.#write(manager, route, { http });
    return true;
  }

  /** Not over what was written meanwhile: of that the writer changes nothing but its field. */
  async #write(manager: string, { apiVersion, kind, metadata: live }: KubeObject, spec: object): Promise<void> {
    const { name, namespace, uid, resourceVersion } = live;
    const metadata = { name, namespace, uid, resourceVersion } as KubeObject['metadata'];
    await this.#plane.environment.cluster.apply({ apiVersion, kind, metadata, spec }, { fieldManager: manager, force: true });
  }

  async #remove(part: Part): Promise<void> {
    const { cluster } = this.#plane.environment;
    if (part === 'Canary') for (const canary of this.#plane.canaries(this.#namespace)) await cluster.delete(refOf(canary));
    else if (part === 'target') await cluster.delete(this.#ref('target'), { propagationPolicy: 'Background' });
    else await cluster.delete({ apiVersion: 'v1', kind: 'Service', name: APP, namespace: this.#namespace });
  }

  async #install(version: string): Promise<Acted | undefined> {
    const { cluster } = this.#plane.environment;
    if (this.#deployment('target')) return undefined;
    await cluster.create(this.#anApplication(version));
    if (this.#life.hasService && !this.#plane.get('services', this.#namespace, APP)) await cluster.create(this.#aService());
    if (this.#plane.canaries(this.#namespace).length === 0) await this.#create(APP);
    return { pushed: version, isInstalled: true };
  }

  async #relabel(): Promise<Acted | undefined> {
    const { cluster } = this.#plane.environment;
    const version = versionOf(this.#deployment('target'));
    // Without a Canary that serves by its primary the application itself would be gone.
    if (version === undefined || this.#deployment('primary') === undefined) return undefined;
    if (this.#plane.canaries(this.#namespace).every(({ metadata }) => metadata.deletionTimestamp !== undefined)) return undefined;
    await cluster.delete(this.#ref('target'), { propagationPolicy: 'Background' });
    await cluster.create(this.#anApplication(version, { [NAME_LABEL]: APP }));
    return {};
  }

  #podChanged({ previous, next }: ObjectChange): void {
    const pod = next ?? previous;
    const side = pod && sideOf(pod);
    if (pod === undefined || side === undefined) return;
    const { uid = '' } = pod.metadata;
    if (this.#down.size > 0) this.#lastDownMs = this.nowMs();
    if (next === undefined || next.metadata.deletionTimestamp !== undefined) this.#down.delete(uid);
    else if (isReady(next)) {
      this.#down.delete(uid);
      if (!isDisrupted(next)) this.#down.delete(side);
    } else if (previous && isReady(previous) && !isDisrupted(next)) {
      this.#down.add(uid);
      this.#lastDownMs = this.nowMs();
      this.#failed.push({ side, how: 'crash', atMs: this.nowMs(), forMs: unreadyForMs(next) });
    }
  }

  /** Whether pods of the target that run are of a version that fails its checks. */
  #isBad(): boolean {
    return this.#plane
      .pods(this.#namespace)
      .some(
        (pod) => sideOf(pod) === 'target' && pod.metadata.deletionTimestamp === undefined && (versionOfPod(pod) ?? '').startsWith('bad-'),
      );
  }

  #podOf(side: Side): KubeObject | undefined {
    return this.#plane
      .pods(this.#namespace)
      .find((pod) => sideOf(pod) === side && pod.metadata.deletionTimestamp === undefined && isReady(pod));
  }

  #ref(side: Side): ObjectRef {
    return { apiVersion: 'apps/v1', kind: 'Deployment', name: side === 'target' ? APP : `${APP}-primary`, namespace: this.#namespace };
  }

  #deployment(side: Side): KubeObject | undefined {
    return this.#plane.get('deployments', this.#namespace, this.#ref(side).name);
  }

  async #until(what: string, isSo: () => boolean): Promise<void> {
    for (const untilMs = this.nowMs() + 90_000; !isSo(); ) {
      if (this.nowMs() > untilMs) throw new Error(`${what}: not within 90 s\n${this.#log()}`);
      await sleep(100);
    }
  }

  #log(): string {
    return `${this.#logFile}\n${readFileSync(this.#logFile, 'utf8').split('\n').slice(-15).join('\n')}`;
  }

  #aCanary(name: string): KubeObject {
    const { hasScaler, revertOnDeletion } = this.#life;
    return {
      apiVersion: 'flagger.app/v1beta1',
      kind: 'Canary',
      metadata: { name, namespace: this.#namespace },
      spec: {
        provider: 'istio',
        targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: APP },
        service: { port: 80, targetPort: 'http' },
        progressDeadlineSeconds: this.pace.deadlineMs / 1_000,
        ...(hasScaler && { autoscalerRef: { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', name: APP } }),
        ...(revertOnDeletion && { revertOnDeletion }),
        analysis: {
          interval: `${this.pace.intervalMs / 1_000}s`,
          threshold: THRESHOLD,
          stepWeight: 10,
          maxWeight: 50,
          webhooks: [{ name: 'orders', type: 'rollout', url: this.#plane.hooks.url(this.#namespace) }],
        },
      },
    };
  }

  /** Both labels are in its pods; by which of them Serin tells the sides apart is its own affair. */
  #anApplication(version: string, labels: Record<string, string> = { app: APP, [NAME_LABEL]: APP }): KubeObject {
    const template = { metadata: { labels: { app: APP, ...labels } }, spec: { containers: [containerOf(version)] } };
    const metadata = { name: APP, namespace: this.#namespace };
    return { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { replicas: 1, selector: { matchLabels: labels }, template } };
  }

  #aService(): KubeObject {
    const ports = [{ name: 'http', port: 80, targetPort: 'http' }];
    const metadata = { name: APP, namespace: this.#namespace };
    return { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: { app: APP }, ports } };
  }

  #aScaler(): KubeObject {
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: APP };
    const metrics = [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } }];
    const spec = { scaleTargetRef, minReplicas: 1, maxReplicas: 10, metrics };
    return { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { name: APP, namespace: this.#namespace }, spec };
  }
}

/** A ready application without a probe is looked at once a second. */
const SEEN_UNREADY_MS = 1_500;

/** What the API server refuses, for the object or its namespace is gone or going, or there already, was not done. */
async function tried<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isNotFound(error) || isConflict(error) || isForbidden(error)) return undefined;
    throw error;
  }
}

function containerOf(version: string) {
  const [kind = ''] = version.split('-');
  const env = Object.entries(LOOPS[kind] ?? {}).map(([name, value]) => ({ name, value }));
  return { name: 'web', image: `${APP}:${version}`, ports: [{ name: 'http', containerPort: 9898 }], ...(env.length > 0 && { env }) };
}

const tagOf = (image: string | undefined): string | undefined => image?.split(':')[1];
const versionOf = (deployment: KubeObject | undefined): string | undefined =>
  tagOf(raw(deployment)?.spec.template.spec.containers[0].image);
const versionOfPod = (pod: KubeObject): string | undefined => tagOf(raw(pod).spec.containers[0].image);

function sideOf({ metadata: { name } }: KubeObject): Side | undefined {
  if (name.startsWith(`${APP}-primary-`)) return 'primary';
  return name.startsWith(`${APP}-`) ? 'target' : undefined;
}

const hasCondition = (pod: KubeObject, wanted: string): boolean =>
  (raw(pod).status?.conditions ?? []).some(({ type, status }: { type: string; status: string }) => type === wanted && status === 'True');
const isReady = (pod: KubeObject): boolean => hasCondition(pod, 'Ready');
const isDisrupted = (pod: KubeObject): boolean => hasCondition(pod, 'DisruptionTarget');

/** By the kubelet's back-off, of a pod that has just become unready. */
function unreadyForMs(pod: KubeObject): number {
  const [container] = raw(pod).status?.containerStatuses ?? [];
  if (container?.state?.terminated === undefined) return 0;
  return container.restartCount === 0 ? 0 : BACK_OFF_MS * 2 ** (container.restartCount - 1);
}
