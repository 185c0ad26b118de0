import { expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { raw } from '../../../test/fakes/raw.ts';
import { ReviewedCluster } from '../../../test/fakes/reviewed-cluster.ts';
import { apiVersion } from '../../api/canary.ts';
import { clusterAs } from './as-user.ts';
import { Rights } from './rights.ts';

const canaries = { apiVersion, kind: 'Canary', namespace: 'a' };
const shop = { ...canaries, name: 'shop' };

function asAnn(...verbs: readonly string[]) {
  const cluster = new ReviewedCluster();
  cluster.give('ann', 'a', ...verbs);
  const rights = new Rights(cluster, { name: 'ann', groups: [], extra: {} }, handClock());
  return { cluster, ann: clusterAs({ cluster: raw(cluster), isElsewhere: () => false }, rights) };
}

function watched(...verbs: readonly string[]) {
  const { cluster, ann } = asAnn(...verbs);
  const refusals: string[] = [];
  const handle = ann.watch(canaries, { onList: () => undefined, onEvent: () => undefined, onUnavailable: (why) => refusals.push(why) });
  return { cluster, refusals, handle };
}

it('a watch begins with the right to it, and is refused without', async () => {
  const granted = watched('watch');
  await expect.poll(() => granted.cluster.read).toEqual(['watch Canary a']);
  granted.handle.stop();
  const denied = watched('list', 'get');
  await expect.poll(() => denied.refusals).toEqual(['forbidden']);
  expect(denied.cluster.read).toEqual([]);
});

it('each request is reviewed by its own verb before it is sent', async () => {
  const { cluster, ann } = asAnn('list');
  await expect(ann.get(shop)).rejects.toThrow('cannot get resource "canaries" in API group "flagger.app" in the namespace "a"');
  await expect(ann.patch(shop, {})).rejects.toThrow('cannot patch resource "canaries"');
  await ann.list(canaries);
  expect(cluster.read).toEqual(['list Canary a']);
  expect(cluster.patched).toEqual([]);
});

it('only Canaries are written, with any rights of the user', async () => {
  const { cluster, ann } = asAnn('patch', 'create', 'delete');
  await expect(ann.patch({ ...shop, apiVersion: 'v1', kind: 'ConfigMap' }, {})).rejects.toThrow('does not send such requests');
  await expect(ann.patch(shop, {}, { subresource: 'status' })).rejects.toThrow('does not send such requests');
  await expect(ann.create({ ...canaries, metadata: { name: 'shop' } })).rejects.toThrow('does not send such requests');
  expect(cluster.patched).toEqual([]);
});
