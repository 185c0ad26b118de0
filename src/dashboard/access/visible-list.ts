import { apiVersion } from '../../api/canary.ts';
import { type Clock, every } from '../../base/clock.ts';
import type { ListChange } from '../canary-model.ts';
import type { CanaryRow } from '../wire.ts';
import type { Rights } from './rights.ts';

/** All Canaries, without regard to rights. */
export interface ListSource {
  list(): Extract<ListChange, { event: 'list' }>;
  onChange(listener: (change: ListChange) => void): () => void;
}

const group = apiVersion.split('/')[0] ?? '';
/** Most answers are known: only an outdated answer costs a review. */
const CHECK_MS = 10_000;
const UNCHECKED = 'the rights to Canaries cannot be checked now: trying again';

/** Shows the Canaries of those namespaces whose Canaries the user may list and watch, and checks the rights again and again. */
export function followVisible(source: ListSource, rights: Rights, clock: Clock, show: (change: ListChange) => void): () => void {
  /** By namespace. While it is empty, no rights are known and nothing is shown. */
  let allowed = new Map<string, boolean>();
  let isStopped = false;
  let isChecking = false;
  let isStale = false;
  let isOwed = true;

  const mayList = async (namespace: string | undefined): Promise<boolean> => {
    const request = { group, resource: 'canaries', namespace };
    return (await rights.may({ ...request, verb: 'list' })) && (await rights.may({ ...request, verb: 'watch' }));
  };
  const check = async (): Promise<Map<string, boolean>> => {
    const namespaces = [...new Set(source.list().data.rows.map((row) => row.namespace))];
    const all = await mayList(undefined);
    return new Map(await Promise.all(namespaces.map(async (one): Promise<[string, boolean]> => [one, all || (await mayList(one))])));
  };
  const showList = (unchecked?: string) => {
    const { rows, unavailable = unchecked } = source.list().data;
    const visible = rows.filter((row: CanaryRow) => allowed.get(row.namespace) === true);
    show({ event: 'list', data: { rows: visible, ...(unavailable !== undefined && { unavailable }) } });
  };
  /** One at a time; changes that come meanwhile are checked after it. */
  const recheck = async (): Promise<void> => {
    isStale = true;
    if (isChecking) return;
    isChecking = true;
    while (isStale && !isStopped) {
      isStale = false;
      const before = allowed;
      const problem = await check().then(
        (found) => {
          allowed = found;
          return undefined;
        },
        () => {
          allowed = new Map();
          return UNCHECKED;
        },
      );
      isOwed ||= problem !== undefined || isDifferent(before, allowed);
      if (!isOwed || isStale || isStopped) continue;
      isOwed = false;
      showList(problem);
    }
    isChecking = false;
  };
  const stopListening = source.onChange((change) => {
    if (change.event === 'list') {
      isOwed = true;
      return void recheck();
    }
    const known = allowed.get(change.data.namespace);
    if (known === true) show(change);
    else if (known === undefined && change.event === 'row') void recheck();
  });
  const stopChecking = every(clock, CHECK_MS, () => void recheck());
  void recheck();
  return () => {
    isStopped = true;
    stopListening();
    stopChecking();
  };
}

const isDifferent = (one: ReadonlyMap<string, boolean>, other: ReadonlyMap<string, boolean>): boolean =>
  one.size !== other.size || [...other].some(([key, value]) => one.get(key) !== value);
