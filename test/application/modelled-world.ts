import { readKeptPrimary } from '../../src/api/kept-primary.ts';
import { type KubeObject, type ObjectRef, refOf } from '../../src/api/kube-object.ts';
import { acceptAnnotation, keptAnnotation } from '../../src/api/names.ts';
import { ordersTemplate } from '../fakes/model/journals.ts';
import { APP, aDeployment, aModelCanary, canaryRef, ModelLab, NAMESPACE, namespaceRef, primaryRef, targetRef } from '../fakes/model/lab.ts';
import { drawer } from '../fakes/model/life.ts';
import { ModelPods } from '../fakes/model/pods.ts';
import { ordersPlan } from '../fakes/model/released.ts';
import { anHpa, hpaRef, refTo } from '../fakes/model/scaled.ts';
import { raw } from '../fakes/raw.ts';
import { canaryView } from './canary-view.ts';
import type { Removal } from './disasters.ts';
import type { Action, Life, Part, Side } from './life.ts';
import { appMeshCrds, ModelledDisasters } from './modelled-disasters.ts';
import { sharesOf } from './shares.ts';
import type { Acted, Answer, ApplicationWorld, CanaryView, Pace, PodFailed } from './world.ts';

const NAME_LABEL = 'app.kubernetes.io/name';
const START_UP_MS: [number, number] = [200, 4_000];
/** Behind a change, a proxy; and Serin waits as long before a side that lost its traffic goes. */
const LAG_MS = 2_000;
/** Versions that fail by themselves do so when they have been ready for so long, each time. */
const LOOPS = {
  exits: { how: 'exit', afterMs: 12_000, ms: 8_000 },
  oom: { how: 'oom', afterMs: 15_000, ms: 3_000 },
  flaps: { how: 'flap', afterMs: 10_000, ms: 5_000 },
} as const;
export const modelledPace: Pace = {
  askMs: 250,
  mostAwaitedMs: 120_000,
  startsWithinMs: 3_000,
  tailMs: 240_000,
  mostTailMs: 240_000,
  intervalMs: 10_000,
  deadlineMs: 60_000,
  graceMs: 30_000,
  crashGraceMs: LAG_MS + 1_000,
  reactionMs: 1_000,
  quietMs: 60_000,
  stallMs: 150_000,
};
/** Kinds that are not objects of the application. */
const UNCOUNTED = /^(Event|Lease)$/;
const ROUTES = ['networking.istio.io/virtualservices', 'split.smi-spec.io/trafficsplits', 'appmesh.k8s.aws/virtualrouters'];
const serviceRef: ObjectRef = { apiVersion: 'v1', kind: 'Service', name: APP, namespace: NAMESPACE };
const routeRef: ObjectRef = { apiVersion: 'networking.istio.io/v1beta1', kind: 'VirtualService', name: APP, namespace: NAMESPACE };

/** An application over the modelled cluster, in virtual time, with the whole controller. */
export async function modelledWorld(life: Life): Promise<ApplicationWorld> {
  const world = new ModelledWorld(life);
  await world.begin();
  return world;
}

class ModelledWorld implements ApplicationWorld {
  readonly pace = modelledPace;
  readonly #life: Life;
  readonly #lab: ModelLab;
  readonly #pods: ModelPods;
  readonly #failed: PodFailed[] = [];
  #canary: KubeObject;
  #before: string | undefined;
  #selectorLabels: readonly string[] | undefined;
  #contest: { what: 'route' | 'Service'; untilMs: number } | undefined;
  readonly #disasters: ModelledDisasters;
  /** Writes that were already told, by controller. */
  #told: number[] = [];

  constructor(life: Life) {
    this.#life = life;
    const draw = drawer(life.seed);
    this.#lab = new ModelLab({ draw, startUpMs: START_UP_MS, lagMs: [0, LAG_MS], latencyMs: [0, 50], scaleDownDelayMs: LAG_MS });
    this.#disasters = new ModelledDisasters(this.#lab.server, life);
    this.#pods = new ModelPods(this.#lab.server, this.#lab.clock, this.#lab.nodes);
    const { hasScaler, revertOnDeletion, provider } = life;
    const plan = provider === 'kubernetes' ? { iterations: 3, metrics: ordersPlan.metrics } : ordersPlan;
    const spec = { ...(hasScaler ? refTo(hpaRef) : {}), ...(revertOnDeletion ? { revertOnDeletion } : {}), ...(provider && { provider }) };
    this.#canary = aModelCanary(plan, spec);
    this.#lab.externalMetric = () => ({ value: this.#isBad() ? 10 : 1, afterMs: 0 });
  }

  async begin(): Promise<void> {
    const { server } = this.#lab;
    if (this.#life.provider === 'appmesh:v1beta2') for (const crd of appMeshCrds()) server.create(crd);
    server.create(ordersTemplate);
    server.create(anApplication('good-1'));
    if (this.#life.hasService) server.create(aService());
    if (this.#life.hasScaler) server.create(anHpa(APP, { minReplicas: 1 }));
    await this.#lab.pass(START_UP_MS[1] + LAG_MS + 1);
    server.create(structuredClone(this.#canary));
    this.#start();
  }

  nowMs(): number {
    return this.#lab.clock.monotonicMs();
  }

  async pass(ms: number): Promise<void> {
    await this.#lab.pass(ms);
    for (const side of ['target', 'primary'] as const) this.#loop(side);
    if (this.#contest && this.nowMs() < this.#contest.untilMs) this.#changeBack(this.#contest.what);
  }

  async act(action: Action, pass: (ms: number) => Promise<void>): Promise<Acted | undefined> {
    const { server } = this.#lab;
    switch (action.do) {
      case 'push':
        return this.#push(action.version);
      case 'push back':
        return this.#before === undefined ? undefined : this.#push(this.#before);
      case 'delete the Canary': {
        const found = this.#canaries();
        for (const canary of found) server.delete(refOf(canary));
        return found.length > 0 ? {} : undefined;
      }
      case 'create a Canary':
        return this.#create(action.name);
      case 'replace --force': {
        const [found] = this.#canaries();
        if (found === undefined) return undefined;
        server.delete(refOf(found));
        for (let ms = 0; ms < 120_000 && server.find(refOf(found)); ms += 250) await pass(250);
        return this.#create(found.metadata.name);
      }
      case 'rename': {
        const [found] = this.#canaries();
        if (found === undefined) return undefined;
        if (action.first === 'create') this.#create(action.name);
        server.delete(refOf(found));
        if (action.first === 'delete') this.#create(action.name);
        return {};
      }
      case 'edit the spec':
        return this.#life.provider === 'kubernetes' ? undefined : this.#edit({ analysis: { stepWeight: action.stepWeight } });
      case 'suspend':
        return this.#edit({ suspend: true });
      case 'resume':
        return this.#edit({ suspend: false });
      case 'accept':
        return this.#accept();
      case 'edit the route by hand':
        return this.#editRoute('kubectl-edit') ? { isForeign: true } : undefined;
      case 'apply the manifests again':
        return this.#apply();
      case 'contest':
        this.#contest = { what: action.what, untilMs: this.nowMs() + action.forMs };
        return { isForeign: true };
      case 'helm uninstall':
        for (const part of action.order) {
          this.#remove(part);
          await pass(action.gapMs);
        }
        return { isTaken: true };
      case 'helm install':
        return this.#install(action.version);
      case 'delete the namespace':
        server.delete(namespaceRef);
        return { isTaken: true };
      case 'relabel the target':
        return this.#relabel();
      case 'kill Serin':
        this.#lab.kill();
        if (action.selectorLabels) this.#selectorLabels = action.selectorLabels;
        this.#lab.clock.setTimer(action.forMs, () => this.#start());
        return {};
      case 'crash':
        return this.#fail(action.side, action.how, action.ms) ? {} : undefined;
      case 'drain': {
        const deployment = server.find(refOfSide(action.side));
        if (deployment === undefined || !this.#pods.evict(deployment, action.how, action.ms)) return undefined;
        this.#failed.push({ side: action.side, how: 'drain', atMs: this.nowMs(), forMs: action.ms });
        return {};
      }
      case 'remove definitions':
        return await this.#removeDefinitions(action, pass);
      case 'back up':
        this.#disasters.backUp();
        return {};
      case 'restore':
        return await this.#disasters.restore(action, pass);
      default:
        return action satisfies never;
    }
  }

  ask(): readonly Answer[] {
    return this.#lab.proxies.flatMap((proxy): Answer[] => {
      const found = proxy.backends(APP);
      if ('lost' in found) return [{ lost: found.lost, isPodsFault: this.#wasAnyDown() }];
      return found.deployments.flatMap((name): Answer[] => {
        if (!this.#lab.nodes.serves(name, NAMESPACE)) return [{ lost: `the pods of ${name} are gone`, isPodsFault: this.#wasAnyDown() }];
        return [...this.#lab.nodes.runs(name, NAMESPACE)].map((bytes) => ({ version: versionIn(bytes), by: name }));
      });
    });
  }

  canaries(): readonly CanaryView[] {
    return this.#canaries().map(canaryView);
  }

  held() {
    return { target: this.#imageOf(targetRef), primary: this.#imageOf(primaryRef) };
  }

  shares(): readonly { route: string; percents: readonly number[] }[] {
    const routes = ROUTES.flatMap((key) => this.#lab.server.api.store.list(key).map(([, stored]) => stored));
    return routes.flatMap((route) => sharesOf(route).map((percents) => ({ route: `${route.kind} ${route.metadata.name}`, percents })));
  }

  isSerinUp(): boolean {
    return this.#lab.isUp;
  }

  failed(): readonly PodFailed[] {
    return this.#failed.splice(0);
  }

  written(): readonly string[] {
    const all = this.#lab.writesByController;
    const news = all.flatMap((writes, index) => writes.slice(this.#told[index] ?? 0));
    this.#told = all.map((writes) => writes.length);
    return news
      .filter(({ ref }) => !UNCOUNTED.test(ref.kind))
      .map(({ verb, ref, subresource }) => `${verb} ${ref.kind} ${ref.name} ${subresource}`.trim());
  }

  /** A second play of it is the same, and can be looked into. */
  news(): readonly string[] {
    return [];
  }

  async close(): Promise<void> {
    this.#lab.close();
  }

  #start(): void {
    if (this.#lab.isUp) return;
    this.#lab.start(() => true, this.#selectorLabels ? { selectorLabels: [...this.#selectorLabels] } : {});
  }

  #canaries(): KubeObject[] {
    return this.#lab.server.api.store.list('flagger.app/canaries').map(([, stored]) => stored);
  }

  async #removeDefinitions(action: Removal, pass: (ms: number) => Promise<void>): Promise<Acted | undefined> {
    const before = this.#canaries();
    if (!(await this.#disasters.removeDefinitions(action, pass))) return undefined;
    if (action.of === 'Serin' && action.isSynced) for (const { metadata } of before) this.#create(metadata.name);
    return action.of === 'mesh' ? { isForeign: true, isLedAway: true } : {};
  }

  #create(name: string): Acted | undefined {
    const { server } = this.#lab;
    if (!this.#lab.server.serves(canaryRef)) return undefined;
    if (server.find(namespaceRef)?.metadata.deletionTimestamp !== undefined || server.find(namespaceRef) === undefined) return undefined;
    if (server.find({ ...canaryRef, name })) return undefined;
    const { metadata, ...rest } = structuredClone(this.#canary);
    server.create({ ...rest, metadata: { ...metadata, name } });
    return {};
  }

  #push(version: string): Acted | undefined {
    const before = this.#imageOf(targetRef);
    if (before === undefined || before === version) return undefined;
    this.#before = before;
    this.#lab.push(version);
    return { pushed: version };
  }

  #edit(spec: object): Acted | undefined {
    const found = this.#canaries();
    for (const canary of found) this.#lab.server.patch(refOf(canary), { spec });
    return found.length > 0 ? {} : undefined;
  }

  /** The user's word on the version that the target holds, where a primary is kept from it. */
  #accept(): Acted | undefined {
    const kept = readKeptPrimary(this.#lab.server.find(targetRef)?.metadata.annotations?.[keptAnnotation]);
    if (kept === undefined) return undefined;
    this.#lab.server.patch(targetRef, { metadata: { annotations: { [acceptAnnotation]: kept.unpromoted } } });
    return { isAccepted: true };
  }

  #changeBack(what: 'route' | 'Service'): void {
    const service = this.#lab.server.find(serviceRef);
    if (what === 'route') this.#editRoute('another-controller');
    else if (service && raw(service).spec.ports[0].targetPort !== 9_999) {
      const ports = raw(service).spec.ports.map((port: object) => ({ ...port, targetPort: 9_999 }));
      this.#lab.server.putAs('another-controller', { ...service, spec: { ...raw(service).spec, ports } });
    }
  }

  #editRoute(manager: string): boolean {
    const route = this.#lab.server.serves(routeRef) ? this.#lab.server.find(routeRef) : undefined;
    const http = structuredClone(raw(route)?.spec.http);
    if (!route || !http?.[0] || http[0].timeout === '7s') return false;
    http[0].timeout = '7s';
    this.#lab.server.putAs(manager, { ...route, spec: { ...raw(route).spec, http } });
    return true;
  }

  #apply(): Acted | undefined {
    const { server } = this.#lab;
    if (server.find(targetRef) === undefined) return undefined;
    if (!this.#life.hasScaler) server.patch(targetRef, { spec: { replicas: 1 } });
    const service = server.find(serviceRef);
    if (this.#life.hasService && service)
      server.putAs('a-gitops-tool', { ...service, spec: { ...raw(service).spec, ...raw(aService()).spec } });
    return { isForeign: true, isLedAway: true };
  }

  #remove(part: Part): void {
    if (part === 'Canary') for (const canary of this.#canaries()) this.#lab.server.delete(refOf(canary));
    else this.#lab.server.delete(part === 'target' ? targetRef : serviceRef);
  }

  #install(version: string): Acted | undefined {
    const { server } = this.#lab;
    if (server.find(namespaceRef) === undefined || server.find(targetRef)) return undefined;
    server.create(anApplication(version));
    if (this.#life.hasService && !server.find(serviceRef)) server.create(aService());
    if (this.#canaries().length === 0) this.#create(APP);
    return { pushed: version, isInstalled: true, isRestored: true };
  }

  #relabel(): Acted | undefined {
    const { server } = this.#lab;
    const target = server.find(targetRef);
    // Without a Canary, or without its primary, this would delete the application itself.
    if (target === undefined || server.find(primaryRef) === undefined) return undefined;
    if (this.#canaries().every(({ metadata }) => metadata.deletionTimestamp !== undefined)) return undefined;
    const version = this.#imageOf(targetRef) ?? '';
    server.delete(targetRef);
    server.create(anApplication(version, { [NAME_LABEL]: APP }));
    return {};
  }

  #fail(side: Side, how: 'exit' | 'oom' | 'flap', ms: number): boolean {
    const deployment = this.#lab.server.find(refOfSide(side));
    if (deployment === undefined || !this.#pods.fail(deployment, { how, ms })) return false;
    this.#failed.push({ side, how: 'crash', atMs: this.nowMs(), forMs: ms });
    return true;
  }

  /** Versions that fail by themselves. */
  #loop(side: Side): void {
    const deployment = this.#lab.server.find(refOfSide(side));
    if (deployment === undefined) return;
    const readyForMs = this.#pods.readyForMs(deployment) ?? 0;
    const [kind = ''] = (this.#versionsOf(deployment.metadata.name)[0] ?? '').split('-');
    const loop = kind in LOOPS ? LOOPS[kind as keyof typeof LOOPS] : undefined;
    if (loop && readyForMs >= loop.afterMs) this.#fail(side, loop.how, loop.ms);
  }

  #isBad(): boolean {
    return this.#versionsOf(APP).some((version) => version.startsWith('bad-'));
  }

  #versionsOf(deployment: string): string[] {
    return [...this.#lab.nodes.runs(deployment, NAMESPACE)].map(versionIn);
  }

  /** Pods that were down within the lag of the proxies also count. */
  #wasAnyDown(): boolean {
    const sinceMs = this.nowMs() - LAG_MS;
    return [targetRef, primaryRef].some((ref) => {
      const found = this.#lab.server.find(ref);
      return found !== undefined && this.#lab.nodes.wasDown(found, sinceMs);
    });
  }

  #imageOf(ref: ObjectRef): string | undefined {
    return raw(this.#lab.server.find(ref))?.spec.template.spec.containers[0].image;
  }
}

const refOfSide = (side: Side): ObjectRef => (side === 'target' ? targetRef : primaryRef);
const versionIn = (bytes: string): string => /"image":"([^"]*)"/.exec(bytes)?.[1] ?? 'nothing';

/** Both labels are in its pods; by which of them Serin tells the sides apart is its own affair. */
function anApplication(version: string, labels: Record<string, string> = { app: APP, [NAME_LABEL]: APP }): KubeObject {
  const made = aDeployment(version);
  const { spec } = raw(made);
  const template = { ...spec.template, metadata: { labels: { app: APP, ...labels } } };
  return { ...made, spec: { ...spec, selector: { matchLabels: labels }, template } };
}

function aService(): KubeObject {
  const ports = [{ name: 'http', port: 80, targetPort: 'http' }];
  return { apiVersion: 'v1', kind: 'Service', metadata: { name: APP, namespace: NAMESPACE }, spec: { selector: { app: APP }, ports } };
}
