import { expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { Alarms } from './alarms.ts';

it('an alarm that is set again rings once, at the later word, and none rings after the stop', () => {
  const clock = handClock();
  const alarms = new Alarms<'wake' | 'retry'>(clock);
  const rung: string[] = [];
  alarms.set('wake', 100, () => rung.push('first'));
  alarms.set('wake', 300, () => rung.push('second'));
  alarms.set('retry', -5, () => rung.push('at once'));
  clock.advance(200);
  expect(rung).toEqual(['at once']);
  clock.advance(100);
  expect(rung).toEqual(['at once', 'second']);
  alarms.set('wake', 1, () => rung.push('too late'));
  alarms.stop();
  clock.advance(10);
  expect([rung.length, clock.pending]).toEqual([2, 0]);
});
