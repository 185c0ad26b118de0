import { expect, it } from 'vitest';
import { wakeAfterPoll } from './noted-polls.ts';

it.each([
  { asks: [], isQuestion: false, wake: { ms: null } },
  { asks: ['wakeAt 5'], isQuestion: false, wake: { ms: 5 } },
  { asks: ['wakeAt soon'], isQuestion: false, wake: undefined },
  { asks: ['record'], isQuestion: false, wake: undefined },
  { asks: ['wakeAt 5', 'record'], isQuestion: false, wake: undefined },
  { asks: ['compare'], isQuestion: true, wake: { ms: null } },
  { asks: ['compare', 'wakeAt 5'], isQuestion: true, wake: { ms: 5 } },
  { asks: ['compare', 'wakeAt 5', 'record'], isQuestion: true, wake: undefined },
  { asks: ['measure', 'wakeAt 5'], isQuestion: true, wake: undefined },
])('a poll is short if it needs only its wake: $asks gives $wake', ({ asks, isQuestion, wake }) => {
  expect(wakeAfterPoll(asks, isQuestion)).toEqual(wake);
});
