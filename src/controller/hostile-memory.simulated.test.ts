import { expect, it, vi } from 'vitest';
import { hostileCrowd } from '../../test/fakes/model/hostile-crowd.ts';

// A bound against a life that never ends.
vi.setConfig({ testTimeout: 300_000 });

it('I15: a tenant that makes, changes and deletes all objects permitted to it leaves nothing in memory, and its neighbour releases beside it', async () => {
  const crowd = await hostileCrowd();
  // Versions of the objects that were deleted last are kept, up to a limit.
  await crowd.pass(40);
  const [before, actionsBefore] = [await crowd.heap(), crowd.actions()];
  // The records of a release stay, up to their limit: none is made between the counts.
  await crowd.pass(20, false);
  const [after, actions] = [await crowd.heap(), crowd.actions() - actionsBefore];
  await crowd.pass(10);
  expect(actions).toBeGreaterThan(500);
  expect(crowd.endings).toEqual(['Succeeded 2', 'Succeeded 3', 'Succeeded 4', 'Succeeded 5', 'Succeeded 6']);
  // Four Canaries are made in 58 actions.
  expect((after.objects - before.objects) / actions, 'objects that stay, for each action').toBeLessThan(1 / 58);
  crowd.lab.close();
});
