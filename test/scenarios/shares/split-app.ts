import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { Routes } from '../../../src/api/routes.ts';
import type { Cluster } from '../../../src/kube/cluster.ts';
import { type Apex, type Router, routerFor } from '../../../src/routers/index.ts';
import { renderServices } from '../../../src/routers/services.ts';
import type { Raw } from '../../fakes/raw.ts';
import { eventually } from '../eventually.ts';
import { canaryFor, parsed } from '../providers/canary-for.ts';
import type { AppName, ProviderFixture } from '../providers/provider-fixture.ts';
import type { ShareEnvironment } from './share-environment.ts';

export function routerOf({ provider }: ProviderFixture): Router {
  const router = routerFor(provider);
  if ('unsupported' in router) throw new Error(router.unsupported);
  return router;
}

/** What the controller makes of the Deployment and the Canary of `canaryFor`. */
export const apexOf = ({ name }: { name: string }): Apex => ({
  selector: { key: 'app', value: name },
  ports: [{ name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' }],
});

/** An application whose version 1 and version 2 run side by side, split as a router says, without a controller that releases it. */
export class SplitApp {
  readonly #environment: ShareEnvironment;
  readonly #fixture: ProviderFixture;
  readonly #app: AppName;
  readonly #analysis: object;

  private constructor(environment: ShareEnvironment, fixture: ProviderFixture, app: AppName, analysis: object) {
    this.#environment = environment;
    this.#fixture = fixture;
    this.#app = app;
    this.#analysis = analysis;
  }

  /** Its namespace is there already. */
  static async run(environment: ShareEnvironment, fixture: ProviderFixture, app: AppName, analysis: object = {}): Promise<SplitApp> {
    const split = new SplitApp(environment, fixture, app, analysis);
    await (fixture.sides ? fixture.sides(environment.cluster, app) : split.#twoPods());
    for (const object of fixture.objects?.(app) ?? []) await environment.cluster.apply(object, { fieldManager: 'user' });
    return split;
  }

  /** What the router renders is applied as the controller applies it, and every proxy goes by it. */
  async route(routes: Routes): Promise<void> {
    const { cluster, mesh } = this.#environment;
    const router = routerOf(this.#fixture);
    const canary = parsed(canaryFor(this.#fixture, this.#app, this.#analysis));
    const current = () => Promise.all(router.watches(canary).map((ref) => cluster.get(ref))).then(present);
    const { write, remove } = router.render(canary, apexOf(this.#app), routes, await current());
    for (const object of write) await cluster.apply(object);
    for (const ref of remove) await cluster.delete(ref);
    await eventually(`${this.#fixture.provider} goes by its routes`, async () => {
      const now = await current();
      return router.isInForce?.(canary, now) !== false && now.every((object) => mesh.knows(object));
    });
  }

  get target(): { url: string; host: string; headers: Record<string, string> } {
    const { host, headers } = this.#fixture;
    return { url: this.#environment.mesh.url(0), host: host(this.#app), headers: headers?.(this.#app) ?? {} };
  }

  async #twoPods(): Promise<void> {
    const { cluster } = this.#environment;
    const { name } = this.#app;
    const canary = parsed(canaryFor(this.#fixture, this.#app, this.#analysis));
    const services = renderServices(canary, apexOf(this.#app), {}, { apexOnPrimary: true });
    if ('error' in services) throw new Error(services.error);
    for (const service of services.write) await cluster.apply(service);
    await Promise.all([this.#pod('1', `${name}-primary`), this.#pod('2', name)]);
    for (const service of services.write) await this.#hasEndpoint(service);
  }

  async #pod(version: string, label: string): Promise<void> {
    const { name, namespace } = this.#app;
    const container = { name: 'web', image: `web:${version}`, ports: [{ name: 'http', containerPort: 8080 }] };
    const metadata = { name: `${name}-v${version}`, namespace, labels: { app: label } };
    await this.#environment.cluster.create({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [container] } });
  }

  async #hasEndpoint(service: KubeObject): Promise<void> {
    const { cluster, mesh } = this.#environment;
    const { name, namespace = '' } = service.metadata;
    const labelSelector = `kubernetes.io/service-name=${name}`;
    await eventually(`Service ${name} has an endpoint at the proxy`, async () => {
      const { items } = await cluster.list({ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', namespace }, { labelSelector });
      const ready = items.filter(({ endpoints }: Raw) =>
        endpoints?.some((one: { conditions?: { ready?: boolean } }) => one.conditions?.ready),
      );
      return ready.some((slice) => mesh.knows({ ...slice, apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' }));
    });
  }
}

export async function namespacesFor(cluster: Cluster, names: readonly string[]): Promise<void> {
  for (const name of names) await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
}

const present = (found: readonly (KubeObject | undefined)[]): KubeObject[] => found.flatMap((object) => object ?? []);
