import type { Provider } from '../../api/canary.ts';
import { SERVICE_KIND } from '../../api/kinds/service.ts';
import { type ListKind, type ReadObjects, readNamespace } from '../../arrival/read-world.ts';
import type { UnreadKind } from '../../arrival/world.ts';
import { SharedRuns } from '../../base/shared-runs.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { withPriority } from '../../kube/with-priority.ts';
import type { ControllerConfig } from '../config.ts';
import type { Log } from '../log.ts';
import type { ClusterView } from '../watch/cluster-view.ts';

/** Kinds that are watched in any case. */
const WATCHED = [SERVICE_KIND, { apiVersion: 'apps/v1', kind: 'Deployment' }] as const;

interface ReadDeps {
  cluster: Cluster;
  view: Pick<ClusterView, 'ready' | 'allIn'>;
  config: Pick<ControllerConfig, 'namespaces'>;
  log: Pick<Log, 'warn'>;
}

/**
 * Reads the objects that can know an application, for the Canaries of one controller: from the watches, and the kinds that are not watched by a list each.
 * Equal lists at the same time are one request, since a deployment tool often starts many releases at once. Kinds that cannot be read are logged once.
 */
export class ApplicationReads {
  readonly #deps: ReadDeps;
  readonly #lists = new SharedRuns<Awaited<ReturnType<ListKind>>>();
  readonly #logged = new Set<string>();

  constructor(deps: ReadDeps) {
    // No release waits for it.
    this.#deps = { ...deps, cluster: withPriority(deps.cluster, 'initialization') };
  }

  read(namespace: string, provider: Provider, signal: AbortSignal): Promise<ReadObjects> {
    return this.#read(namespace, provider, false, signal);
  }

  /** Only the routes of the provider, what is attached to them, and what is watched: no more decides about an edit. */
  readRoutes(namespace: string, provider: Provider, signal: AbortSignal): Promise<ReadObjects> {
    return this.#read(namespace, provider, true, signal);
  }

  async #read(namespace: string, provider: Provider, isOfRoutes: boolean, signal: AbortSignal): Promise<ReadObjects> {
    const { view, config } = this.#deps;
    await Promise.all(WATCHED.map((kind) => view.ready({ ...kind, namespace })));
    const watched = WATCHED.flatMap((kind) => view.allIn(kind, namespace).map(({ object }) => object));
    const except = WATCHED.map(({ kind }) => kind);
    const isLimited = config.namespaces.length > 0;
    const getNamespace = (name: string) => this.#deps.cluster.get({ apiVersion: 'v1', kind: 'Namespace', name }, { signal });
    const list: ListKind = (kind) => {
      const key = [kind.apiVersion, kind.kind, kind.namespace ?? ''].join('/');
      return this.#lists.run(key, () => this.#deps.cluster.list(kind), signal);
    };
    const { objects, unread } = await readNamespace(namespace, list, { except, provider, isOfRoutes, isLimited, getNamespace });
    for (const one of unread) this.#log(one);
    return { objects: [...watched, ...objects], unread };
  }

  #log({ apiVersion, kind, why }: UnreadKind): void {
    const key = `${apiVersion}/${kind}`;
    if (this.#logged.has(key)) return;
    this.#logged.add(key);
    this.#deps.log.warn({ kind, reason: why }, 'a kind is not checked as Canaries arrive and as releases start');
  }
}
