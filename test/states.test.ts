import { expect, it } from 'vitest';
import { isStateName, states } from '../src/engine/states/index.ts';
import type { Moves } from '../src/engine/states/moves.ts';

const names = Object.keys(states).filter(isStateName);

/** Target of each decision, with the changes on the way. */
const moveLines = (moves: Moves): string[] =>
  Object.entries(moves).map(([decision, { target, reenter = false, actions = [] }]) =>
    `${decision} ${target === undefined ? 'stays' : `${reenter ? 'goes' : 'moves'} to ${target}`}: ${actions.join(', ')}`.replace(
      /: $/,
      '',
    ),
  );

// A move that its phase has as well compiles without the own one, which would lose the changes on the way.
it.each(names)('L3: the state %s has these parts and moves, and no others', async (name) => {
  const { enter, moves, around, decide: _, waits: __, dueMs: ___, awaits, ...flags } = states[name];
  const lines = [
    `enter: ${enter.join(', ')}`,
    `awaits: ${awaits.join(', ')}`,
    ...Object.entries(flags).map(([flag, value]) => `${flag}: ${value}`),
    ...moveLines(moves),
    '',
    'around it:',
    ...moveLines(around).filter((line) => !Object.hasOwn(moves, line.split(' ')[0] ?? '')),
    '',
  ];
  await expect(lines.join('\n')).toMatchFileSnapshot(`golden/states/${name}.txt`);
});
