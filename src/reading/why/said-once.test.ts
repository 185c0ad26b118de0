import { expect, it } from 'vitest';
import { saidOnce } from './said-once.ts';

const of = (sentence: string, action: string, value = '7') =>
  saidOnce({ cause: 'Other', sentence, action, proof: [{ kind: 'Canary', name: 'shop', field: 'status', value }] });

it.each([
  ['Rolled back at 9; push a fix. Next at 8.', 'Rolled back at 9. Next at 8.'],
  ['Not ours: push a fix', 'Not ours'],
  ['The gate is gone: push a fix (no answer).', 'The gate is gone (no answer).'],
  ['Not ours: push a fix, or remove it.', 'Not ours: push a fix, or remove it.'],
  ['Nothing of it.', 'Nothing of it.'],
])('the remedy leaves the sentence where it is a whole clause: %s', (sentence, facts) => {
  expect(of(sentence, 'push a fix')).toMatchObject({ sentence: facts, action: 'push a fix' });
});

it('a text of the sentence is not repeated in action and proof, and a short value is', () => {
  const text = 'spec.analysis.stepWeight is 0';
  expect(of(`Rejected (${text}).`, `correct the spec: ${text}`, text)).toMatchObject({
    action: 'correct the spec',
    proof: [{ kind: 'Canary', name: 'shop', field: 'status' }],
  });
  expect(of('Rejected 7 times.', 'wait').proof[0]).toHaveProperty('value', '7');
});
