import { expect, it } from 'vitest';
import { randomWords } from './random-words.ts';

it('no two words are the same, whenever they were drawn', () => {
  const [one, other] = [randomWords(), randomWords()];
  const words = Array.from({ length: 1_000 }, () => [one(), other()]).flat();
  expect(new Set(words).size).toBe(2_000);
  expect(words.every((word) => /^[0-9a-f]{16}$/.test(word))).toBe(true);
});
