import type { Phase } from '../../api/phase.ts';
import { stepNow } from '../../api/step.ts';
import { FIRST_PARTS, firstOf, isStateName, states } from './index.ts';
import type { StateName } from './moves.ts';
import type { State } from './state.ts';

/** The first state of a recorded step. A step that the chart does not know resumes at the start of its phase. */
export function stateNameOf(phase: Phase, recorded: string): StateName {
  return knownStateOf(phase, recorded) ?? firstOf(phase);
}

/** Undefined if this Serin does not know the step. */
export function knownStateOf(phase: Phase, recorded: string): StateName | undefined {
  const part = Object.hasOwn(FIRST_PARTS, recorded) ? FIRST_PARTS[recorded as keyof typeof FIRST_PARTS] : undefined;
  const name = part === undefined ? `${phase}.${stepNow(recorded)}` : `${phase}.${recorded}.${part}`;
  return isStateName(name) ? name : undefined;
}

export const stateOf = (phase: Phase, recorded: string): State => states[stateNameOf(phase, recorded)];
