import { type KubeObject, refKey } from '../../api/kube-object.ts';
import { type Clock, sleep } from '../../kube/clock.ts';
import type { Cluster } from '../../kube/cluster.ts';
import type { CanarySummary } from '../output/documents.ts';
import { CommandError } from '../output/exit-codes.ts';
import { CANARIES, canaryRef, NOT_INSTALLED, summaryOf } from './canary-reading.ts';

/** Which Canaries are watched, and for how long. */
interface WatchedList {
  cluster: Pick<Cluster, 'watch'>;
  /** Absent: all of them. */
  namespace: string | undefined;
  selector: string | undefined;
  clock: Clock;
  signal: AbortSignal;
  /** Sorted by namespace and name. */
  show(items: CanarySummary[]): void | Promise<void>;
  connection(lost: string | undefined): void;
}

/** Between a change and what is shown of it: a burst of changes is shown once. */
const REST_MS = 100;

/** Shows all Canaries, and again after changes, from one watch: nothing else is read. */
export async function watchList({ cluster, namespace, selector, clock, signal, show, connection }: WatchedList): Promise<void> {
  const known = new Map<string, CanarySummary>();
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
  try {
    while ((await Promise.race([turn.promise, aborted, stopped.promise])) !== 'aborted') {
      turn = Promise.withResolvers();
      await show([...known.values()].toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)));
      await sleep(clock, REST_MS, signal).catch(() => undefined);
    }
  } finally {
    watch.stop();
  }
}

const nameOf = ({ namespace, name }: CanarySummary): string => `${namespace}/${name}`;
