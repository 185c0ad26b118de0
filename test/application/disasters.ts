import type { Backup, Restore } from '../fakes/model/backup.ts';
import type { Draw, Timed, Version } from './life.ts';
import type { Acted } from './world.ts';

/** A disaster of the whole cluster, not of one application: definitions of kinds are removed, or a backup is restored. */
export type Disaster =
  /**
   * `kubectl delete crd …`: all objects of the kinds are also deleted. The definitions are applied again after `forMs`, and with `isSynced` also the Canary.
   */
  | Removal
  /** Backs up the current objects of the namespace; the last backup counts. */
  | { do: 'back up' }
  /** Objects come back with other uids, one kind after the other. */
  | ({ do: 'restore' } & Restore);

export interface Removal {
  do: 'remove definitions';
  of: 'Serin' | 'mesh';
  forMs: number;
  isSynced: boolean;
}

interface Restored {
  /** The version of the target, now. */
  target: string | undefined;
  /** A Canary exists now. */
  isGuarded: boolean;
  /** The target or a Canary existed before. */
  wasThere: boolean;
  backup: Pick<Backup, 'isGuarded'>;
}

/** Effect of a restored backup on the clients. */
export function meaningOf({ lost, keeps }: Restore, { target, isGuarded, wasThere, backup }: Restored): Acted {
  const pushed = target === undefined ? {} : { pushed: target };
  // Its user had uninstalled it, so this is an install over what the uninstall has left.
  if (!wasThere && lost !== 'all') return { isLedAway: true, isForeign: true, isRestored: true, ...pushed, isInstalled: true };
  if (lost === 'Canary') return { isLedAway: true };
  // Over existing objects it is a push of the target; without a Canary, no controller corrects a wrong route then.
  if (lost === 'nothing') return { isLedAway: true, isForeign: true, ...pushed, ...(isGuarded ? {} : { isTaken: true }) };
  // The collector takes what is owned by uids that are gone, and records of promotions with it: the target is all that is left.
  const isInstalled = !backup.isGuarded || keeps === 'owners';
  return { isLedAway: true, isRestored: true, ...(isInstalled ? { ...pushed, isInstalled } : {}) };
}

/** A disaster with its preparation: the worst backup is made in the middle of a release. */
export function aDisaster(draw: Draw, next: (kinds: readonly string[]) => Version): Timed[] {
  const at = (['now', 'resting', 'scalingUp', 'analysing', 'analysing', 'writingPrimary', 'awaitingPrimary'] as const)[draw(0, 7)] ?? 'now';
  const push: Timed = { at: 'resting', afterMs: draw(0, 5_000), action: { do: 'push', version: next(['bad', 'good', 'broken', 'exits']) } };
  if (draw(0, 3) === 0) {
    const of = draw(0, 2) === 0 ? 'Serin' : 'mesh';
    return [
      push,
      { at, afterMs: draw(0, 10_000), action: { do: 'remove definitions', of, forMs: draw(500, 60_000), isSynced: draw(0, 3) > 0 } },
    ];
  }
  const restore = aRestore(draw);
  const between: Timed[] =
    draw(0, 2) === 0 ? [] : [{ at: 'resting', afterMs: draw(0, 5_000), action: { do: 'push', version: next(['good', 'bad']) } }];
  const kill: Timed[] =
    draw(0, 3) > 0 ? [] : [{ at: 'now', afterMs: draw(0, 60_000), action: { do: 'kill Serin', forMs: draw(1, 60_000) } }];
  return [
    push,
    { at, afterMs: draw(0, 10_000), action: { do: 'back up' } },
    ...between,
    ...kill,
    { at: draw(0, 2) === 0 ? 'now' : 'resting', afterMs: draw(0, 20_000), action: { do: 'restore', ...restore } },
  ];
}

export const aRestore = (draw: Draw): Restore => ({
  lost: (['all', 'all', 'Canary', 'nothing'] as const)[draw(0, 4)] ?? 'all',
  keeps: (['neither', 'status', 'owners'] as const)[draw(0, 3)] ?? 'neither',
  order: (['by name', 'by name', 'Canary last', 'target first'] as const)[draw(0, 4)] ?? 'by name',
  gapMs: draw(0, 4) === 0 ? draw(1_000, 10_000) : draw(0, 500),
});
