import { afterAll, beforeAll, expect, it } from 'vitest';
import { raw } from '../../../test/fakes/raw.ts';
import { eventuallyHolds } from '../../../test/scenarios/eventually.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { connectionTo } from '../../kube/connect.ts';
import { createCluster } from '../../kube/create-cluster.ts';
import type { KubeCluster } from '../../kube/kube-cluster.ts';
import { type ApiServer, startApiServer } from '../apiserver/index.ts';
import { httpPodCalls, type Nodes, startNodes } from './index.ts';

/** More than a pod's first state takes at once. */
const FAILURES = 7;

let server: ApiServer;
let cluster: KubeCluster;
let nodes: Nodes;
const left = new Map<string, number>();

/** The first requests of each sort get no answer. */
function fails(what: string): void {
  const count = left.get(what) ?? FAILURES;
  left.set(what, count - 1);
  if (count > 0) throw new Error(`${what}: no answer`);
}

beforeAll(async () => {
  server = await startApiServer();
  cluster = createCluster(connectionTo(server.url));
  const calls = httpPodCalls(server.url);
  const lossy: KubeCluster = {
    ...cluster,
    async patch(ref, patch, options) {
      if (ref.kind === 'Pod') fails(`patch ${ref.name}/${options?.subresource ?? ''}`);
      return cluster.patch(ref, patch, options);
    },
  };
  nodes = startNodes(lossy, {
    graceScale: 0.01,
    calls: {
      bind: calls.bind,
      async forceDelete(pod) {
        fails(`delete ${pod.metadata.name}`);
        await calls.forceDelete(pod);
      },
    },
  });
  await nodes.ready;
});
afterAll(async () => {
  await nodes.stop();
  cluster.close();
  await server.stop();
});

const refTo = (name: string): ObjectRef => ({ apiVersion: 'v1', kind: 'Pod', name, namespace: 'default' });
const make = (name: string): Promise<KubeObject> =>
  cluster.create({
    ...refTo(name),
    metadata: { name, namespace: 'default' },
    spec: { containers: [{ name: 'a', image: 'a:1' }] },
  });

it('a pod becomes ready and goes, however many requests of its kubelet get no answer', async () => {
  await make('steady');
  await eventuallyHolds(async () =>
    expect(raw(await cluster.get(refTo('steady')))?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Ready', status: 'True' }),
    ),
  );
  expect([...left.keys()]).toEqual(expect.arrayContaining(['patch steady/', 'patch steady/status']));
  await cluster.delete(refTo('steady'));
  await eventuallyHolds(async () => expect(await cluster.get(refTo('steady'))).toBeUndefined());
});
