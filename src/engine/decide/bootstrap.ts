import { isConverged } from '../conditions/hold-ups.ts';
import { canPrimaryTakeAll, canPrimaryTakeOver } from '../conditions/sides.ts';
import { hasDrained, isDue, isLate } from '../conditions/time.ts';
import type { Input } from '../context.ts';
import { primaryNeed } from '../raise.ts';
import type { Decider, Deciders } from './decider.ts';

const raise: Decider = (input) => (isShort(input) ? 'raise' : undefined);

function isShort(input: Input): boolean {
  return (primaryNeed(input) ?? 0) > (input.context.release.capacity?.pods ?? 0);
}

/** From an empty status to a primary that serves (E4). */
export const bootstrap = {
  begin: { look: ({ event }) => (event.type === 'WAKE' ? undefined : 'advance') },
  creatingPrimary: {
    first: raise,
    look(input) {
      if (canPrimaryTakeOver(input)) return 'advance';
      return isDue(input) && isLate(input) ? 'reportLate' : undefined;
    },
  },
  settling: {
    first: raise,
    look(input) {
      if (!canPrimaryTakeAll(input)) return 'fallBack';
      return isDue(input) && canPrimaryTakeOver(input) ? 'advance' : undefined;
    },
  },
  takingTraffic: {
    look(input) {
      if (!canPrimaryTakeAll(input)) return 'fallBack';
      return isConverged(input) ? 'advance' : undefined;
    },
  },
  draining: { look: (input) => (isDrained(input) ? 'advance' : undefined) },
} satisfies Record<string, Deciders>;

/** The pods that have lost their traffic may go: proxies know, and the primary serves (E5). */
export function isDrained(input: Input): boolean {
  return hasDrained(input) && isConverged(input) && canPrimaryTakeAll(input);
}
