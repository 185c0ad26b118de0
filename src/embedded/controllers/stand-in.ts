import type { StandIn } from '../world.ts';
import { allSynced, type ObjectStore } from './object-store.ts';
import type { WorkQueue } from './work-queue.ts';

/** Common part of controllers: the stores that they decide by, and the queue of their passes. */
export function standInOf(stores: Readonly<Record<string, ObjectStore>>, queue: WorkQueue): StandIn {
  return {
    synced: allSynced(stores),
    stop() {
      for (const store of Object.values(stores)) store.stop();
      queue.stop();
    },
  };
}
