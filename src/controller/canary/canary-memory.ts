import type { StoredJournals } from '../journal/journal-keeper.ts';
import type { ReconcileMemory } from '../reconcile/context.ts';
import type { StatusOwnership } from '../status/ownership.ts';

/** Memory of an idle Canary: state that neither the cluster nor its status has. */
export interface CanaryMemory {
  ownership: StatusOwnership;
  reconciled: ReconcileMemory;
  journals: StoredJournals | undefined;
  /** Generation of the spec that it was reconciled with. */
  generation: number;
}
