import type { KubeObject, Labels } from '../../../src/api/kube-object.ts';
import type { HandClock } from '../clock.ts';
import { type Raw, raw } from '../raw.ts';
import type { ModelServer } from './server.ts';

const WATCHED = new Set([
  'apps/deployments',
  '/services',
  'networking.istio.io/virtualservices',
  'split.smi-spec.io/trafficsplits',
  'appmesh.k8s.aws/virtualservices',
  'appmesh.k8s.aws/virtualrouters',
  'appmesh.k8s.aws/virtualnodes',
]);

/** A proxy that sees every change late. Its view decides where it would send a request right now; the modelled nodes decide whether a pod answers there. */
export class ModelProxy {
  readonly #view = new Map<string, KubeObject>();
  readonly #namespace: string;

  constructor(server: ModelServer, clock: HandClock, namespace: string, lagMs: () => number) {
    this.#namespace = namespace;
    // Routes and endpoints come to a proxy by different ways: only the changes of one object keep their order.
    const due = new Map<string, number>();
    server.api.store.subscribe(({ storeKey, type, object }) => {
      if (!WATCHED.has(storeKey) || object.metadata.namespace !== namespace) return;
      const key = `${knownAs(object)}/${object.metadata.name}`;
      // App Mesh refuses to delete a node that a route still leads to: what it tells a proxy keeps its order.
      const way = object.apiVersion.startsWith('appmesh.k8s.aws/') ? 'App Mesh' : key;
      const atMs = Math.max(due.get(way) ?? 0, clock.monotonicMs() + lagMs());
      due.set(way, atMs);
      clock.setTimer(atMs - clock.monotonicMs(), () => {
        if (type === 'DELETED') this.#view.delete(key);
        else this.#view.set(key, object);
      });
    });
  }

  /** The Deployments that the next requests to `host` can reach, or the reason why a request is lost. */
  backends(host: string): { deployments: string[] } | { lost: string } {
    const nodes = this.#meshNodes(host);
    if (nodes) return this.#behind(nodes);
    const deployments: string[] = [];
    for (const each of this.#destinations(host)) {
      const service = this.#view.get(`Service/${each}`);
      if (service === undefined) return { lost: `no Service ${each}` };
      const pods = this.#selected(raw(service).spec.selector ?? {});
      if (pods.length === 0) return { lost: `no endpoint of ${each} in ${this.#namespace}` };
      deployments.push(...pods);
    }
    return { deployments };
  }

  /** App Mesh: the VirtualNodes to which the router of a VirtualService leads; undefined where none is of this host, or leads to no router. */
  #meshNodes(host: string): string[] | undefined {
    const { provider } = raw(this.#view.get(`MeshService/${host}`))?.spec ?? {};
    const router = raw(this.#view.get(`VirtualRouter/${provider?.virtualRouter?.virtualRouterRef?.name}`));
    if (!router) return undefined;
    const routes: { httpRoute: { action: { weightedTargets: { virtualNodeRef: { name: string }; weight: number }[] } } }[] =
      router.spec.routes;
    const targets = routes.flatMap(({ httpRoute }) => httpRoute.action.weightedTargets).filter(({ weight }) => weight > 0);
    return [...new Set(targets.map(({ virtualNodeRef }) => virtualNodeRef.name))];
  }

  #behind(nodes: readonly string[]): { deployments: string[] } | { lost: string } {
    const deployments: string[] = [];
    for (const each of nodes) {
      const node = raw(this.#view.get(`VirtualNode/${each}`));
      if (node === undefined) return { lost: `no VirtualNode ${each}` };
      const pods = this.#selected(node.spec.podSelector.matchLabels);
      if (pods.length === 0) return { lost: `no pod of the VirtualNode ${each} in ${this.#namespace}` };
      deployments.push(...pods);
    }
    return { deployments };
  }

  #destinations(host: string): string[] {
    const virtual = this.#view.get(`VirtualService/${host}`);
    if (virtual) {
      const rules: { route?: { destination: { host: string }; weight?: number }[] }[] = raw(virtual).spec.http ?? [];
      const taken = rules.flatMap(({ route = [] }) => route.filter(({ weight }) => weight === undefined || weight > 0));
      return [...new Set(taken.map(({ destination }) => destination.host))];
    }
    const backends: { service: string; weight: number }[] = raw(this.#view.get(`TrafficSplit/${host}`))?.spec.backends ?? [];
    const taken = backends.filter(({ weight }) => weight > 0).map(({ service }) => service);
    return taken.length > 0 ? taken : [host];
  }

  /** Deployments whose pods the Service selects and that had an available pod when this proxy last saw them. */
  #selected(selector: Labels): string[] {
    return [...this.#view.values()]
      .filter(({ kind, spec, status }: Raw) => {
        if (kind !== 'Deployment' || (status?.availableReplicas ?? 0) === 0 || spec.replicas === 0) return false;
        const labels: Labels = spec.template.metadata.labels;
        return Object.entries(selector).every(([key, value]) => labels[key] === value);
      })
      .map(({ metadata }) => metadata.name);
  }
}

/** Istio and App Mesh have a kind of the same name. */
const knownAs = ({ kind, apiVersion }: KubeObject): string =>
  kind === 'VirtualService' && apiVersion.startsWith('appmesh.k8s.aws/') ? 'MeshService' : kind;
