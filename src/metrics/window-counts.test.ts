import { expect, it } from 'vitest';
import type { InstanceChange, SideChanges } from './counter-changes.ts';
import { slowWindow } from './window-counts.ts';

const bounds = { fromMs: 0, toMs: 10_000 };
const plan = { primaryMs: 250, canaryMs: 500, tolerated: 2 };
const instance = (pod: string | undefined, gained: Record<string, number>): InstanceChange => ({
  pod,
  gained: new Map(Object.entries(gained)),
});
const side = (...instances: InstanceChange[]): SideChanges => ({
  instances,
  isSeen: true,
  isComplete: true,
  hasBegunAnew: false,
  newestMs: {},
});
const changes = {
  canary: side(instance('a', { 250: 1, 500: 7, Infinity: 10 }), instance('b', { 250: 1, 500: 20, Infinity: 20 })),
  primary: side(instance('p', { 250: 90, 500: 95, Infinity: 100 })),
};
const whole = { ...bounds, canary: { requests: 30, failures: 3 }, primary: { requests: 100, failures: 10 } };

it('slow requests of each side are those above its own threshold, also of each pod if counters distinguish pods', () => {
  expect(slowWindow(changes, bounds, plan, false)).toEqual(whole);
  expect(slowWindow(changes, bounds, plan, true)).toEqual({
    ...whole,
    pods: {
      canary: [
        { name: 'a', requests: 10, failures: 3 },
        { name: 'b', requests: 20, failures: 0 },
      ],
      primary: [{ name: 'p', requests: 100, failures: 10 }],
    },
  });
});
