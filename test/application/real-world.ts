import { readKeptPrimary } from '../../src/api/kept-primary.ts';
import { type KubeObject, refOf } from '../../src/api/kube-object.ts';
import { acceptAnnotation, keptAnnotation } from '../../src/api/names.ts';
import { isConflict, isForbidden, isNotFound } from '../../src/kube/errors.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { raw } from '../fakes/raw.ts';
import { monotonicMs, sleep } from '../scenarios/world.ts';
import { canaryView } from './canary-view.ts';
import type { Action, Life, Part, Side, Timed } from './life.ts';
import {
  APP,
  aCanary,
  anApplication,
  aScaler,
  aService,
  containerOf,
  NAME_LABEL,
  PORT,
  refOfSide,
  versionOf,
  versionOfPod,
} from './real-application.ts';
import { RealClients } from './real-clients.ts';
import { RealDisasters } from './real-disasters.ts';
import type { RealPlane } from './real-plane.ts';
import { RealPods } from './real-pods.ts';
import { CONTROLLER, rightsIn } from './real-rights.ts';
import { RealSerin } from './real-serin.ts';
import { sharesOf } from './shares.ts';
import type { Acted, Answer, ApplicationWorld, CanaryView, Pace, PodFailed, WorldMaker } from './world.ts';

/** Factor for the modelled times that a life itself waits. */
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
  stallMs: 75_000,
};
/** The user waits so long for the deletion of a Canary. */
const GONE_WITHIN_MS = 60_000;

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
  // Nothing on the real control plane honours App Mesh.
  const provider = life.provider === 'appmesh:v1beta2' ? 'smi:v1alpha2' : life.provider;
  return { ...life, ...(provider && { provider }), actions };
}

class RealWorld implements ApplicationWorld {
  readonly pace = realPace;
  readonly #plane: RealPlane;
  readonly #life: Life;
  readonly #namespace: string;
  /** The user's client; nodes and administrators have another one. */
  readonly #cluster: KubeCluster;
  readonly #admin: KubeCluster;
  readonly #pods: RealPods;
  readonly #clients: RealClients;
  readonly #serin: RealSerin;
  readonly #disasters: RealDisasters;
  readonly #beganMs = monotonicMs();
  readonly #end = new AbortController();
  #selectorLabels: readonly string[] | undefined;
  #before: string | undefined;
  #contest: { what: 'route' | 'Service'; untilMs: number } | undefined;

  constructor(plane: RealPlane, life: Life, namespace: string, main: string | undefined) {
    this.#plane = plane;
    this.#life = life;
    this.#namespace = namespace;
    const { environment, hooks, editor } = plane;
    this.#cluster = editor;
    this.#admin = environment.cluster;
    this.#pods = new RealPods(plane, namespace, () => this.nowMs());
    this.#clients = new RealClients(environment.mesh.urls, `${APP}.${namespace}`, () => this.nowMs());
    const { prometheusUrl } = environment;
    this.#serin = new RealSerin({ prometheusUrl, kubeconfigFile: environment.kubeconfigFileOf(CONTROLLER) }, namespace, main);
    this.#disasters = new RealDisasters(environment.cluster, namespace, life);
    hooks.answers(namespace, () => (this.#pods.ofSide('target').some((pod) => versionOfPod(pod).startsWith('bad-')) ? 500 : 200));
  }

  async begin(): Promise<void> {
    await this.#makeNamespace();
    await this.#until('the user may create', () => this.#mayCreate());
    await this.#cluster.create(anApplication(this.#namespace, 'good-1'));
    if (this.#life.hasService) await this.#cluster.create(aService(this.#namespace));
    if (this.#life.hasScaler) await this.#cluster.create(aScaler(this.#namespace));
    await this.#until('the application is available', () => raw(this.#deployment('target'))?.status?.availableReplicas === 1);
    await this.#create(APP);
    this.#serin.start();
    await this.#until('Serin runs', () => this.#serin.isUp);
  }

  nowMs(): number {
    return monotonicMs() - this.#beganMs;
  }

  async pass(ms: number): Promise<void> {
    await sleep(ms);
    if (this.#serin.hasExited) throw new Error(`the controller ended by itself:\n${this.#serin.log()}`);
    if (this.#contest && this.nowMs() < this.#contest.untilMs) await tried(this.#changeBack(this.#contest.what));
  }

  async act(action: Action, pass: (ms: number) => Promise<void>): Promise<Acted | undefined> {
    return await tried(this.#act(action, pass));
  }

  ask(): readonly Answer[] {
    return this.#clients.answers((sinceMs) => this.#pods.wasAnyDown(sinceMs));
  }

  canaries(): readonly CanaryView[] {
    return this.#plane.canaries(this.#namespace).map(canaryView);
  }

  held() {
    return { target: versionOf(this.#deployment('target')), primary: versionOf(this.#deployment('primary')) };
  }

  shares(): readonly { route: string; percents: readonly number[] }[] {
    return this.#plane
      .routes(this.#namespace)
      .flatMap((route) => sharesOf(route).map((percents) => ({ route: `${route.kind} ${route.metadata.name}`, percents })));
  }

  isSerinUp(): boolean {
    return this.#serin.isUp;
  }

  failed(): readonly PodFailed[] {
    return this.#pods.failed();
  }

  written(): readonly string[] {
    return this.#plane.written(this.#namespace);
  }

  news(): readonly string[] {
    return this.#plane.news(this.#namespace);
  }

  /** The namespace goes with all that is in it. */
  async close(): Promise<void> {
    this.#end.abort();
    await this.#clients.stop();
    this.#pods.stop();
    await this.#serin.stop();
    await this.#admin.delete({ apiVersion: 'v1', kind: 'Namespace', name: this.#namespace });
    for (const canary of this.#plane.canaries(this.#namespace))
      await tried(this.#admin.patch(refOf(canary), { metadata: { finalizers: null } }));
  }

  async #act(action: Action, pass: (ms: number) => Promise<void>): Promise<Acted | undefined> {
    const { nodes } = this.#plane.environment;
    switch (action.do) {
      case 'push':
        return await this.#push(action.version);
      case 'push back':
        return this.#before === undefined ? undefined : await this.#push(this.#before);
      case 'delete the Canary': {
        const found = this.#plane.canaries(this.#namespace);
        for (const canary of found) await this.#cluster.delete(refOf(canary));
        return found.length > 0 ? {} : undefined;
      }
      case 'create a Canary':
        return await this.#create(action.name);
      case 'replace --force': {
        const [found] = this.#plane.canaries(this.#namespace);
        if (found === undefined) return undefined;
        await this.#cluster.delete(refOf(found));
        const untilMs = this.nowMs() + GONE_WITHIN_MS;
        while (this.nowMs() < untilMs && this.#plane.get('canaries', this.#namespace, found.metadata.name)) await pass(this.pace.askMs);
        return await this.#create(found.metadata.name);
      }
      case 'rename': {
        const [found] = this.#plane.canaries(this.#namespace);
        if (found === undefined) return undefined;
        if (action.first === 'create') await this.#create(action.name);
        await this.#cluster.delete(refOf(found));
        if (action.first === 'delete') await this.#create(action.name);
        return {};
      }
      case 'edit the spec':
        return this.#life.provider === 'kubernetes' ? undefined : await this.#edit({ analysis: { stepWeight: action.stepWeight } });
      case 'suspend':
        return await this.#edit({ suspend: true });
      case 'resume':
        return await this.#edit({ suspend: false });
      case 'accept':
        return await this.#accept();
      case 'edit the route by hand':
        return (await this.#editRoute('kubectl-edit')) ? { isForeign: true } : undefined;
      case 'apply the manifests again':
        return await this.#apply();
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
        this.#plane.losesRights(this.#namespace);
        await this.#admin.delete({ apiVersion: 'v1', kind: 'Namespace', name: this.#namespace });
        return { isTaken: true };
      case 'relabel the target':
        return await this.#relabel();
      case 'kill Serin':
        if (action.selectorLabels) this.#selectorLabels = action.selectorLabels;
        await this.#serin.kill();
        void this.#later(action.forMs, () => this.#start());
        return {};
      case 'crash': {
        const pod = this.#pods.ready(action.side);
        if (pod === undefined) return undefined;
        if (action.how !== 'flap') return nodes.crash(this.#namespace, pod.metadata.name, action.how === 'oom' ? 137 : 3) ? {} : undefined;
        const app = nodes.app(this.#namespace, pod.metadata.name);
        if (app === undefined) return undefined;
        app.behaviour.neverReady = true;
        void this.#later(Math.max(action.ms, SEEN_UNREADY_MS), () => {
          app.behaviour.neverReady = false;
        });
        return {};
      }
      case 'drain': {
        const pod = this.#pods.ready(action.side);
        if (pod === undefined) return undefined;
        const conditions = [...(raw(pod).status?.conditions ?? []), { type: 'DisruptionTarget', status: 'True', reason: action.how }];
        this.#pods.drained(action.side, action.ms);
        await this.#admin.patch(refOf(pod), { status: { conditions } }, { subresource: 'status' });
        await this.#admin.delete(refOf(pod));
        return {};
      }
      case 'remove definitions': {
        const before = this.#plane.canaries(this.#namespace);
        const isRemoved = await this.#disasters.removeDefinitions(action, pass);
        if (!isRemoved) return undefined;
        if (action.of === 'Serin' && action.isSynced) for (const { metadata } of before) await tried(this.#create(metadata.name));
        return action.of === 'mesh' ? { isForeign: true, isLedAway: true } : {};
      }
      case 'back up':
        await this.#disasters.backUp();
        return {};
      case 'restore': {
        if (action.lost === 'all') this.#plane.losesRights(this.#namespace);
        const acted = await this.#disasters.restore(action, pass, () => this.#makeNamespace());
        if (acted?.isRestored) this.#clients.forget();
        return acted;
      }
      default:
        return action satisfies never;
    }
  }

  async #makeNamespace(): Promise<void> {
    await this.#admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.#namespace } });
    for (const right of rightsIn(this.#namespace)) await this.#admin.create(right);
  }

  #start(): void {
    this.#serin.start(this.#selectorLabels && { 'selector-labels': this.#selectorLabels.join(',') });
  }

  async #later(ms: number, act: () => void): Promise<void> {
    await sleep(ms, this.#end.signal).then(act, () => undefined);
  }

  async #create(name: string): Promise<Acted | undefined> {
    const checkUrl = this.#plane.hooks.url(this.#namespace);
    await this.#cluster.create(aCanary(this.#life, { name, namespace: this.#namespace }, this.pace, checkUrl));
    return {};
  }

  async #push(version: string): Promise<Acted | undefined> {
    const before = versionOf(this.#deployment('target'));
    if (before === undefined || before === version) return undefined;
    const pushed = { spec: { template: { spec: { containers: [containerOf(version)] } } } };
    await this.#cluster.patch(refOfSide('target', this.#namespace), pushed);
    this.#before = before;
    return { pushed: version };
  }

  async #edit(spec: object): Promise<Acted | undefined> {
    const found = this.#plane.canaries(this.#namespace);
    for (const canary of found) await this.#cluster.patch(refOf(canary), { spec });
    return found.length > 0 ? {} : undefined;
  }

  /** The user's word on the version that the target holds, where a primary is kept from it. */
  async #accept(): Promise<Acted | undefined> {
    const kept = readKeptPrimary(this.#deployment('target')?.metadata.annotations?.[keptAnnotation]);
    if (kept === undefined) return undefined;
    const annotations = { [acceptAnnotation]: kept.unpromoted };
    await this.#cluster.patch(refOfSide('target', this.#namespace), { metadata: { annotations } });
    return { isAccepted: true };
  }

  async #changeBack(what: 'route' | 'Service'): Promise<void> {
    const service = this.#plane.get('services', this.#namespace, APP);
    if (what === 'route') await this.#editRoute('another-controller');
    else if (service && raw(service).spec.ports[0].targetPort !== PORT) {
      const ports = raw(service).spec.ports.map(({ nodePort: _, ...port }: { nodePort?: number }) => ({ ...port, targetPort: PORT }));
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

  async #apply(): Promise<Acted | undefined> {
    const target = this.#deployment('target');
    if (target === undefined) return undefined;
    const git = { fieldManager: 'a-gitops-tool', force: true };
    const { apiVersion, kind } = target;
    const metadata = { name: APP, namespace: this.#namespace };
    const labels = raw(target).spec.selector.matchLabels;
    const { replicas, ...spec } = raw(anApplication(this.#namespace, versionOf(target) ?? '', labels)).spec;
    const wanted = this.#life.hasScaler ? spec : { ...spec, replicas };
    await this.#cluster.apply({ apiVersion, kind, metadata, spec: wanted }, git);
    if (this.#life.hasService && this.#plane.get('services', this.#namespace, APP))
      await this.#cluster.apply(aService(this.#namespace), git);
    return { isForeign: true, isLedAway: true };
  }

  /** Fails if the object has changed since; the writer changes nothing but its field. */
  async #write(manager: string, { apiVersion, kind, metadata: live }: KubeObject, spec: object): Promise<void> {
    const { name, namespace, uid, resourceVersion } = live;
    const metadata = { name, namespace, uid, resourceVersion } as KubeObject['metadata'];
    await this.#cluster.apply({ apiVersion, kind, metadata, spec }, { fieldManager: manager, force: true });
  }

  async #remove(part: Part): Promise<void> {
    if (part === 'Canary') for (const canary of this.#plane.canaries(this.#namespace)) await this.#cluster.delete(refOf(canary));
    else if (part === 'target') await this.#cluster.delete(refOfSide('target', this.#namespace), { propagationPolicy: 'Background' });
    else await this.#cluster.delete({ apiVersion: 'v1', kind: 'Service', name: APP, namespace: this.#namespace });
  }

  async #install(version: string): Promise<Acted | undefined> {
    if (this.#deployment('target')) return undefined;
    await this.#cluster.create(anApplication(this.#namespace, version));
    if (this.#life.hasService && !this.#plane.get('services', this.#namespace, APP)) await this.#cluster.create(aService(this.#namespace));
    if (this.#plane.canaries(this.#namespace).length === 0) await this.#create(APP);
    return { pushed: version, isInstalled: true, isRestored: true };
  }

  async #relabel(): Promise<Acted | undefined> {
    const version = versionOf(this.#deployment('target'));
    // Without a Canary, or without its primary, this would delete the application itself.
    if (version === undefined || this.#deployment('primary') === undefined) return undefined;
    if (this.#plane.canaries(this.#namespace).every(({ metadata }) => metadata.deletionTimestamp !== undefined)) return undefined;
    await this.#cluster.delete(refOfSide('target', this.#namespace), { propagationPolicy: 'Background' });
    await this.#cluster.create(anApplication(this.#namespace, version, { [NAME_LABEL]: APP }));
    return {};
  }

  #deployment(side: Side): KubeObject | undefined {
    return this.#plane.get('deployments', this.#namespace, refOfSide(side, this.#namespace).name);
  }

  /** `edit` is made of its parts by a controller, and the API server learns of both a moment later. */
  async #mayCreate(): Promise<boolean> {
    const probe = aCanary(this.#life, { name: APP, namespace: this.#namespace }, this.pace, this.#plane.hooks.url(this.#namespace));
    return (await tried(this.#cluster.create(probe, { dryRun: true }))) !== undefined;
  }

  async #until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
    for (const untilMs = this.nowMs() + 90_000; !(await isSo()); ) {
      if (this.nowMs() > untilMs) throw new Error(`${what}: not within 90 s\n${this.#serin.log()}`);
      await sleep(100);
    }
  }
}

/** A ready application without a probe is looked at once a second. */
const SEEN_UNREADY_MS = 1_500;

/** Returns undefined for a refused action: the object or its namespace is missing, is being deleted, or already exists. */
async function tried<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isNotFound(error) || isConflict(error) || isForbidden(error)) return undefined;
    throw error;
  }
}
