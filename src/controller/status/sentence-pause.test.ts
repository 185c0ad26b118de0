import { expect, it } from 'vitest';
import { SentencePause } from './sentence-pause.ts';

it('E55: a sentence is written when it is five seconds old, or one interval where that is shorter', () => {
  const pause = new SentencePause();
  expect(pause.waitMs('1 of 3 pods', 10_000, 0)).toBe(5_000);
  expect(pause.waitMs('1 of 3 pods', 10_000, 4_999)).toBe(1);
  expect(pause.waitMs('1 of 3 pods', 10_000, 5_000)).toBe(0);
  expect(new SentencePause().waitMs('1 of 3 pods', 500, 0)).toBe(500);
});

it('E55: each new sentence starts the pause again, so that pods that become ready one by one cost no writes', () => {
  const pause = new SentencePause();
  pause.waitMs('1 of 3 pods', 10_000, 0);
  expect(pause.waitMs('2 of 3 pods', 10_000, 4_000)).toBe(5_000);
  expect(pause.waitMs('2 of 3 pods', 10_000, 9_000)).toBe(0);
});
