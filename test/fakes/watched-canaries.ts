import { apiVersion } from '../../src/api/canary.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import type { Cluster, WatchHandler } from '../../src/kube/cluster.ts';

/** A cluster of which only Canaries are watched; a test says what the watch hears. */
export function aCluster() {
  const handlers: WatchHandler[] = [];
  const canary = (key: string): KubeObject => {
    const [namespace = '', name = ''] = key.split('/');
    return { apiVersion, kind: 'Canary', metadata: { namespace, name } };
  };
  const cluster: Pick<Cluster, 'watch'> = {
    watch(_, handler) {
      handlers.push(handler);
      const stop = () => void handlers.splice(handlers.indexOf(handler), 1);
      return { synced: Promise.resolve(), ageMs: () => 0, restarts: 0, stop };
    },
  };
  const all = (act: (handler: WatchHandler) => void) => handlers.forEach(act);
  return {
    cluster,
    list: (...keys: string[]) => all((handler) => handler.onList(keys.map(canary))),
    event: (type: 'ADDED' | 'MODIFIED' | 'DELETED', key: string) => all((handler) => handler.onEvent({ type, object: canary(key) })),
    unavailable: (message: string) => all((handler) => handler.onUnavailable?.('forbidden', message)),
    watches: () => handlers.length,
  };
}
