import { expect, it } from 'vitest';
import { hostileCrowd } from '../fakes/model/hostile-crowd.ts';

const HOUR = 60;
/** Histories of the neighbour's releases are full by the end of the first hour. */
const MOST_GROWTH = 1.05;

it('I15: six virtual hours beside a hostile tenant leave no more in memory than the first one', { timeout: 60 * 60_000 }, async () => {
  const crowd = await hostileCrowd();
  await crowd.pass(HOUR);
  const before = await crowd.heap();
  await crowd.pass(5 * HOUR);
  const after = await crowd.heap();
  process.stdout.write(`${JSON.stringify({ before, after, actions: crowd.actions(), releases: crowd.endings.length })}\n`);
  expect(crowd.endings).toEqual(Array.from({ length: 36 }, (_, index) => `Succeeded ${index + 2}`));
  expect(after.objects / before.objects, 'objects that can be reached').toBeLessThan(MOST_GROWTH);
  expect(after.bytes / before.bytes, 'bytes of the heap').toBeLessThan(MOST_GROWTH * MOST_GROWTH);
  crowd.lab.close();
});
