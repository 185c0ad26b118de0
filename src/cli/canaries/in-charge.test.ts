import { describe, expect, it } from 'vitest';
import { HeldCluster } from '../../../test/fakes/held-cluster.ts';
import { raw } from '../../../test/fakes/raw.ts';
import { aCanary, initialized } from '../../../test/fakes/world.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { shardOf } from '../../kube/shards/shard-of.ts';
import { inCharge } from '../../reading/in-charge.ts';
import { controllerText } from './controller-lines.ts';

const NOW_MS = Date.parse('2026-11-20T06:00:00Z');
const GROUP = 'flagger-leader-election';
const resting: KubeObject = JSON.parse(JSON.stringify(initialized(aCanary()).canary));
const canary: KubeObject = {
  ...resting,
  status: { ...raw(resting).status, release: { ...raw(resting).status.release, writer: 'serin-b_1' } },
};
const SHARD = shardOf(canary.metadata, 3);

/** Renewed so many seconds ago. */
const lease = (name: string, holderIdentity: string, secondsAgo: number, namespace = 'serin'): KubeObject => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name, namespace },
  spec: { holderIdentity, leaseDurationSeconds: 15, renewTime: new Date(NOW_MS - secondsAgo * 1_000).toISOString().replace('Z', '000Z') },
});

async function says(leases: readonly KubeObject[], of: KubeObject = canary): Promise<string | undefined> {
  const { controller } = await inCharge(new HeldCluster(leases), of, NOW_MS);
  return controller && [controllerText(controller), ...(controller.look === undefined ? [] : [controller.look])].join('\n');
}

const group = lease(GROUP, 'serin-shards-3', 1);
const LOOK = `kubectl describe lease serin-${SHARD} -n serin`;

describe('inCharge', () => {
  it.each([
    {
      what: 'the leader',
      leases: [lease(GROUP, 'serin-a_4c1d', 3)],
      is: 'pod serin-a, lease serin/flagger-leader-election renewed 3 s ago',
    },
    {
      what: 'the holder of its shard, and of no other one',
      leases: [group, ...[0, 1, 2].map((shard) => lease(`serin-${shard}`, `serin-${shard}_4c1d`, 2))],
      is: `pod serin-${SHARD} (shard ${SHARD} of 3), lease serin/serin-${SHARD} renewed 2 s ago`,
    },
    {
      what: 'no replica, since the last one released the Lease',
      leases: [lease(GROUP, '', 60)],
      is: 'no replica holds lease serin/flagger-leader-election since 2026-11-20T05:59:00Z\nkubectl describe lease flagger-leader-election -n serin',
    },
    {
      what: 'no replica, since the last one did not renew the Lease in time',
      leases: [group, lease(`serin-${SHARD}`, 'serin-a_4c1d', 16)],
      is: `no replica holds lease serin/serin-${SHARD} (shard ${SHARD} of 3) since 2026-11-20T05:59:59Z; pod serin-a was the last\n${LOOK}`,
    },
    {
      what: 'no replica, where its shard was never held',
      leases: [group],
      is: `no replica has held lease serin/serin-${SHARD} (shard ${SHARD} of 3) yet\nkubectl get lease -n serin`,
    },
    {
      what: 'of several Serins the one of the namespace',
      leases: [lease(GROUP, 'serin-a_1', 1), lease(GROUP, 'serin-c_1', 1, 'test')],
      is: 'pod serin-c, lease test/flagger-leader-election renewed 1 s ago',
    },
    {
      what: 'of several Serins the one that wrote the status',
      leases: [lease(GROUP, 'serin-a_1', 1), lease(GROUP, 'serin-b_1', 1, 'other')],
      is: 'pod serin-b, lease other/flagger-leader-election renewed 1 s ago',
    },
    {
      what: 'of several slices the one that wrote the status, by the Lease of the shard',
      leases: [
        lease('serin-00112233aa', 'serin-a_1', 1),
        lease('serin-44556677bb', 'serin-shards-3', 1),
        lease(`serin-44556677bb-${SHARD}`, 'serin-b_1', 1),
      ],
      is: `pod serin-b (shard ${SHARD} of 3), lease serin/serin-44556677bb-${SHARD} renewed 1 s ago`,
    },
    {
      what: 'of a slice and the Lease that Flagger left the one that wrote the status',
      leases: [lease(GROUP, 'flagger-a_1', 9_999), lease('serin-44556677bb', 'serin-b_1', 1)],
      is: 'pod serin-b, lease serin/serin-44556677bb renewed 1 s ago',
    },
    {
      what: 'unknown, where several may be it',
      leases: [lease(GROUP, 'serin-a_1', 1), lease(GROUP, 'serin-c_1', 1, 'other')],
      is: undefined,
    },
    { what: 'unknown without leader election', leases: [lease('node-a', 'node-a', 1, 'kube-node-lease')], is: undefined },
  ])('is $what', async ({ leases, is }) => expect(await says(leases)).toBe(is));

  it('says nothing by a Lease that was left before leader election was switched off', async () => {
    const at = (time: string) =>
      ({ ...canary, metadata: { ...canary.metadata, managedFields: [{ manager: 'serin', time }] } }) as KubeObject;
    expect(await says([lease(GROUP, '', 60)], at('2026-11-20T05:59:30Z'))).toBeUndefined();
    expect(await says([lease(GROUP, '', 60)], at('2026-11-20T05:58:59Z'))).toContain('no replica holds');
  });

  it('computes no shard among a number of shards that is not ours', async () => {
    expect(await says([lease(GROUP, 'serin-shards-999999999', 1)])).toBe(
      'pod serin-shards-999999999, lease serin/flagger-leader-election renewed 1 s ago',
    );
  });

  it('is hidden if Leases cannot be read', async () => {
    const cluster = new HeldCluster([group]);
    cluster.forbidden.add('Lease');
    expect(await inCharge(cluster, canary, NOW_MS)).toEqual({ isHidden: true });
  });
});
