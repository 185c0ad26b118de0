import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ownRules } from '../scripts/rules/rules.ts';
import { changedRules } from './mutants/changed-rules.ts';
import { SET_UP } from './mutants/unit-tests.ts';
import config from './mutants/vitest.config.ts';

const root = join(import.meta.dirname, '..');
const rules = ownRules(root);

it('every changed rule has a name and a text of its own, and changes a rule that is stated', () => {
  expect(new Set(changedRules.map(({ name }) => name)).size).toBe(changedRules.length);
  for (const { rule, find, replace } of changedRules) expect([rules.has(rule), find === replace]).toEqual([true, false]);
});

it.each(changedRules)('the text to change occurs once in $file: $name', ({ file, find }) => {
  const parts = readFileSync(join(root, 'src', 'engine', file), 'utf8').split(find).length - 1;
  expect(parts, 'the code has moved: correct `find` in test/mutants/changed-rules.ts, then run npm run test:changed-rules').toBe(1);
});

it.each([
  { what: 'a changed rule', setupFiles: config.test?.setupFiles },
  { what: 'a mutant', setupFiles: SET_UP },
])('the tests of $what run as npm test runs them: a decision without a move throws', ({ setupFiles }) => {
  expect(setupFiles).toContain('test/fakes/no-unmoved.ts');
});
