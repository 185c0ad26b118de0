import { type KubeObject, refKey } from '../../api/kube-object.ts';
import { type Clock, sleep } from '../../base/clock.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { CANARIES, canaryRef, NOT_INSTALLED, summaryOf } from '../../reading/canary-reading.ts';
import type { CanarySummary, KeptItem } from '../../reading/documents/canary-documents.ts';
import { keptAmong, watchAnchors } from '../../reading/kept-primaries.ts';
import { CommandError } from '../output/exit-codes.ts';

/** Canaries, and primaries that outlive theirs, each sorted by namespace and name. */
export interface ShownList {
  items: readonly CanarySummary[];
  kept: readonly KeptItem[];
}

/** Which Canaries are watched, and for how long. */
interface WatchedList {
  cluster: Pick<Cluster, 'watch'>;
  /** Absent for all namespaces. */
  namespace: string | undefined;
  selector: string | undefined;
  clock: Clock;
  signal: AbortSignal;
  show(list: ShownList): void | Promise<void>;
  connection(lost: string | undefined): void;
}

/** Between a change and its display: a burst of changes is shown once. */
const REST_MS = 100;

/** Shows all Canaries and kept primaries, and again after changes, from a watch of each: nothing else is read. */
export async function watchList({ cluster, namespace, selector, clock, signal, show, connection }: WatchedList): Promise<void> {
  const known = new Map<string, CanarySummary>();
  let isListed = false;
  let turn = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<never>();
  stopped.promise.catch(() => undefined);
  const aborted = new Promise<'aborted'>((resolve) => {
    if (signal.aborted) resolve('aborted');
    signal.addEventListener('abort', () => resolve('aborted'), { once: true });
  });
  const keyOf = ({ metadata: { namespace: within = '', name } }: KubeObject) => refKey(canaryRef(within, name));
  const watch = cluster.watch(
    { ...CANARIES, ...(namespace && { namespace }) },
    {
      onList(items) {
        isListed = true;
        known.clear();
        for (const item of items) known.set(keyOf(item), summaryOf(item));
        turn.resolve();
      },
      onEvent({ type, object }) {
        if (type === 'DELETED') known.delete(keyOf(object));
        else known.set(keyOf(object), summaryOf(object));
        turn.resolve();
      },
      onUnavailable(cause, message) {
        stopped.reject(cause === 'absent' ? new CommandError('notFound', NOT_INSTALLED) : new CommandError('unanswered', message));
      },
      onConnection: connection,
    },
    selector === undefined ? {} : { labelSelector: selector },
  );
  let kept: readonly KeptItem[] = [];
  // A kept primary has no labels of its Canary.
  const anchors =
    selector === undefined
      ? watchAnchors(cluster, namespace, (now) => {
          const before = JSON.stringify(kept);
          kept = keptAmong(now);
          if (isListed && JSON.stringify(kept) !== before) turn.resolve();
        })
      : undefined;
  try {
    while ((await Promise.race([turn.promise, aborted, stopped.promise])) !== 'aborted') {
      turn = Promise.withResolvers();
      await show({ items: [...known.values()].toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)), kept });
      await sleep(clock, REST_MS, signal).catch(() => undefined);
    }
  } finally {
    anchors?.stop();
    watch.stop();
  }
}

const nameOf = ({ namespace, name }: CanarySummary): string => `${namespace}/${name}`;
