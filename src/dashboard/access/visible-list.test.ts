import { expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { raw } from '../../../test/fakes/raw.ts';
import { ReviewedCluster } from '../../../test/fakes/reviewed-cluster.ts';
import type { ListChange } from '../canary-model.ts';
import { Rights } from './rights.ts';
import { followVisible } from './visible-list.ts';

function followed(...namespaces: readonly string[]) {
  const cluster = new ReviewedCluster();
  for (const namespace of namespaces) cluster.give('ann', namespace, 'list', 'watch');
  const clock = handClock();
  const listeners = new Set<(change: ListChange) => void>();
  const rows = ['a', 'b'].map((namespace) => raw({ namespace, name: 'shop' }));
  const source = {
    list: () => ({ event: 'list' as const, data: { rows } }),
    onChange: (listener: (change: ListChange) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const shown: string[] = [];
  const name = ({ namespace, name: of }: { namespace: string; name: string }) => `${namespace}/${of}`;
  const stop = followVisible(source, new Rights(cluster, { name: 'ann', groups: [], extra: {} }, clock), clock, (change) => {
    if (change.event === 'list') shown.push(`list ${change.data.rows.map(name).join(' ')}`);
    else shown.push(`${change.event} ${name(change.data)}`);
  });
  const say = (change: ListChange) => {
    for (const listener of listeners) listener(change);
  };
  return { cluster, clock, shown, say, stop };
}

it('changes in a namespace that the user may not see are not shown, nor are deletions', async () => {
  const { shown, say, stop } = followed('a');
  await expect.poll(() => shown).toEqual(['list a/shop']);
  for (const namespace of ['b', 'a']) {
    say({ event: 'row', data: raw({ namespace, name: 'shop' }) });
    say({ event: 'gone', data: { namespace, name: 'shop' } });
  }
  expect(shown).toEqual(['list a/shop', 'row a/shop', 'gone a/shop']);
  stop();
});

it('a right that was withdrawn takes the rows with it, and a granted one brings them', async () => {
  const { cluster, clock, shown, stop } = followed('a');
  await expect.poll(() => shown).toEqual(['list a/shop']);
  cluster.rights.clear();
  cluster.give('ann', 'b', 'list', 'watch');
  clock.advance(40_000);
  await expect.poll(() => shown.at(-1)).toBe('list ');
  clock.advance(130_000);
  await expect.poll(() => shown.at(-1)).toBe('list b/shop');
  stop();
});
