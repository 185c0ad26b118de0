import { expect, it } from 'vitest';
import type { Cluster } from './cluster.ts';
import { splitCluster } from './split-cluster.ts';

/** Records its calls, and answers nothing. */
function aCluster(name: string, asked: string[]): Cluster {
  const note = (verb: string) => (what?: { kind: string }) => {
    asked.push(`${name} ${verb} ${what?.kind ?? ''}`.trim());
    return undefined as never;
  };
  return {
    get: note('get'),
    list: note('list'),
    create: note('create'),
    replace: note('replace'),
    apply: note('apply'),
    patch: note('patch'),
    delete: note('delete'),
    watch: note('watch'),
    settled: async () => note('settled')(),
    close: note('close'),
  };
}

it('every verb goes where the kind lies; the end of writes is waited for in both, and closing closes both', async () => {
  const asked: string[] = [];
  const isRemote = (apiVersion: string) => apiVersion.startsWith('networking.istio.io/');
  const cluster = splitCluster(aCluster('local', asked), aCluster('remote', asked), isRemote);
  for (const [apiVersion, kind] of [
    ['v1', 'Service'],
    ['networking.istio.io/v1beta1', 'VirtualService'],
  ] as const) {
    const object = { apiVersion, kind, metadata: { name: 'shop' } };
    const ref = { apiVersion, kind, name: 'shop' };
    void cluster.get(ref);
    void cluster.list(ref);
    void cluster.create(object);
    void cluster.replace(object);
    void cluster.apply(object);
    void cluster.patch(ref, {});
    void cluster.delete(ref);
    cluster.watch(ref, { onEvent: () => undefined, onList: () => undefined });
  }
  await cluster.settled();
  cluster.close();
  const verbs = ['get', 'list', 'create', 'replace', 'apply', 'patch', 'delete', 'watch'];
  expect(asked).toEqual([
    ...verbs.map((verb) => `local ${verb} Service`),
    ...verbs.map((verb) => `remote ${verb} VirtualService`),
    'local settled',
    'remote settled',
    'local close',
    'remote close',
  ]);
});
