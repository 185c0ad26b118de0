import { afterEach, describe, expect, it, vi } from 'vitest';
import { movesIn } from '../../test/fakes/deciding.ts';
import { steps } from '../../test/fakes/releasing.ts';
import { aCanary, initialized } from '../../test/fakes/world.ts';
import { hasMove } from './decide.ts';
import { type Decision, decisions } from './decision.ts';
import { handleEvent, start } from './machine.ts';
import { states } from './states/index.ts';
import { running, waiting } from './states/interruptions.ts';
import { go, type Moves, type StateName, shared } from './states/moves.ts';
import { type State, state, stateWithin } from './states/state.ts';
import { throwOnUnmoved } from './unmoved.ts';

afterEach(() => {
  throwOnUnmoved(true);
  vi.restoreAllMocks();
});

/** A state that makes a decision without a move in it or around it. */
function astray() {
  const world = initialized(aCanary(steps));
  vi.spyOn(states['Initialized.resting'].decide, 'facts').mockReturnValue('shift' as never);
  return world;
}

describe('a decision that meets no move', () => {
  it('L3: throws in tests, and says the state and the decision', () => {
    expect(() => astray().tick()).toThrow('Initialized.resting decides shift, and the chart has no move for it');
  });

  it('L3: is returned with the step in production, and the release does not move', () => {
    const world = astray();
    throwOnUnmoved(false);
    const { next, unmoved } = handleEvent(world.snapshot, { type: 'FACTS', facts: world.facts() });
    expect([next.value, unmoved]).toEqual([{ Initialized: 'resting' }, { state: 'Initialized.resting', decision: 'shift' }]);
    // It is not part of the memory of the chart.
    expect(JSON.stringify(next.context)).not.toContain('unmoved');
  });

  it.each(['Terminating', 'Terminated'] as const)('L3: none is met in %s without a deletion, as a backup restores it', (phase) => {
    const world = initialized(aCanary(steps));
    const { status } = world.canary;
    if (status === undefined) throw new Error('no status');
    world.canary.status = { ...status, phase };
    const facts = world.facts();
    const { next, unmoved } = handleEvent(start(world.canary, facts), { type: 'RESUME', facts });
    expect([next.value, unmoved]).toEqual([phase, undefined]);
  });

  it('hasMove finds exactly the moves of the chart', () => {
    const all = Object.keys(decisions).filter((one) => one !== 'wait') as Decision[];
    for (const name of Object.keys(states) as StateName[]) {
      const known = all.filter((decision) => hasMove(name, decision));
      expect(known.toSorted(), name).toEqual([...new Set(movesIn(name))].filter((one) => one in decisions).toSorted());
    }
  });
});

const rest = {
  enter: [],
  awaits: ['itself'],
  waits: () => [{ code: 'Resting', text: '' }],
  dueMs: () => undefined,
} satisfies Partial<State>;
const advance = { advance: go('Succeeded.resting') };

it('a decision without a move does not compile', () => {
  // @ts-expect-error: `hold` has no move
  state({ ...rest, decide: { facts: () => 'hold' }, moves: advance });
  // @ts-expect-error: no state of Succeeded can fail a promotion
  state({ ...rest, decide: { facts: () => 'failPromotion' }, moves: advance });
  // @ts-expect-error: the phase around it has none either
  stateWithin(shared.Finalising)({ ...rest, decide: { facts: () => 'shift' }, moves: advance });
  // @ts-expect-error: no analysis can fail a promotion
  running({ ...rest, decide: { facts: () => 'failPromotion' }, moves: advance });
  // @ts-expect-error: `around` has no move for it
  running({ ...rest, decide: { facts: () => 'failPromotion' }, around: { retry: go('Failed.resting') }, moves: advance });
  // @ts-expect-error: to wait for pods fails no promotion
  waiting({ ...rest, decide: { facts: () => 'failPromotion' }, moves: advance });
  // @ts-expect-error: moves that say nothing of their names allow every decision
  state({ ...rest, decide: { facts: () => 'failPromotion' }, moves: advance as Moves });
  // @ts-expect-error: nor do they around a state
  stateWithin(shared.Finalising as Moves);
  const within = stateWithin(shared.Finalising)({ ...rest, decide: { facts: () => 'failPromotion' }, moves: advance });
  expect(Object.keys(within.around)).toEqual(['failPromotion']);
});
