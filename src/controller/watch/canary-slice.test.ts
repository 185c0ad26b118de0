import { expect, it } from 'vitest';
import { shardOf } from '../../kube/shards/shard-of.ts';
import { CanarySlice } from './canary-slice.ts';

const metadata = (name: string, team?: string) => ({ name, namespace: 'test', ...(team && { labels: { team } }) });
const names = Array.from({ length: 20 }, (_, nth) => `app-${nth}`);

it('without shards a Serin has all Canaries, and looks after what is not of one Canary', () => {
  const slice = new CanarySlice('');
  expect([slice.isFirst, names.every((name) => slice.includes({ metadata: metadata(name) }))]).toEqual([true, true]);
});

it('each Canary is in one of several shards, and the first looks after work that is not of one Canary', () => {
  const slices = [0, 1, 2].map((index) => new CanarySlice('', { index, of: 3 }));
  expect(slices.map(({ isFirst }) => isFirst)).toEqual([true, false, false]);
  for (const name of names) {
    const included = slices.map((slice) => slice.includes({ metadata: metadata(name) }));
    expect(included.indexOf(true)).toBe(shardOf(metadata(name), 3));
    expect(slices.map((slice) => !slice.isOfAnotherShard(metadata(name)))).toEqual(included);
    expect(included.filter(Boolean)).toHaveLength(1);
  }
});

it('a selector leaves out the Canaries that lack its label', () => {
  const slice = new CanarySlice('team=a');
  expect([undefined, 'a', 'b'].map((team) => slice.includes({ metadata: metadata('app', team) }))).toEqual([false, true, false]);
});
