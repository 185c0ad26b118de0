import { expect, it } from 'vitest';
import { countSteps } from '../../../../test/fakes/step-meter.ts';
import { syntaxTree } from './syntax-tree.ts';

const MOST_STEPS = 2_000;

it.each([
  ['//('.repeat(11), 0],
  [`a + ${'//('.repeat(11)}`, 4],
  [`sum(a ${'//('.repeat(11)}`, 7],
])('a text ends at its first mistake: %s at %d', (text, mistakeAt) => {
  let found: unknown;
  countSteps(() => {
    found = syntaxTree(text);
  }, MOST_STEPS);
  expect(found).toEqual({ mistakeAt });
});
