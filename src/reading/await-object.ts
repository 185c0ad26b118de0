import type { KubeObject, ObjectRef } from '../api/kube-object.ts';
import type { Clock } from '../base/clock.ts';
import type { Cluster, WatchHandler } from '../kube/cluster.ts';

/** Options of the wait for one object. */
interface AwaitOptions<T> {
  /** Value to wait for in this version of the object, `undefined` if it is not reached yet. Without `object`, the object was deleted or never existed. */
  reached(object: KubeObject | undefined): T | undefined;
  /** The result, or the error, when the time has passed. */
  late(): T;
  onUnavailable: (...why: Parameters<NonNullable<WatchHandler['onUnavailable']>>) => Error;
  clock: Clock;
  /** Below 0: the time has passed already. */
  withinMs: number;
}

/** Follows one object by a watch until `reached` gives a value. */
export async function awaitObject<T>(
  cluster: Pick<Cluster, 'watch'>,
  { apiVersion, kind, name, namespace = '' }: ObjectRef,
  { reached, late, onUnavailable, clock, withinMs }: AwaitOptions<T>,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  /** An error in it ends the wait. */
  const settle = (answer: () => T | undefined) => {
    try {
      const found = answer();
      if (found !== undefined) resolve(found);
    } catch (error) {
      reject(error);
    }
  };
  const watch = cluster.watch(
    { apiVersion, kind, namespace },
    {
      onList: ([item]) => settle(() => reached(item)),
      onEvent: ({ type, object }) => settle(() => reached(type === 'DELETED' ? undefined : object)),
      onUnavailable: (...why) => reject(onUnavailable(...why)),
    },
    { fieldSelector: `metadata.name=${name}` },
  );
  const cancel = clock.setTimer(Math.max(0, withinMs), () => settle(late));
  try {
    return await promise;
  } finally {
    cancel();
    watch.stop();
  }
}
