import type { StateValue } from 'xstate';
import { Phase } from '../api/phase.ts';
import { keptIn } from '../base/once.ts';
import { chart } from './chart.ts';
import type { Context } from './context.ts';
import type { QuestionId } from './questions.ts';
import { stateNameOf } from './states/lookup.ts';
import type { StateName } from './states/moves.ts';

export type Snapshot = ReturnType<typeof chart.resolveState>;

/** One snapshot for each entered state: the chart resolves a state independently of its context, and resolving is the slowest part. */
const resolved = new Map<string, Snapshot>();

export function resolve(value: StateValue, context: Context): Snapshot {
  return { ...keptIn(resolved, JSON.stringify(value), () => resolveAnew(value, {} as Context)), context };
}

/** The same for names that must not be kept. */
export function resolveAnew(value: StateValue, context: Context): Snapshot {
  return chart.resolveState({ value: value as Snapshot['value'], context });
}

/** First two levels of a state value, and what lies deeper. */
export function pathOf(value: StateValue): string[] {
  const path: string[] = [];
  let rest: unknown = value;
  while (typeof rest === 'object' && rest !== null) {
    const [entry] = Object.entries(rest);
    if (!entry) return path;
    path.push(entry[0]);
    rest = entry[1];
  }
  return typeof rest === 'string' ? [...path, rest] : path;
}

/** The state of a snapshot. */
export const stateNameIn = (value: StateValue): StateName => pathOf(value).join('.') as StateName;

/** The first state of a recorded step. */
export const beginningOf = (phase: Phase, recorded: string): StateValue => nestedOf(stateNameOf(phase, recorded).split('.'));

function nestedOf([first = 'New', ...rest]: readonly string[]): StateValue {
  return rest.length === 0 ? first : { [first]: nestedOf(rest) };
}

export const isSamePlace = (one: Snapshot, other: Snapshot): boolean => JSON.stringify(one.value) === JSON.stringify(other.value);

export function phaseOf({ value }: Pick<Snapshot, 'value'>): Phase {
  const [phase] = pathOf(value);
  return phase === 'New' ? '' : Phase.parse(phase);
}

/** The questions to which an ANSWER would belong; any other pending one can be cancelled. */
export function openQuestionsOf({ context }: Snapshot): readonly QuestionId[] {
  return [context.open, context.rollback?.open, context.comparing?.open].filter((id) => id !== undefined);
}
