import { expect, it } from 'vitest';
import { initialized } from '../../../test/fakes/world.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { deployment } from '../../workloads/deployment/deployment.ts';
import { editedSincePromoted } from './edited-target.ts';

/** The refusal of a Canary that was anchored for a target of this kind, after a restart. The view finds only watched objects. */
async function refusalAfter(kind: string, made: string[]) {
  const { canary } = initialized();
  const watched = new Set<string>();
  const view = {
    ready: async ({ name = '' }: ObjectRef) => void watched.add(name),
    find: ({ name }: ObjectRef) => (watched.has(name) && made.includes(name) ? { object: {} } : undefined),
  };
  const original = { ...canary.spec, targetRef: { apiVersion: 'apps/v1', kind, name: 'former' } };
  const deps = { view, accepted: async () => [], anchors: { originalSpec: async () => original } };
  const raw = { ...canary, spec: {} } as unknown as KubeObject;
  return editedSincePromoted({ canary, workload: deployment } as never, raw, deps as never, new AbortController().signal);
}

it('E112: after a restart the primary of the target that was anchored is watched before it is looked for', async () => {
  expect(await refusalAfter('Deployment', ['former-primary'])).toMatchObject({ reason: 'InvalidSpec', field: 'spec.targetRef' });
  expect(await refusalAfter('Deployment', [])).toBeUndefined();
  expect(await refusalAfter('Deployment', ['former-primary', 'podinfo-primary'])).toBeUndefined();
});

it('E112: a target that was anchored is passed by where this Serin does not know its kind', async () => {
  expect(await refusalAfter('Rollout', ['former-primary'])).toBeUndefined();
});
