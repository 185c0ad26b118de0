import { expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube-object.ts';
import type { Clock } from '../../base/clock.ts';
import { laggedView } from './lagged-view.ts';

const service = (uid: string, resourceVersion: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'shop', uid, resourceVersion },
});
const former = service('a', '1');
const again = service('b', '3');

/** The clock of a busy process: time passes and no timer fires, until the loop has its turn; then all due timers fire, and the last ones first. */
function busyClock() {
  let nowMs = 0;
  let timers: { dueMs: number; fn: () => void }[] = [];
  const clock: Clock = {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    setTimer(ms, fn) {
      const timer = { dueMs: nowMs + ms, fn };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
  };
  return {
    clock,
    block(ms: number) {
      nowMs += ms;
    },
    turn() {
      const due = timers.filter(({ dueMs }) => dueMs <= nowMs);
      timers = timers.filter(({ dueMs }) => dueMs > nowMs);
      for (const { fn } of due.reverse()) fn();
    },
  };
}

/** A view whose changes take so long, one after the other. */
function viewOf(...lags: number[]) {
  const busy = busyClock();
  const view = laggedView(() => lags.shift() ?? 0, busy.clock);
  const known = () => view.get('Service', 'shop/web')?.metadata.uid;
  return { ...busy, view, known };
}

it('a Service that is created again exists, even if the news of its deletion is late', () => {
  const { view, known, block, turn } = viewOf(0, 5, 0);
  view.hear('Service', { next: former });
  view.hear('Service', { previous: former });
  block(10);
  view.hear('Service', { next: again });
  expect(known()).toBe('a');
  turn();
  expect([known(), view.pending()]).toEqual(['b', 0]);
});

it('changes that are due at once come in their order, whenever they were received', () => {
  const { view, known, block, turn } = viewOf(0, ...Array.from({ length: 40 }, (_, index) => 40 - index));
  view.hear('Service', { next: former });
  for (let round = 0; round < 20; round += 1) {
    const next = service(`${round}`, `${10 + 2 * round}`);
    view.hear('Service', { previous: round === 0 ? former : service(`${round - 1}`, '9') });
    block(1);
    view.hear('Service', { next });
    if (round % 5 === 0) turn();
  }
  block(100);
  turn();
  expect([known(), view.pending()]).toEqual(['19', 0]);
});

it('the news of a deletion that came over a slower stream does not take away what was made again', async () => {
  const { view, known } = viewOf();
  view.hear('Service', { next: again });
  view.hear('Service', { previous: former });
  expect(known()).toBe('b');
  view.hear('Service', { next: service('b', '2') });
  expect(view.get('Service', 'shop/web')?.metadata.resourceVersion).toBe('3');
});

it('a value made from a view is kept until the view gets a change', () => {
  const { view, known } = viewOf();
  let made = 0;
  const read = () =>
    view.once('known', () => {
      made += 1;
      return known();
    });
  expect([read(), read(), made]).toEqual([undefined, undefined, 1]);
  view.hear('Service', { next: former });
  expect([read(), read(), made]).toEqual(['a', 'a', 2]);
  view.hear('Service', { previous: former });
  expect([read(), made]).toEqual([undefined, 3]);
});
