import { expect, it, vi } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { differencesIn, partsOf } from '../../../test/fakes/model/journals.ts';
import { aCanary, World, withHooks } from '../../../test/fakes/world.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { JournalMemory } from '../../engine/journal/journal-memory.ts';
import { MOST_PARTS } from '../../workloads/journal-record.ts';
import { JournalKeeper } from './journal-keeper.ts';

/** A keeper beside a world whose gate is closed, and the records that it stores. */
function kept(create: (record: KubeObject) => Promise<unknown>, journalMemory = new JournalMemory()) {
  const records: KubeObject[] = [];
  const world = new World(aCanary({ stepWeight: 40, ...withHooks('confirm-promotion') }));
  world.behaviour.hooks['confirm-promotion'] = 'refused';
  const cluster = {
    async create(record: KubeObject) {
      await create(record);
      records.push(record);
      return record;
    },
    list: vi.fn(async () => ({ items: records.slice(), resourceVersion: '1' })),
    async delete({ name }: ObjectRef) {
      const index = records.findIndex(({ metadata }) => metadata.name === name);
      if (index >= 0) records.splice(index, 1);
    },
  };
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  const anchors = { existing: async () => ({ name: 'anchor', uid: 'a-1' }) };
  const keeper = new JournalKeeper(
    {
      ...({ cluster, anchors, log, config: { journalLimit: 3 } } as unknown as ConstructorParameters<typeof JournalKeeper>[0]),
      ...{ clock: handClock(), isLeading: () => true, cookieWord: () => 'salt', version: '1.2.3', writer: 'w1', journalMemory },
    },
    'test',
  );
  world.onStep = (step) => keeper.stepped(step);
  return { world, keeper, records, list: cluster.list };
}

/** Ticks while `isSo`, with a turn of the event loop after each tick for the stored parts. */
async function tickWhile(world: World, isSo: () => boolean): Promise<void> {
  for (let ticks = 0; ticks < 2_000 && isSo(); ticks += 1) {
    world.tick();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

it('I15: a release that waits for a day has its first parts and its last one', async () => {
  const { world, keeper, records } = kept(async () => undefined);
  world.begin();
  world.tick();
  world.push('s1:b');
  const beganMs = world.nowMs;
  await tickWhile(world, () => world.nowMs - beganMs < 2.3 * 3_600_000);
  expect(records).toHaveLength(MOST_PARTS);
  world.behaviour.hooks['confirm-promotion'] = 'passed';
  await tickWhile(world, () => world.phase !== 'Succeeded' || partsOf(records).at(-1)?.ended === undefined);
  await keeper.stop();
  const parts = partsOf(records);
  expect(parts.map(({ ended }) => ended)).toEqual([...Array(MOST_PARTS).fill(undefined), 'Succeeded']);
  // The entries between them were not stored, and the numbers show it.
  expect(parts.at(-1)?.number).toBeGreaterThan(MOST_PARTS + 1);
  expect(differencesIn(parts)).toEqual([]);
});

it('journals are not listed before there can be more than are kept', async () => {
  const { world, keeper, records, list } = kept(async () => undefined);
  world.behaviour.hooks['confirm-promotion'] = 'passed';
  world.begin();
  world.tick();
  const lists: number[] = [];
  for (const revision of ['s1:b', 's1:c', 's1:d', 's1:e']) {
    world.push(revision);
    await tickWhile(world, () => world.phase !== 'Succeeded' || world.release.promotedRevision !== revision);
    await tickWhile(world, () => partsOf(records).at(-1)?.revision !== revision);
    lists.push(list.mock.calls.length);
  }
  await keeper.stop();
  expect([lists.slice(0, 3), list.mock.calls.length, records.length]).toEqual([[0, 0, 0], 1, 3]);
});

it('I15: journals beyond the limit are deleted, and listed once', async () => {
  const { world, keeper, records, list } = kept(async () => undefined);
  world.behaviour.hooks['confirm-promotion'] = 'passed';
  world.begin();
  world.tick();
  for (let run = 1; run <= 5; run += 1) {
    world.push(`s1:${run}`);
    await tickWhile(world, () => world.release.promotedRevision !== `s1:${run}` || partsOf(records).at(-1)?.run !== run);
  }
  await keeper.stop();
  expect([...new Set(partsOf(records).map(({ run }) => run))]).toEqual([3, 4, 5]);
  expect(list).toHaveBeenCalledTimes(1);
});

it('I15: parts that a slow cluster does not take are dropped, and not kept in memory', async () => {
  const waiting = Promise.withResolvers<void>();
  const { world, keeper, records } = kept(() => waiting.promise);
  world.begin();
  world.tick();
  world.push('s1:b');
  const beganMs = world.nowMs;
  await tickWhile(world, () => world.nowMs - beganMs < 1.2 * 3_600_000);
  waiting.resolve();
  await keeper.stop();
  expect(records.length).toBeLessThanOrEqual(4);
});

it('I15: while all journals hold too much, the namespace that holds most loses its own', () => {
  const memory = new JournalMemory(40_000);
  const small = { namespace: 'neighbour', giveUp: vi.fn() };
  memory.hold(small, 9_000);
  const large = Array.from({ length: 5 }, () => ({ namespace: 'hostile', giveUp: vi.fn() }));
  for (const [index, each] of large.entries()) memory.hold(each, 5_000 + index * 1_000);
  expect(small.giveUp).not.toHaveBeenCalled();
  expect(large.map(({ giveUp }) => giveUp.mock.calls.length)).toEqual([0, 0, 0, 0, 1]);
  expect(memory.held).toBe(35_000);
  memory.hold(small, 0);
  expect(memory.held).toBe(26_000);
});

it('a part that was given up is not stored, and a new one begins', async () => {
  const memory = new JournalMemory(30_000);
  const { world, keeper, records } = kept(async () => undefined, memory);
  world.begin();
  world.tick();
  world.push('s1:b');
  for (let ticks = 0; ticks < 20; ticks += 1) world.tick();
  expect(memory.held).toBeGreaterThan(2_000);
  const others = Array.from({ length: 30 }, (_, index) => ({ namespace: `other-${index}`, giveUp: () => undefined }));
  for (const each of others) memory.hold(each, 1_000);
  expect(memory.held).toBeLessThanOrEqual(30_000);
  for (const each of others) memory.hold(each, 0);
  world.behaviour.hooks['confirm-promotion'] = 'passed';
  await tickWhile(world, () => world.phase !== 'Succeeded' || partsOf(records).at(-1)?.ended === undefined);
  await keeper.stop();
  const parts = partsOf(records);
  expect(parts.map(({ number, ended }) => [number, ended])).toEqual([[2, 'Succeeded']]);
  expect(differencesIn(parts)).toEqual([]);
});
