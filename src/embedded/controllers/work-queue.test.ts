import { expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { workQueue } from './work-queue.ts';

it('a key that is due in 68 years does not run at once, again and again', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const ran: string[] = [];
  const queue = workQueue(
    systemClock,
    async (key) => {
      ran.push(key);
      if (key === 'soon') resolve();
      else if (ran.length < 10) queue.addAfter(key, 2_147_483_646_000);
    },
    (error) => {
      throw error;
    },
  );
  queue.addAfter('late', 2_147_483_646_000);
  queue.addAfter('soon', 20);
  await promise;
  queue.stop();
  expect(ran).toEqual(['soon']);
});
