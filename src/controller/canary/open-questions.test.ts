import { expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { aCanary } from '../../../test/fakes/world.ts';
import type { ControllerDeps } from '../controller-deps.ts';
import type { ConfigTracker } from './config-tracker.ts';
import { OpenQuestions } from './open-questions.ts';

it('a timer that rings before its time by the clock wakes no one, and rings again', () => {
  const clock = handClock();
  const early = { ...clock, nowMs: () => clock.nowMs() - 2 };
  const lateMs: number[] = [];
  const deps = { clock: early, metrics: { tickBegan: (ms: number) => void lateMs.push(ms) } };
  let due = 0;
  const questions = new OpenQuestions(deps as unknown as ControllerDeps, {} as ConfigTracker, {
    answered: () => undefined,
    failed: () => undefined,
    wakeIn: (ms, ring) => void clock.setTimer(Math.min(ms, 998), ring),
    due: () => {
      due += 1;
    },
  });
  questions.ask(aCanary(), [{ kind: 'wakeAt', id: 'one', atMs: early.nowMs() + 1_000 }]);
  clock.advance(998);
  expect([due, clock.nextInMs]).toEqual([0, 2]);
  clock.advance(2);
  expect([due, clock.pending, lateMs]).toEqual([1, 0, [0]]);
});
