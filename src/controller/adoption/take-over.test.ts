import { expect, it } from 'vitest';
import { aCanary } from '../../../test/fakes/world.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import { routers } from '../../routers/index.ts';
import { workloads } from '../../workloads/index.ts';
import { takeOver } from './take-over.ts';

const canary = aCanary();
const owner = (kind: string, name: string, apiVersion = 'flagger.app/v1beta1') => ({ apiVersion, kind, name, uid: `${kind}-${name}` });
const other = owner('Team', 'shop', 'example.com/v1');
const anchor = { name: names(canary).anchor, uid: 'anchor-uid' };

/** The writes over the primary with these owners. */
async function written(...ownerReferences: object[]): Promise<{ wrote: boolean; patches: unknown[] }> {
  const ref = workloads.Deployment.primaryRef(canary);
  const { apiVersion, kind, name, namespace } = ref;
  const primary = { apiVersion, kind, metadata: { name, namespace, resourceVersion: '7', ownerReferences } } as unknown as KubeObject;
  const patches: unknown[] = [];
  const isPrimary = (one: ObjectRef) => one.kind === kind && one.name === name;
  const deps = {
    cluster: {
      get: async (one: ObjectRef) => (isPrimary(one) ? primary : undefined),
      patch: async (_: ObjectRef, patch: object) => {
        patches.push(patch);
        return primary;
      },
    },
    view: { find: (one: ObjectRef) => (isPrimary(one) ? { isEstablished: true, object: primary } : undefined), learn: () => undefined },
    anchors: { reference: async () => anchor },
    config: { remoteRoutes: false },
    signal: new AbortController().signal,
  } as unknown as Parameters<typeof takeOver>[3];
  return { wrote: await takeOver(canary, workloads.Deployment, routers.kubernetes, deps), patches };
}

it('I7: the anchor becomes the owner in place of the Canary, and other owners stay', async () => {
  const { wrote, patches } = await written(other, owner('Canary', canary.metadata.name));
  expect(wrote).toBe(true);
  expect(patches).toEqual([
    {
      metadata: {
        resourceVersion: '7',
        ownerReferences: [other, expect.objectContaining({ apiVersion: 'apps/v1', kind: 'ControllerRevision', ...anchor })],
        annotations: { 'serin.dev/canary-uid': canary.metadata.uid },
      },
    },
  ]);
});

it('I7: an object of another Canary, and an object that Flagger has not left, are not written', async () => {
  expect(await written(owner('Canary', 'other'))).toEqual({ wrote: false, patches: [] });
  expect(await written(other)).toEqual({ wrote: false, patches: [] });
});
