import { stringify } from 'yaml';
import type { KubeObject, ObjectRef } from '../../src/api/kube-object.ts';
import type { Cluster } from '../../src/kube/cluster.ts';
import { world } from './world.ts';

/** A guard against waiting for ever, on a machine that has other things to do. */
export const BOUND_MS = 90_000;

/** Watches one object until the predicate holds (it gets undefined if the object does not exist); the error after the bound shows the last state. */
export async function until(
  cluster: Cluster,
  ref: ObjectRef,
  what: string,
  isSo: (now: KubeObject | undefined) => boolean | undefined,
  { boundMs = BOUND_MS, hint = () => '' }: { boundMs?: number; hint?: () => string } = {},
): Promise<KubeObject | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<KubeObject | undefined>();
  let last: KubeObject | undefined;
  const look = (now: KubeObject | undefined) => {
    last = now;
    if (isSo(now)) resolve(now);
  };
  const { apiVersion, kind, name, namespace } = ref;
  const watch = cluster.watch(
    { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }) },
    {
      onEvent: (event) => look(event.type === 'DELETED' ? undefined : event.object),
      onList: ([item]) => look(item),
    },
    { fieldSelector: `metadata.name=${name}` },
  );
  const cancel = world().clock.setTimer(boundMs, () =>
    reject(
      new Error(`${kind} ${namespace ?? ''}/${name} ${what}: not within ${boundMs / 1000} s. It is:\n${describeObject(last)}${hint()}`),
    ),
  );
  try {
    return await promise;
  } finally {
    cancel();
    watch.stop();
  }
}

export function describeObject(object: KubeObject | undefined): string {
  if (!object) return 'absent\n';
  const { managedFields: _, ...metadata } = object.metadata;
  return stringify({ ...object, metadata });
}
