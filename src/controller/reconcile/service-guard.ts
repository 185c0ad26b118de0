import { isDeepStrictEqual } from 'node:util';
import type { Canary } from '../../api/canary.ts';
import type { ServiceSpec } from '../../api/kinds/service.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import { type KubeObject, type Labels, refKey, refOf } from '../../api/kube-object.ts';
import type { DepsOf } from '../controller-deps.ts';
import { TargetUnusableError } from '../errors.ts';
import { endpointsIn, type Reach, readEndpoints, slicesOfService } from '../facts/endpoints.ts';
import { primaryRefOf, targetRefOf } from '../facts/gather-facts.ts';
import { missingField } from '../objects/drift.ts';
import { forgetWanted, type Wanted } from '../objects/healing-brake.ts';
import { onlyThese } from '../objects/whole-lists.ts';
import type { SideName } from './ordered-writes.ts';

type ServiceWriteContext = DepsOf<'cluster' | 'view' | 'clock'> & Wanted & { canary: Canary };

/** For EndpointSlices to follow a Service, once they can be seen: a cluster takes well below a second, and a busy one longer. */
const BOUND_MS = 10_000;

/**
 * The Services of a Canary that served before we write them: a Service without endpoints afterwards is put back, and is not tried again before the Canary or
 * the workload behind the Service is another one (I14). Kept only in memory.
 */
export class ServiceGuard {
  /** Services that were put back, by name. */
  readonly #putBack = new Map<string, { of: string; message: string }>();
  /** The fields that each Service had when it was seen to serve. */
  readonly #served = new Map<string, string>();

  /** `side`: the workload that the Service is to lead to. */
  async write(
    context: ServiceWriteContext,
    { wanted, live, side }: { wanted: KubeObject; live: KubeObject | undefined; side: SideName },
    write: () => Promise<void>,
  ): Promise<void> {
    const { cluster, view, signal } = context;
    const { selector, ports } = specOf<ServiceSpec>(wanted);
    if (!live || missingField({ selector, ports }, live.spec) === undefined) return write();
    const { name } = live.metadata;
    const of = attemptOf(context, side);
    const putBack = this.#putBack.get(name);
    if (putBack?.of === of) throw new TargetUnusableError(putBack.message, { field: 'spec.service' });
    const what = JSON.stringify([selector, ports]);
    // Another writer has changed it. If its EndpointSlices have not followed that, no change will come: the next correction must not wait for one.
    if (this.#served.get(name) === what) return write();
    this.#served.delete(name);
    const before = await readEndpoints(cluster, live, signal);
    await write();
    const written = view.find(refOf(wanted))?.object;
    const isMoved = written !== undefined && written.metadata.resourceVersion !== live.metadata.resourceVersion;
    if (!isMoved || !before || before.ready === 0) return;
    if (await isServed(context, written, before)) {
      this.#served.set(name, what);
      return;
    }
    view.learn(await cluster.patch(refOf(live), asItWas(live, written), { signal }));
    // We have undone it ourselves (I18).
    forgetWanted(context, refKey(refOf(live)));
    const message = `spec.service: Service ${name} had ${before.ready} ready endpoints, and none when it led to the ${side}, so it was put back: give the pods of ${context.canary.spec.targetRef.name} the ports and labels that the Service needs, or correct spec.service`;
    this.#putBack.set(name, { of, message });
    throw new TargetUnusableError(message, { field: 'spec.service' });
  }
}

function attemptOf({ canary, view }: ServiceWriteContext, side: SideName): string {
  const ref = side === 'primary' ? primaryRefOf(canary) : targetRefOf(canary);
  const { uid, generation } = view.find(ref)?.object.metadata ?? {};
  return `${canary.metadata.generation} ${uid}/${generation}`;
}

/**
 * Waits until the EndpointSlices have followed the write. A Service that they do not follow at all, or whose slices cannot be
 * watched, counts as served.
 */
async function isServed({ cluster, clock, signal }: ServiceWriteContext, service: KubeObject, before: Reach): Promise<boolean> {
  const { kind, selection } = slicesOfService(service);
  const slices = new Map<string, KubeObject>();
  const over = Promise.withResolvers<void>();
  let cancel: (() => void) | undefined;
  const seen = () => endpointsIn([...slices.values()]);
  const isChanged = () => !isDeepStrictEqual(reachOf(seen()), reachOf(before));
  const resolveIfServed = () => {
    if (seen().ready > 0 && isChanged()) over.resolve();
  };
  const watch = cluster.watch(
    kind,
    {
      onEvent({ type, object }) {
        if (type === 'DELETED') slices.delete(object.metadata.name);
        else slices.set(object.metadata.name, object);
        resolveIfServed();
      },
      onList(items) {
        slices.clear();
        for (const item of items) slices.set(item.metadata.name, item);
        // Not before: an API server that is slow to list them has not said that none exist.
        cancel ??= clock.setTimer(BOUND_MS, over.resolve);
        resolveIfServed();
      },
      onUnavailable: () => over.resolve(),
    },
    selection,
  );
  watch.synced.catch(() => undefined);
  const onAbort = () => over.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    if (signal.aborted) onAbort();
    await over.promise;
    return cancel === undefined || seen().ready > 0 || !isChanged();
  } finally {
    watch.stop();
    cancel?.();
    signal.removeEventListener('abort', onAbort);
  }
}

const reachOf = ({ addresses, numbers }: Reach) => [addresses.toSorted(), numbers.toSorted()];

/** The merge patch that undoes our write. */
function asItWas(before: KubeObject, written: KubeObject): { metadata: object; spec: object } {
  const { selector = {}, ports } = specOf<ServiceSpec>(before);
  const undone = (field: 'labels' | 'annotations') => onlyThese(before.metadata[field] ?? {}, written.metadata[field] ?? ({} as Labels));
  return {
    metadata: {
      resourceVersion: written.metadata.resourceVersion ?? '',
      labels: undone('labels'),
      annotations: undone('annotations'),
    },
    spec: { selector: onlyThese(selector, specOf<ServiceSpec>(written).selector ?? {}), ports: ports ?? null },
  };
}
