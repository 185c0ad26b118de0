import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyInput } from '../../test/fakes/any-input.ts';
import { movesIn } from '../../test/fakes/deciding.ts';
import { propertyRuns, propertyTimeoutMs } from '../../test/fakes/property-runs.ts';
import { decide } from './decide.ts';
import { states as all } from './states/index.ts';
import type { StateName } from './states/moves.ts';

const states = (Object.keys(all) as StateName[]).map((state) => ({ state, moves: new Set([...movesIn(state), 'wait']) }));

it('L3: each decision that a state can come to has a move in the chart', { timeout: propertyTimeoutMs }, () => {
  const decided = new Set<string>();
  fc.assert(
    fc.property(anyInput, (inputIn) => {
      for (const { state, moves } of states) {
        const input = inputIn(state);
        const decision = decide(state, input);
        decided.add(`${state} ${decision}`);
        if (!moves.has(decision)) throw new Error(`${state} decides ${decision} on ${input.event.type}, and the chart has no move for it`);
      }
    }),
    propertyRuns(20),
  );
  // Far more than one a state: else the inputs are too tame to say anything.
  expect(decided.size).toBeGreaterThan(200);
});
