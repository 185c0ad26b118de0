import type { Cluster, KindRef, WatchHandle } from '../../kube/cluster.ts';
import { ApiError } from '../../kube/errors.ts';
import type { KubeCluster } from '../../kube/kube-cluster.ts';
import type { Rights } from './rights.ts';

/** The cluster that the controller reads for its readers. */
export interface Served {
  cluster: KubeCluster;
  /** Kinds of another cluster, whose rights this one does not know. */
  isElsewhere(apiVersion: string): boolean;
}

/**
 * The cluster with the rights of one user: each request is reviewed before it is sent with the controller's own account. It only reads, and patches
 * Canaries; everything else is refused.
 */
export function clusterAs({ cluster, isElsewhere }: Served, rights: Rights): KubeCluster {
  const demand = async (verb: string, { apiVersion, kind, namespace }: KindRef, name?: string): Promise<void> => {
    if (isElsewhere(apiVersion)) throw refused(`${kind} is in another cluster, whose rights are not known here`);
    const { group, plural } = await cluster.resourceOf(apiVersion, kind);
    await rights.demand({ verb, group, resource: plural, namespace, name });
  };
  const refuse = async (): Promise<never> => {
    throw refused('the dashboard does not send such requests');
  };
  return {
    async get(ref, options) {
      await demand('get', ref, ref.name);
      return cluster.get(ref, options);
    },
    async list(kind, selection) {
      await demand('list', kind, nameIn(selection));
      return cluster.list(kind, selection);
    },
    async patch(ref, patch, options) {
      if (ref.kind !== 'Canary' || options?.subresource !== undefined) return refuse();
      await demand('patch', ref, ref.name);
      return cluster.patch(ref, patch, options);
    },
    // The session knows the answer; the controller's own name would be the wrong one.
    create: async (object) =>
      object.kind === 'SelfSubjectReview' ? { ...object, status: { userInfo: { username: rights.user.name } } } : refuse(),
    watch: (kind, handler, options) => watchAs(cluster, () => demand('watch', kind, nameIn(options)), [kind, handler, options]),
    ...{ replace: refuse, apply: refuse, delete: refuse, bind: refuse, forceDelete: refuse, raw: refuse, ask: refuse },
    resourceOf: (apiVersion, kind) => cluster.resourceOf(apiVersion, kind),
    settled: () => cluster.settled(),
    // It is shared.
    close: () => undefined,
  };
}

const refused = (message: string) => new ApiError(message, { status: 403, reason: 'Forbidden', denial: { by: 'authorization' } });

/** RBAC also applies to a list of one object, by its name. Source: k8s.io/apiserver pkg/endpoints/request/requestinfo.go. */
function nameIn({ fieldSelector }: { fieldSelector?: string } = {}): string | undefined {
  return /^metadata\.name=([^,=!]+)$/.exec(fieldSelector ?? '')?.[1];
}

/** Begins when the right is known. */
function watchAs(cluster: Cluster, demand: () => Promise<void>, [kind, handler, options]: Parameters<Cluster['watch']>): WatchHandle {
  const synced = Promise.withResolvers<void>();
  let inner: WatchHandle | undefined;
  let isStopped = false;
  demand().then(
    () => {
      if (isStopped) return;
      inner = cluster.watch(kind, handler, options);
      inner.synced.then(synced.resolve, synced.reject);
    },
    (error: unknown) => {
      if (isStopped) return;
      if (error instanceof ApiError && error.status === 403) handler.onUnavailable?.('forbidden', error.message);
      else handler.onConnection?.('the rights cannot be checked now');
    },
  );
  return {
    synced: synced.promise,
    ageMs: () => inner?.ageMs() ?? 0,
    get restarts() {
      return inner?.restarts ?? 0;
    },
    stop() {
      isStopped = true;
      inner?.stop();
    },
  };
}
