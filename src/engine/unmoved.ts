import type { Decision } from './decision.ts';
import type { StateName } from './states/moves.ts';

/** A decision without a move in its state: a defect of Serin, because of which the release would hang without a trace. */
export interface Unmoved {
  state: StateName;
  decision: Decision;
}

let isThrown = false;

/** Makes such a decision throw: in tests it must not pass unnoticed, in production the Canary continues as far as it can. */
export function throwOnUnmoved(throws: boolean): void {
  isThrown = throws;
}

export function unmoved(state: StateName, decision: Decision): Unmoved {
  if (isThrown) throw new Error(`${state} decides ${decision}, and the chart has no move for it`);
  return { state, decision };
}
