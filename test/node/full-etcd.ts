import type { RealCluster } from '../e2e/real-cluster.ts';

/** A quota that can be filled within seconds. */
export const SMALL_ETCD = ['--quota-backend-bytes=134217728'];

const NAMESPACE = 'fill';
const OBJECT_BYTES = 900_000;
const AT_MOST = 500;

/** Writes until etcd takes no more: from then on it refuses every write of everyone. */
export async function fillEtcd({ cluster }: RealCluster): Promise<void> {
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  const text = 'x'.repeat(OBJECT_BYTES);
  for (let at = 0; at < AT_MOST; at++)
    try {
      await cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `fill-${at}`, namespace: NAMESPACE }, data: { text } });
    } catch (error) {
      if (String(error).includes('database space exceeded')) return;
      throw error;
    }
  throw new Error(`etcd took ${AT_MOST} objects of ${OBJECT_BYTES} bytes`);
}

/** Steps of an operator for a full etcd: deletes, compacts, defragments, and ends the alarm. */
export async function freeEtcd({ etcdUrl }: RealCluster): Promise<void> {
  const call = async (path: string, body: object): Promise<{ header?: { revision?: string }; alarms?: object[] }> => {
    const answer = await fetch(`${etcdUrl}/v3/${path}`, { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`etcd ${path}: ${await answer.text()}`);
    return (await answer.json()) as { header?: { revision?: string }; alarms?: object[] };
  };
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const prefix = `/registry/configmaps/${NAMESPACE}`;
  // `0` follows `/`.
  const { header } = await call('kv/deleterange', { key: base64(`${prefix}/`), range_end: base64(`${prefix}0`) });
  await call('kv/compaction', { revision: header?.revision, physical: true });
  await call('maintenance/defragment', {});
  const { alarms = [] } = await call('maintenance/alarm', { action: 'GET' });
  for (const alarm of alarms) await call('maintenance/alarm', { ...alarm, action: 'DEACTIVATE' });
}
