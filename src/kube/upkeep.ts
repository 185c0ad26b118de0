import type { Cluster } from './cluster.ts';

/** For work that no release waits for. */
export const forUpkeep = (cluster: Cluster): Cluster => cluster.upkeep ?? cluster;

/** Asked for each request: is it upkeep now? */
export function upkeepWhile(cluster: Cluster, isUpkeep: () => boolean): Cluster {
  const now = (): Cluster => (isUpkeep() ? forUpkeep(cluster) : cluster);
  return {
    get: (...args) => now().get(...args),
    list: (...args) => now().list(...args),
    create: (...args) => now().create(...args),
    replace: (...args) => now().replace(...args),
    apply: (...args) => now().apply(...args),
    patch: (...args) => now().patch(...args),
    delete: (...args) => now().delete(...args),
    watch: (...args) => now().watch(...args),
    close: () => cluster.close(),
  };
}
