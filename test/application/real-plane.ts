import type { KubeObject } from '../../src/api/kube-object.ts';
import { type ObjectChange, type ObjectStore, watchObjects } from '../../src/embedded/controllers/object-store.ts';
import { loadConnection } from '../../src/kube/connect.ts';
import { createCluster } from '../../src/kube/create-cluster.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { type RealEnvironment, startRealEnvironment } from '../scenarios/environment.ts';
import { type HookServer, startHookServer } from '../scenarios/hook-server.ts';
import { sleep } from '../scenarios/world.ts';
import { newsOf } from './object-news.ts';
import { CONTROLLER, EDITOR, sharedRoles } from './real-rights.ts';

/** Interval of audit-log reads. It is long because many lives share the environment. */
const ASK_AUDIT_MS = 1_000;
/** No test here queries Prometheus. */
const SCRAPE_MS = 5_000;
/** On a busy machine an answer is late. */
const ANSWER_WITHIN_MS = 60_000;
const WRITES = new Set(['create', 'update', 'patch', 'delete']);
/** Events, leases, and what Serin remembers in ControllerRevisions: journals and anchors. */
const UNCOUNTED = /\/(events|leases|controllerrevisions)\b/;
const KINDS = {
  canaries: { apiVersion: 'flagger.app/v1beta1', kind: 'Canary' },
  deployments: { apiVersion: 'apps/v1', kind: 'Deployment' },
  services: { apiVersion: 'v1', kind: 'Service' },
  routes: { apiVersion: 'networking.istio.io/v1beta1', kind: 'VirtualService' },
  splits: { apiVersion: 'split.smi-spec.io/v1alpha2', kind: 'TrafficSplit' },
} as const;
type Watched = keyof typeof KINDS;

/** One real control plane for many lives: what each of them sees of it is watched once. */
export class RealPlane {
  readonly environment: RealEnvironment;
  readonly hooks: HookServer;
  /** A user of the applications, under the role `edit` of each life's namespace. */
  readonly editor: KubeCluster;
  readonly #stores: Readonly<Record<Watched, ObjectStore>>;
  readonly #pods: ObjectStore;
  readonly #hears = new Map<string, (change: ObjectChange) => void>();
  /** Writes by namespace. */
  readonly #written = new Map<string, string[]>();
  /** News by namespace. */
  readonly #news = new Map<string, string[]>();
  readonly #withoutRights = new Set<string>();
  readonly #end = new AbortController();
  #reading: Promise<void>;

  private constructor(environment: RealEnvironment, hooks: HookServer, editor: KubeCluster) {
    this.environment = environment;
    this.hooks = hooks;
    this.editor = editor;
    const watched = (kind: Watched) => watchObjects(environment.cluster, KINDS[kind], (change) => this.#note(change));
    this.#stores = {
      canaries: watched('canaries'),
      deployments: watched('deployments'),
      services: watched('services'),
      routes: watched('routes'),
      splits: watched('splits'),
    };
    this.#pods = watchObjects(environment.cluster, { apiVersion: 'v1', kind: 'Pod' }, (change, { metadata }) => {
      this.#note(change);
      this.#hears.get(metadata.namespace ?? '')?.(change);
    });
    this.#reading = this.#read();
  }

  static async start(): Promise<RealPlane> {
    const environment = await startRealEnvironment({
      scrapeIntervalMs: SCRAPE_MS,
      people: [CONTROLLER, EDITOR],
      // The controller that builds `edit` from the roles that are added to it.
      moreControllers: ['clusterrole-aggregation-controller'],
    });
    for (const role of sharedRoles()) await environment.cluster.apply(role);
    const connection = await loadConnection({ kubeconfig: environment.kubeconfigFileOf(EDITOR), userAgent: EDITOR });
    const editor = createCluster(connection, { requestTimeoutMs: ANSWER_WITHIN_MS });
    const plane = new RealPlane(environment, await startHookServer(), editor);
    await Promise.all([...Object.values(plane.#stores), plane.#pods].map(({ synced }) => synced));
    return plane;
  }

  get(kind: Watched, namespace: string, name: string): KubeObject | undefined {
    return this.#stores[kind].get(`${namespace}/${name}`);
  }

  canaries(namespace: string): KubeObject[] {
    return this.#stores.canaries.list().filter(({ metadata }) => metadata.namespace === namespace);
  }

  routes(namespace: string): KubeObject[] {
    const all = [...this.#stores.routes.list(), ...this.#stores.splits.list()];
    return all.filter(({ metadata }) => metadata.namespace === namespace);
  }

  /** The rights in this namespace go with it. */
  losesRights(namespace: string): void {
    this.#withoutRights.add(namespace);
  }

  /** Requests of controllers that their role does not allow; in a namespace that was deleted they had none left. */
  forbidden(): string[] {
    const isLost = (request: string) =>
      [...this.#withoutRights].some((namespace) => new RegExp(`/namespaces/${namespace}(/|$)`).test(request));
    return this.environment.forbidden(CONTROLLER).filter((request) => !isLost(request));
  }

  pods(namespace: string): KubeObject[] {
    return this.#pods.list().filter(({ metadata }) => metadata.namespace === namespace);
  }

  /** Each change of a pod in the namespace, until it is ended by what comes back. */
  hearPods(namespace: string, hear: (change: ObjectChange) => void): () => void {
    this.#hears.set(namespace, hear);
    return () => this.#hears.delete(namespace);
  }

  /** Writes of Serin since the last question, as the audit log has them a second later: `patch /apis/…`. */
  written(namespace: string): string[] {
    const written = this.#written.get(namespace) ?? [];
    this.#written.delete(namespace);
    return written;
  }

  /** Since the last question: what became of the objects that lead requests, and of the pods. */
  news(namespace: string): string[] {
    const news = this.#news.get(namespace) ?? [];
    this.#news.delete(namespace);
    return news;
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#reading;
    for (const store of [...Object.values(this.#stores), this.#pods]) store.stop();
    this.editor.close();
    await this.hooks.stop();
    await this.environment.stop();
  }

  #note(change: ObjectChange): void {
    const news = newsOf(change);
    const { namespace = '' } = (change.next ?? change.previous)?.metadata ?? {};
    if (news !== undefined) this.#news.set(namespace, [...(this.#news.get(namespace) ?? []), news]);
  }

  /** Once for all lives. */
  async #read(): Promise<void> {
    for (let told = 0; !this.#end.signal.aborted; ) {
      const all = this.environment.requestsOf(CONTROLLER);
      for (const { verb, uri } of all.slice(told)) {
        const namespace = /\/namespaces\/([^/?]+)\//.exec(uri)?.[1];
        if (namespace === undefined || !WRITES.has(verb) || UNCOUNTED.test(uri)) continue;
        this.#written.set(namespace, [...(this.#written.get(namespace) ?? []), `${verb} ${uri}`]);
      }
      told = all.length;
      await sleep(ASK_AUDIT_MS, this.#end.signal).catch(() => undefined);
    }
  }
}
