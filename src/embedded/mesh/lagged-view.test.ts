import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { eventually } from '../../../test/scenarios/eventually.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { laggedView } from './lagged-view.ts';

const service = (uid: string, resourceVersion: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'shop', uid, resourceVersion },
});
const former = service('a', '1');
const again = service('b', '3');

/** A view whose changes take so long, one after the other. */
function viewOf(...lags: number[]) {
  const view = laggedView(() => lags.shift() ?? 0);
  const known = () => view.get('Service', 'shop/web')?.metadata.uid;
  return { view, known };
}

/** What a busy machine does to the loop: no timer fires meanwhile. */
function block(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

const settled = ({ pending }: { pending(): number }) => eventually('every change has come', pending, (left) => left === 0);

it('a Service that is made again is there, however late the news of its deletion is', async () => {
  const { view, known } = viewOf(0, 5, 0);
  view.hear('Service', { next: former });
  view.hear('Service', { previous: former });
  block(10);
  view.hear('Service', { next: again });
  expect(known()).toBe('a');
  await settled(view);
  expect(known()).toBe('b');
});

it('changes that are due at once come in their order, whenever they were received', async () => {
  const { view, known } = viewOf(0, ...Array.from({ length: 40 }, (_, index) => 40 - index));
  view.hear('Service', { next: former });
  for (let round = 0; round < 20; round += 1) {
    const next = service(`${round}`, `${10 + 2 * round}`);
    view.hear('Service', { previous: round === 0 ? former : service(`${round - 1}`, '9') });
    block(0.7);
    view.hear('Service', { next });
    if (round % 5 === 0) await turnOfTheLoop();
  }
  await settled(view);
  expect(known()).toBe('19');
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
