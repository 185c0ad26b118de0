import { describe, expect, it } from 'vitest';
import { apexGuardObjects } from '../../../scripts/kustomize/manifests.ts';
import { type KubeObject, refOf } from '../../api/kube-object.ts';
import { ApiError } from '../../kube/errors.ts';
import { readGuard } from './read-guard.ts';

const over = (objects: readonly KubeObject[], error?: Error) =>
  readGuard({
    async list({ kind }) {
      if (error) throw error;
      return { items: objects.filter((one) => refOf(one).kind === kind), resourceVersion: '1' };
    },
  });
const failure = (status: number) => new ApiError('refused', { status, reason: 'Refused' });

describe('whether the apex guard is in force', () => {
  it.each([
    { what: 'the policy and its binding', objects: apexGuardObjects(), state: 'inForce' },
    { what: 'a binding for this namespace', objects: apexGuardObjects(['other', 'shop']), state: 'inForce' },
    { what: 'a binding for another namespace', objects: apexGuardObjects(['other']), state: 'absent' },
    { what: 'a policy without its binding', objects: apexGuardObjects().slice(0, 1), state: 'absent' },
    { what: 'a binding without its policy', objects: apexGuardObjects().slice(1), state: 'absent' },
    { what: 'nothing', objects: [], state: 'absent' },
    { what: 'an API server without the kind', objects: [], error: failure(404), state: 'notServed' },
    { what: 'a user who may not look', objects: [], error: failure(403), state: 'unknown' },
  ])('$what: $state', async ({ objects, error, state }) => {
    expect((await over(objects, error))('shop')).toBe(state);
  });

  it('another policy of that kind says nothing', async () => {
    const [policy, binding] = apexGuardObjects();
    const others = { ...policy, spec: { ...(policy?.spec as object), matchConditions: [] } } as KubeObject;
    expect((await over([others, ...(binding ? [binding] : [])]))('shop')).toBe('absent');
  });
});
