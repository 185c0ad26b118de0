import { hasMove } from './decide.ts';
import type { Decision } from './decision.ts';
import type { StateName } from './states/moves.ts';

/** A decision for which the chart has no move in its state: a defect of Serin, and the release would hang without a trace. */
export interface Unmoved {
  state: StateName;
  decision: Decision;
}

let isRefused = false;

/** From here on such a decision throws: for tests, where it must not pass unseen. */
export function throwOnUnmoved(isThrown = true): void {
  isRefused = isThrown;
}

/** Undefined where there is a move, or nothing to do. */
export function unmovedBy(state: StateName, decision: Decision): Unmoved | undefined {
  if (hasMove(state, decision)) return undefined;
  if (isRefused) throw new Error(`${state} decides ${decision}, and the chart has no move for it`);
  return { state, decision };
}
