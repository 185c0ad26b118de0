import type { Canary } from '../../../src/api/canary.ts';
import { specOf } from '../../../src/api/kinds/spec-of.ts';
import { type KubeObject, refKey, refOf } from '../../../src/api/kube-object.ts';
import type { Routes } from '../../../src/api/routes.ts';
import type { Cluster } from '../../../src/kube/cluster.ts';
import { type Apex, type Router, routerFor } from '../../../src/routers/index.ts';
import { discoverPorts, renderServices } from '../../../src/routers/services.ts';
import { asMade } from '../../contracts/routers-cases.ts';
import type { Raw } from '../../fakes/raw.ts';
import { eventually } from '../eventually.ts';
import type { Env } from '../kinds/application.ts';
import { canaryFor, parsed } from '../providers/canary-for.ts';
import type { AppName, ProviderFixture } from '../providers/provider-fixture.ts';
import type { ShareEnvironment } from './share-environment.ts';

export function routerOf({ provider }: ProviderFixture): Router {
  const router = routerFor(provider);
  if ('unsupported' in router) throw new Error(router.unsupported);
  return router;
}

/** The apex that the controller derives from the Deployment and the Canary of `canaryFor`. */
export const apexOf = ({ name }: { name: string }): Apex => ({
  selector: { key: 'app', target: name, primary: `${name}-primary` },
  ports: [{ name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' }],
});

/** The pods of both versions. */
export interface Pods {
  /** Behaviour of the pods of each version; default: they answer at once. */
  env?: Partial<Record<'1' | '2', Env>>;
  /** Environment of the pods after the first; default: the environment of the first. */
  others?: Partial<Record<'1' | '2', Env>>;
  /** Default: one, called `http`. */
  ports?: readonly { name: string; containerPort: number }[];
  /** Ports of a Service that existed before the Canary; default: none existed. */
  found?: readonly { name?: string; port: number; targetPort: number | string; appProtocol?: string }[];
  /** Number of pods of each version; default 1. */
  count?: number;
}

const HTTP = [{ name: 'http', containerPort: 8080 }];

/** An application whose version 1 and version 2 run side by side, split as a router says, without a controller that releases it. */
export class SplitApp {
  readonly #environment: ShareEnvironment;
  readonly #fixture: ProviderFixture;
  readonly #app: AppName;
  readonly #analysis: object;
  readonly #pods: Pods;

  private constructor(environment: ShareEnvironment, fixture: ProviderFixture, app: AppName, analysis: object, pods: Pods) {
    this.#environment = environment;
    this.#fixture = fixture;
    this.#app = app;
    this.#analysis = analysis;
    this.#pods = pods;
  }

  /** Its namespace must exist. */
  static async run(
    environment: ShareEnvironment,
    fixture: ProviderFixture,
    app: AppName,
    { analysis = {}, pods = {} }: { analysis?: object; pods?: Pods } = {},
  ): Promise<SplitApp> {
    const split = new SplitApp(environment, fixture, app, analysis, pods);
    await (fixture.sides ? fixture.sides(environment.cluster, app) : split.#runPods());
    const objects = fixture.objects?.(app) ?? [];
    for (const object of objects) await environment.cluster.apply(object, { fieldManager: 'user' });
    // Each Service of the fixture selects the pods of one version.
    for (const service of objects.filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Service'))
      await split.#hasEndpoints(service, pods.count ?? 1);
    return split;
  }

  /** Applies the rendered routes as the controller does, and waits until every proxy uses them. */
  async route(routes: Routes): Promise<void> {
    const { mesh } = this.#environment;
    await this.write(routes);
    const router = routerOf(this.#fixture);
    const canary = this.#canary();
    await eventually(`${this.#fixture.provider} goes by its routes`, async () => {
      const now = await this.#current();
      return router.isInForce?.(canary, now) !== false && now.every((object) => mesh.knows(object));
    });
  }

  /** The same, without waiting for the proxies. */
  async write(routes: Routes): Promise<void> {
    const { cluster } = this.#environment;
    const canary = this.#canary();
    const router = routerOf(this.#fixture);
    const current = await this.#current();
    const { write, remove } = router.render(canary, this.#apex(canary), routes, current);
    for (const object of write) {
      const found = current.find((one) => refKey(refOf(one)) === refKey(refOf(object)));
      if (found && router.isUsers?.(found)) await cluster.patch(refOf(object), { spec: specOf(object) });
      else await cluster.apply(asMade(object));
    }
    for (const ref of remove) await cluster.delete(ref);
  }

  /** Host by which users name it. */
  get host(): string {
    return this.#fixture.host(this.#app);
  }

  get target(): { url: string; host: string; headers: Record<string, string> } {
    const { host, headers } = this.#fixture;
    return { url: this.#environment.mesh.url(0), host: host(this.#app), headers: headers?.(this.#app) ?? {} };
  }

  #canary(): Canary {
    return parsed(canaryFor(this.#fixture, this.#app, this.#analysis));
  }

  async #current(): Promise<KubeObject[]> {
    const found = routerOf(this.#fixture).watches(this.#canary());
    return present(await Promise.all(found.map((ref) => this.#environment.cluster.get(ref))));
  }

  #apex(canary: Canary): Apex {
    const spec = { template: { spec: { containers: [this.#container('2')] } } };
    const { found } = this.#pods;
    const service = found && { apiVersion: 'v1', kind: 'Service', metadata: { ...this.#app }, spec: { ports: found } };
    return {
      ...apexOf(this.#app),
      ports: discoverPorts(canary, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { ...this.#app }, spec }, service),
    };
  }

  #container(version: '1' | '2', index = 0) {
    const { env = {}, others = env, ports = HTTP } = this.#pods;
    const settings = Object.entries((index === 0 ? env : others)[version] ?? {}).map(([name, value]) => ({ name, value }));
    return { name: 'web', image: `web:${version}`, ports, env: settings };
  }

  async #runPods(): Promise<void> {
    const { cluster } = this.#environment;
    const { name } = this.#app;
    const canary = this.#canary();
    const services = renderServices(canary, this.#apex(canary), {}, { apexOnPrimary: true });
    if ('error' in services) throw new Error(services.error);
    // If proxies know a connection only by its port, istiod gives the port to the oldest Service: the users' Service is created first.
    const isCopy = ({ metadata }: KubeObject): number => Number(metadata.name !== name);
    for (const service of services.write.toSorted((a, b) => isCopy(a) - isCopy(b))) await cluster.apply(service);
    const { count = 1 } = this.#pods;
    const each = Array.from({ length: count }, (_, index) => index);
    await Promise.all(each.flatMap((index) => [this.#pod('1', `${name}-primary`, index), this.#pod('2', name, index)]));
    for (const service of services.write) await this.#hasEndpoints(service, count);
  }

  async #pod(version: '1' | '2', label: string, index: number): Promise<void> {
    const { name, namespace } = this.#app;
    const metadata = { name: `${name}-v${version}${index === 0 ? '' : `-${index}`}`, namespace, labels: { app: label } };
    await this.#environment.cluster.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata,
      spec: { containers: [this.#container(version, index)] },
    });
  }

  async #hasEndpoints(service: KubeObject, count: number): Promise<void> {
    const { cluster, mesh } = this.#environment;
    const { name, namespace = '' } = service.metadata;
    const labelSelector = `kubernetes.io/service-name=${name}`;
    await eventually(`Service ${name} has its endpoints at the proxy`, async () => {
      const { items } = await cluster.list({ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', namespace }, { labelSelector });
      const isReady = (one: { conditions?: { ready?: boolean } }) => one.conditions?.ready === true;
      const ready = items.filter(({ endpoints }: Raw) => (endpoints ?? []).filter(isReady).length === count);
      return ready.some((slice) => mesh.knows({ ...slice, apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' }));
    });
  }
}

export async function namespacesFor(cluster: Cluster, names: readonly string[]): Promise<void> {
  for (const name of names) await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
}

const present = (found: readonly (KubeObject | undefined)[]): KubeObject[] => found.flatMap((object) => object ?? []);
