import { beforeEach, expect, it } from 'vitest';
import { type HandClock, handClock } from '../../../test/fakes/clock.ts';
import { aCanary } from '../../../test/fakes/world.ts';
import type { NewBlocker } from '../../api/blocker.ts';
import { blockerText } from '../../api/blocker-text.ts';
import { ABSENCE_MS, BlockerEvent } from './blocker-event.ts';

const canary = aCanary();
const aScaler = (name: string): NewBlocker => ({
  code: 'ScalerNotFound',
  object: { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', name, namespace: 'test' },
});
const missing = aScaler('podinfo');
const forbidden: NewBlocker = { code: 'Forbidden', detail: 'PATCH: 403' };

let clock: HandClock;
let announced: string[];
let event: BlockerEvent;

beforeEach(() => {
  clock = handClock();
  announced = [];
  event = new BlockerEvent({ clock, announceOn: (_, { message }) => void announced.push(message) }, 'Blocked');
});

it('I12: a refused request is reported at once, and once as long as it lasts', () => {
  expect([event.see(canary, forbidden), event.see(canary, forbidden)]).toEqual([undefined, undefined]);
  expect(announced).toEqual([blockerText(forbidden)]);
});

it('I12: an absent object has its time to come, and says how much is left', () => {
  expect(event.see(canary, missing)).toBe(ABSENCE_MS);
  clock.advance(ABSENCE_MS - 1);
  expect([event.see(canary, missing), announced]).toEqual([1, []]);
  clock.advance(1);
  expect([event.see(canary, missing), event.see(canary, missing), announced]).toEqual([undefined, undefined, [blockerText(missing)]]);
});

it('I12: an object that appeared and is absent again has the full time again, and is another event', () => {
  event.see(canary, missing);
  clock.advance(ABSENCE_MS - 1);
  event.see(canary, undefined);
  expect(event.see(canary, missing)).toBe(ABSENCE_MS);
  clock.advance(ABSENCE_MS);
  event.see(canary, missing);
  event.see(canary, undefined);
  event.see(canary, missing);
  clock.advance(ABSENCE_MS);
  event.see(canary, missing);
  expect(announced).toEqual([blockerText(missing), blockerText(missing)]);
});

it('I12: another object has its own time', () => {
  event.see(canary, missing);
  clock.advance(ABSENCE_MS);
  expect([event.see(canary, aScaler('other')), announced]).toEqual([ABSENCE_MS, []]);
});
