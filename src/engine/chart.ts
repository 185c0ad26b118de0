import { assign, setup } from 'xstate';
import { Phase } from '../api/phase.ts';
import { type ChangeName, changes } from './changes.ts';
import type { Context } from './context.ts';
import { type Decision, decisions } from './decision.ts';
import type { EngineEvent } from './questions.ts';
import { around, FIRST_PARTS, firstOf, states } from './states/index.ts';
import type { ChartMove, Moves, Place, StateName } from './states/moves.ts';
import type { State } from './states/state.ts';

/** An event with the decision of `decide`. */
export type DecidedEvent = EngineEvent & { decision: Decision };

interface Decided {
  context: Context;
  event: DecidedEvent;
}
interface ChartTransition {
  target?: string;
  reenter?: boolean;
  actions?: ChangeName[];
  guard: Decision;
}
interface Node {
  id?: string;
  initial?: string;
  entry?: ChangeName[];
  on?: Record<string, ChartTransition[]>;
  states?: Record<string, Node>;
}

function guarded(moves: Moves): ChartTransition[] {
  return (Object.entries(moves) as [Decision, ChartMove][]).map(([guard, { target, actions, ...how }]) => ({
    guard,
    ...(target === undefined ? {} : { target: `#${target}` }),
    ...how,
    ...(actions === undefined ? {} : { actions: [...actions] }),
  }));
}

/** A state makes its queries and calls on entry, and again after RESUME. */
function leaf(name: StateName, { enter, moves }: State): Node {
  const all = guarded({ reenter: { target: name, reenter: true }, ...moves });
  // If a FACTS event changes the memory and the state stays, the step still has to make its queries and set its wake (E53).
  const resumed = all.map((move) => (move.target === undefined ? { ...move, actions: [...enter, ...(move.actions ?? [])] } : move));
  return { entry: [...enter], on: { RESUME: resumed, '*': all } };
}

/** The states nested by their names. */
function nested(): Record<string, Node> {
  const root: Node = { states: {} };
  for (const [name, state] of Object.entries(states) as [StateName, State][]) {
    const path = name.split('.');
    let parent = root;
    for (const [depth, key] of path.entries()) {
      const place = path.slice(0, depth + 1).join('.') as Place;
      parent.states ??= {};
      parent.states[key] ??= depth === path.length - 1 ? leaf(name, state) : within(place);
      parent = parent.states[key];
    }
    parent.id = name;
  }
  return root.states ?? {};
}

function within(place: Place | Phase): Node {
  const moves = around[place];
  return { id: place, initial: initialOf(place), ...(moves ? { on: { '*': guarded(moves) } } : {}) };
}

function initialOf(place: string): string {
  const [phase = '', step] = place.split('.');
  if (step !== undefined) return FIRST_PARTS[step as keyof typeof FIRST_PARTS];
  return firstOf(Phase.parse(phase)).split('.')[1] ?? '';
}

const machineSetup = setup({
  types: { context: {} as Context, events: {} as DecidedEvent, input: {} as Context },
  guards: Object.fromEntries(
    Object.keys(decisions).map((decision) => [decision, ({ event }: Decided) => event.decision === decision]),
  ) as Record<Decision, (input: Decided) => boolean>,
  actions: Object.fromEntries(
    Object.entries(changes).map(([name, change]) => [name, assign((input: Decided): Partial<Context> => change(input))]),
  ) as Record<ChangeName, ReturnType<typeof assign<Context, DecidedEvent, undefined, DecidedEvent, never>>>,
});

/**
 * The statechart of one release, assembled from the files of `states/`. First level: the phases in the status (`New` is the empty phase); second level: the
 * recorded step; deeper levels are parts of one interval, which RESUME starts over. Print it with `serin chart`.
 */
export const chart = machineSetup.createMachine({
  id: 'release',
  context: ({ input }) => input,
  initial: 'New',
  on: { DELIVERED: { actions: ['dropDelivery'] } },
  states: nested(),
});
