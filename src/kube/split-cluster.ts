import type { Cluster, KindRef } from './cluster.ts';
import { withPriority } from './with-priority.ts';

/** Two clusters that look like one: each request and each watch goes to the one where its kind lies. */
export function splitCluster(local: Cluster, remote: Cluster, isRemote: (apiVersion: string) => boolean): Cluster {
  const of = ({ apiVersion }: Pick<KindRef, 'apiVersion'>): Cluster => (isRemote(apiVersion) ? remote : local);
  return {
    get: (ref, options) => of(ref).get(ref, options),
    list: (kind, selection) => of(kind).list(kind, selection),
    create: (object, options) => of(object).create(object, options),
    replace: (object, options) => of(object).replace(object, options),
    apply: (object, options) => of(object).apply(object, options),
    patch: (ref, patch, options) => of(ref).patch(ref, patch, options),
    delete: (ref, options) => of(ref).delete(ref, options),
    watch: (kind, handler, options) => of(kind).watch(kind, handler, options),
    at: (priority) => splitCluster(withPriority(local, priority), withPriority(remote, priority), isRemote),
    aheadMs: () => local.aheadMs?.() ?? 0,
    settled: async () => void (await Promise.all([local.settled(), remote.settled()])),
    close() {
      local.close();
      remote.close();
    },
  };
}
