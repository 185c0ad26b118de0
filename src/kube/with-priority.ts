import type { Cluster } from './cluster.ts';
import type { Priority } from './priority.ts';

/** The same cluster, whose requests have this priority. A function is called for each request. */
export function withPriority(cluster: Cluster, priority: Priority | (() => Priority)): Cluster {
  const at = (now: Priority): Cluster => cluster.at?.(now) ?? cluster;
  if (typeof priority === 'string') return at(priority);
  return {
    get: (...args) => at(priority()).get(...args),
    list: (...args) => at(priority()).list(...args),
    create: (...args) => at(priority()).create(...args),
    replace: (...args) => at(priority()).replace(...args),
    apply: (...args) => at(priority()).apply(...args),
    patch: (...args) => at(priority()).patch(...args),
    delete: (...args) => at(priority()).delete(...args),
    watch: (...args) => at(priority()).watch(...args),
    settled: () => cluster.settled(),
    close: () => cluster.close(),
  };
}
