import { readKeptPrimary } from '../../../src/api/kept-primary.ts';
import { asKnativeService, type KnativeTraffic } from '../../../src/api/kinds/knative-service.ts';
import { primaryRevisionAnnotation } from '../../../src/api/knative.ts';
import { type KubeObject, type ObjectRef, refOf } from '../../../src/api/kube-object.ts';
import { acceptAnnotation, keptAnnotation } from '../../../src/api/names.ts';
import { type ObjectStore, watchObjects } from '../../../src/embedded/controllers/object-store.ts';
import { isConflict, isNotFound } from '../../../src/kube/errors.ts';
import type { KubeCluster } from '../../../src/kube/kube-cluster.ts';
import { raw } from '../../fakes/raw.ts';
import type { Environment } from '../../scenarios/environment.ts';
import { type HookServer, startHookServer } from '../../scenarios/hook-server.ts';
import { monotonicMs, sleep } from '../../scenarios/world.ts';
import { canaryView } from '../canary-view.ts';
import { THRESHOLD } from '../invariants.ts';
import type { Action, KnativeEdit, Life, Part } from '../life.ts';
import { APP } from '../real-application.ts';
import { RealClients } from '../real-clients.ts';
import { RealSerin } from '../real-serin.ts';
import { realPace } from '../real-world.ts';
import type { Acted, Answer, ApplicationWorld, CanaryView, PodFailed, WorldMaker } from '../world.ts';
import { aRevisionOf, versionIn } from './versions.ts';

const SERVING = 'serving.knative.dev/v1';
const CANARIES = 'flagger.app/v1beta1';
/** The user waits so long for the deletion of a Canary. */
const GONE_WITHIN_MS = 60_000;
const READY_WITHIN_MS = 90_000;

/** Writes of Serin in this namespace so far, but for events, leases and journals: how many of each. */
export type WritesOf = (namespace: string) => Readonly<Record<string, number>>;

/** Lives of a Knative Service, each in a namespace of its own and with a controller of its own, on the embedded cluster or beside the real Knative Serving. `main`: another program of Serin. */
export function knativeWorld(environment: Environment, writesOf: WritesOf, main?: string): WorldMaker {
  let made = 0;
  return async (life) => {
    made += 1;
    const world = new KnativeWorld(environment, life, `life-${life.seed}-${made}`, writesOf, await startHookServer(), main);
    try {
      await world.begin();
    } catch (error) {
      await world.close();
      throw error;
    }
    return world;
  };
}

class KnativeWorld implements ApplicationWorld {
  readonly pace = realPace;
  readonly #life: Life;
  readonly #namespace: string;
  readonly #cluster: KubeCluster;
  readonly #hooks: HookServer;
  readonly #clients: RealClients;
  readonly #serin: RealSerin;
  readonly #services: ObjectStore;
  readonly #revisions: ObjectStore;
  readonly #canaries: ObjectStore;
  readonly #writesOf: WritesOf;
  readonly #beganMs = monotonicMs();
  readonly #end = new AbortController();
  #told: Readonly<Record<string, number>> = {};
  #before: string | undefined;
  #shown = '';

  constructor(environment: Environment, life: Life, namespace: string, writesOf: WritesOf, hooks: HookServer, main: string | undefined) {
    this.#life = life;
    this.#namespace = namespace;
    this.#cluster = environment.cluster;
    this.#writesOf = writesOf;
    this.#hooks = hooks;
    this.#clients = new RealClients(environment.mesh.urls, `${APP}.${namespace}`, () => this.nowMs());
    this.#serin = new RealSerin(environment, namespace, main);
    const watched = (apiVersion: string, kind: string) => watchObjects(this.#cluster, { apiVersion, kind, namespace }, () => undefined);
    this.#services = watched(SERVING, 'Service');
    this.#revisions = watched(SERVING, 'Revision');
    this.#canaries = watched(CANARIES, 'Canary');
    hooks.answers('orders', () => (this.#newestVersion()?.startsWith('bad-') ? 500 : 200));
  }

  async begin(): Promise<void> {
    await this.#cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.#namespace } });
    await this.#cluster.create(aService(this.#namespace, 'good-1'));
    await this.#until('the first revision is ready', () => this.#isReady());
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
  }

  async act(action: Action, pass: (ms: number) => Promise<void>): Promise<Acted | undefined> {
    return await tried(this.#act(action, pass));
  }

  /** Knative says nothing of pods to its users, and none of them fails here: each lost request counts. */
  ask(): readonly Answer[] {
    return this.#clients.answers(() => false);
  }

  canaries(): readonly CanaryView[] {
    return this.#canaries.list().map(canaryView);
  }

  held() {
    const service = this.#service();
    const primary = service?.metadata.annotations?.[primaryRevisionAnnotation];
    return { target: versionIn(service), primary: primary === undefined ? undefined : versionIn(this.#revision(primary)) };
  }

  shares(): readonly { route: string; percents: readonly number[] }[] {
    const percents = trafficOf(this.#service()).map(({ percent = 0 }) => percent);
    return percents.length === 0 ? [] : [{ route: `Service ${APP}`, percents }];
  }

  isSerinUp(): boolean {
    return this.#serin.isUp;
  }

  failed(): readonly PodFailed[] {
    return [];
  }

  written(): readonly string[] {
    const told = this.#told;
    this.#told = this.#writesOf(this.#namespace);
    return Object.entries(this.#told).flatMap(([what, count]) => (count > (told[what] ?? 0) ? [what] : []));
  }

  news(): readonly string[] {
    const service = this.#service();
    const { latestCreatedRevisionName: created, latestReadyRevisionName: ready } = (service && asKnativeService(service).status) ?? {};
    const traffic = trafficOf(service).map((each) => `${each.revisionName ?? 'the newest'} ${each.percent ?? 0}`);
    const primary = service?.metadata.annotations?.[primaryRevisionAnnotation] ?? 'none';
    const now = service
      ? `${versionIn(service)}: traffic ${traffic.join(', ')}; primary ${primary}; newest ${created}, ready ${ready}`
      : 'no Service';
    const isNew = now !== this.#shown;
    this.#shown = now;
    return isNew ? [now] : [];
  }

  /** The namespace goes with all that is in it. */
  async close(): Promise<void> {
    this.#end.abort();
    await this.#clients.stop();
    await this.#serin.stop();
    await this.#hooks.stop();
    await tried(this.#cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: this.#namespace }));
    for (const canary of this.#canaries.list()) await tried(this.#cluster.patch(refOf(canary), { metadata: { finalizers: null } }));
    for (const store of [this.#services, this.#revisions, this.#canaries]) store.stop();
  }

  async #act(action: Action, pass: (ms: number) => Promise<void>): Promise<Acted | undefined> {
    const [canary] = this.#canaries.list();
    switch (action.do) {
      case 'push':
        return await this.#push(action.version);
      case 'push back':
        return this.#before === undefined ? undefined : await this.#push(this.#before);
      case 'delete the Canary':
        return await this.#remove('Canary');
      case 'create a Canary':
        return await this.#create(action.name);
      case 'replace --force': {
        if (canary === undefined) return undefined;
        await this.#cluster.delete(refOf(canary));
        const untilMs = this.nowMs() + GONE_WITHIN_MS;
        while (this.nowMs() < untilMs && this.#canaries.get(`${this.#namespace}/${canary.metadata.name}`)) await pass(this.pace.askMs);
        return await this.#create(canary.metadata.name);
      }
      case 'rename':
        if (canary === undefined) return undefined;
        if (action.first === 'create') await this.#create(action.name);
        await this.#cluster.delete(refOf(canary));
        if (action.first === 'delete') await this.#create(action.name);
        return {};
      case 'edit the spec':
        return await this.#edit({ analysis: { stepWeight: action.stepWeight } });
      case 'suspend':
        return await this.#edit({ suspend: true });
      case 'resume':
        return await this.#edit({ suspend: false });
      case 'accept':
        return await this.#accept();
      case 'edit the route by hand':
        return await this.#editTraffic(action.to ?? 'half and half');
      case 'apply the manifests again':
        return await this.#apply();
      case 'helm uninstall':
        for (const part of action.order) {
          await this.#remove(part);
          await pass(action.gapMs);
        }
        return { isTaken: true };
      case 'helm install':
        return await this.#install(action.version);
      case 'kill Serin':
        await this.#serin.kill();
        void sleep(action.forMs, this.#end.signal).then(
          () => this.#serin.start(),
          () => undefined,
        );
        return {};
      default:
        throw new Error(`a life of a Knative Service has no ${action.do}`);
    }
  }

  async #create(name: string): Promise<Acted | undefined> {
    await this.#cluster.create({
      apiVersion: CANARIES,
      kind: 'Canary',
      metadata: { name, namespace: this.#namespace },
      spec: {
        provider: 'knative',
        targetRef: { apiVersion: SERVING, kind: 'Service', name: APP },
        progressDeadlineSeconds: this.pace.deadlineMs / 1_000,
        ...(this.#life.revertOnDeletion && { revertOnDeletion: true }),
        analysis: {
          interval: `${this.pace.intervalMs / 1_000}s`,
          threshold: THRESHOLD,
          stepWeight: 10,
          maxWeight: 50,
          webhooks: [{ name: 'orders', type: 'rollout', url: this.#hooks.url('orders') }],
        },
      },
    });
    return {};
  }

  async #push(version: string): Promise<Acted | undefined> {
    const before = versionIn(this.#service());
    if (before === undefined || before === version) return undefined;
    await this.#cluster.patch(this.#ref(), { spec: { template: aRevisionOf(version) } });
    this.#before = before;
    return { pushed: version };
  }

  async #edit(spec: object): Promise<Acted | undefined> {
    const found = this.#canaries.list();
    for (const canary of found) await this.#cluster.patch(refOf(canary), { spec });
    return found.length > 0 ? {} : undefined;
  }

  /** The user's word on the version that the target holds, where a primary is kept from it. */
  async #accept(): Promise<Acted | undefined> {
    const kept = readKeptPrimary(this.#service()?.metadata.annotations?.[keptAnnotation]);
    if (kept === undefined) return undefined;
    await this.#cluster.patch(this.#ref(), { metadata: { annotations: { [acceptAnnotation]: kept.unpromoted } } });
    return { isAccepted: true };
  }

  async #editTraffic(to: KnativeEdit): Promise<Acted | undefined> {
    const service = this.#service();
    const primary = service?.metadata.annotations?.[primaryRevisionAnnotation];
    if (service === undefined || primary === undefined) return undefined;
    // A block of nothing but a tag has no share: Knative's webhook refuses it.
    if (to === 'a tag' && !trafficOf(service).some(({ percent = 0 }) => percent > 0)) return undefined;
    if (to === 'no annotation') {
      await this.#cluster.patch(this.#ref(), { metadata: { annotations: { [primaryRevisionAnnotation]: null } } });
      return { isForeign: true };
    }
    const traffic: Record<Exclude<KnativeEdit, 'no annotation'>, KnativeTraffic[]> = {
      'all to the newest': [{ latestRevision: true, percent: 100 }],
      'half and half': [
        { latestRevision: true, percent: 50 },
        { revisionName: primary, percent: 50 },
      ],
      'to the first one': [
        { revisionName: `${APP}-00001`, percent: 50 },
        { revisionName: primary, percent: 50 },
      ],
      'a tag': [...trafficOf(service).filter(({ tag }) => tag !== 'theirs'), { revisionName: primary, tag: 'theirs', percent: 0 }],
    };
    await this.#cluster.patch(this.#ref(), { spec: { traffic: traffic[to] } });
    return { isForeign: true, isLedAway: to !== 'a tag' };
  }

  /** The manifest in Git follows the newest Revision and has no annotation of Serin's. */
  async #apply(): Promise<Acted | undefined> {
    const version = versionIn(this.#service());
    if (version === undefined) return undefined;
    const { apiVersion, kind, metadata, spec } = raw(aService(this.#namespace, version));
    const wanted = { ...spec, traffic: [{ latestRevision: true, percent: 100 }] };
    await this.#cluster.apply({ apiVersion, kind, metadata, spec: wanted }, { fieldManager: 'a-gitops-tool', force: true });
    return { isForeign: true, isLedAway: true };
  }

  async #remove(part: Part): Promise<Acted | undefined> {
    const found = part === 'Canary' ? this.#canaries.list() : this.#services.list();
    for (const one of found) await tried(this.#cluster.delete(refOf(one), { propagationPolicy: 'Background' }));
    return found.length > 0 ? {} : undefined;
  }

  async #install(version: string): Promise<Acted | undefined> {
    if (this.#service()) return undefined;
    await this.#cluster.create(aService(this.#namespace, version));
    if (this.#canaries.list().length === 0) await this.#create(APP);
    return { pushed: version, isInstalled: true };
  }

  #ref(): ObjectRef {
    return { apiVersion: SERVING, kind: 'Service', name: APP, namespace: this.#namespace };
  }

  #service(): KubeObject | undefined {
    return this.#services.get(`${this.#namespace}/${APP}`);
  }

  #revision(name: string): KubeObject | undefined {
    return this.#revisions.get(`${this.#namespace}/${name}`);
  }

  /** The version of the Revision that a release would be about. */
  #newestVersion(): string | undefined {
    const service = this.#service();
    const name = service && asKnativeService(service).status?.latestCreatedRevisionName;
    return name === undefined ? undefined : versionIn(this.#revision(name));
  }

  #isReady(): boolean {
    const service = this.#service();
    const conditions = (service && asKnativeService(service).status?.conditions) ?? [];
    return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  }

  async #until(what: string, isSo: () => boolean): Promise<void> {
    for (const untilMs = this.nowMs() + READY_WITHIN_MS; !isSo(); ) {
      if (this.nowMs() > untilMs) throw new Error(`${what}: not within ${READY_WITHIN_MS / 1_000} s\n${this.#serin.log()}`);
      await sleep(100);
    }
  }
}

const trafficOf = (service: KubeObject | undefined): readonly KnativeTraffic[] =>
  (service && asKnativeService(service).spec?.traffic) ?? [];

function aService(namespace: string, version: string): KubeObject {
  return { apiVersion: SERVING, kind: 'Service', metadata: { name: APP, namespace }, spec: { template: aRevisionOf(version) } };
}

/** Returns undefined for a refused action: the object is missing, has changed since, or already exists. */
async function tried<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return undefined;
    throw error;
  }
}
