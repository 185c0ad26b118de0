import type { KubeObject } from '../../src/api/kube-object.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { NAMESPACE } from './applications.ts';

export interface CanaryWatch {
  /** Resolves when so many Canaries are as wanted at once; rejects after the bound, saying what they are instead. */
  until(count: number, what: string, isSo: (canary: KubeObject) => boolean, boundMs: number): Promise<void>;
  /** Called with each new state, until the returned function is called. */
  onEach(listener: (canary: KubeObject) => void): () => void;
  stop(): void;
}

export function watchCanaries(cluster: KubeCluster, clock: Clock = systemClock): CanaryWatch {
  const canaries = new Map<string, KubeObject>();
  const listeners = new Set<(canary: KubeObject) => void>();
  const learn = (canary: KubeObject): void => {
    canaries.set(canary.metadata.name, canary);
    for (const listener of listeners) listener(canary);
  };
  const handle = cluster.watch(
    { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', namespace: NAMESPACE },
    { onEvent: ({ object }) => learn(object), onList: (items) => items.forEach(learn) },
  );
  return {
    async until(count, what, isSo, boundMs) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const so = new Set<string>();
      const look = (canary: KubeObject): void => {
        if (isSo(canary)) so.add(canary.metadata.name);
        else so.delete(canary.metadata.name);
        if (so.size >= count) resolve();
      };
      const cancel = clock.setTimer(boundMs, () => reject(new Error(`${so.size} of ${count} Canaries ${what} after ${boundMs / 1000} s`)));
      listeners.add(look);
      canaries.forEach(look);
      try {
        await promise;
      } finally {
        cancel();
        listeners.delete(look);
      }
    },
    onEach(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop: () => handle.stop(),
  };
}
