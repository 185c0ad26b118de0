import type { KubeObject, Labels } from '../../../src/api/kube-object.ts';
import type { HandClock } from '../clock.ts';
import { type Raw, raw } from '../raw.ts';
import type { ModelServer } from './server.ts';

const WATCHED = new Set(['apps/deployments', '/services', 'networking.istio.io/virtualservices', 'split.smi-spec.io/trafficsplits']);

/**
 * A proxy that sees every change late. What it would send a request to right now is computed from its own view alone; whether
 * a pod answers there is up to the modelled nodes.
 */
export class ModelProxy {
  readonly #view = new Map<string, KubeObject>();
  readonly #namespace: string;

  constructor(server: ModelServer, clock: HandClock, namespace: string, lagMs: () => number) {
    this.#namespace = namespace;
    // Routes and endpoints come to a proxy by different ways: only the changes of one object keep their order.
    const due = new Map<string, number>();
    server.api.store.subscribe(({ storeKey, type, object }) => {
      if (!WATCHED.has(storeKey) || object.metadata.namespace !== namespace) return;
      const key = `${object.kind}/${object.metadata.name}`;
      const atMs = Math.max(due.get(key) ?? 0, clock.monotonicMs() + lagMs());
      due.set(key, atMs);
      clock.setTimer(atMs - clock.monotonicMs(), () => {
        if (type === 'DELETED') this.#view.delete(key);
        else this.#view.set(key, object);
      });
    });
  }

  /** The Deployments that one of the next requests to `host` may go to, or what is in the way. */
  backends(host: string): { deployments: string[] } | { lost: string } {
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
