import type { Decision } from './decision.ts';
import type { StateName } from './states/moves.ts';

/** A decision for which the chart has no move in its state: a defect of Serin, and the release would hang without a trace. */
export interface Unmoved {
  state: StateName;
  decision: Decision;
}

let isThrown = false;

/** Whether such a decision throws from here on: in tests it must not pass unseen, in production the Canary goes on as it can. */
export function throwOnUnmoved(throws: boolean): void {
  isThrown = throws;
}

export function unmoved(state: StateName, decision: Decision): Unmoved {
  if (isThrown) throw new Error(`${state} decides ${decision}, and the chart has no move for it`);
  return { state, decision };
}
