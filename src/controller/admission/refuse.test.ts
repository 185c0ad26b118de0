import { expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { raw } from '../../../test/fakes/raw.ts';
import { aCanary } from '../../../test/fakes/world.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { refuse } from './admission.ts';

/** The conditions of a Canary with these conditions, once it is refused. */
async function refused(...conditions: { type: string; status: string; reason: string; message?: string }[]) {
  const patches: object[] = [];
  const announced: unknown[] = [];
  const cluster = {
    patch: async (_: unknown, patch: object) => {
      patches.push(patch);
      return aCanary();
    },
  };
  const deps = {
    ...{ cluster, clock: handClock(0), config: { kstatus: false }, view: { learn: () => undefined } },
    announceOn: (_: KubeObject, event: unknown) => announced.push(event),
  } as unknown as Parameters<typeof refuse>[2];
  const canary = { ...aCanary(), status: { phase: 'Initialized', conditions } } as unknown as KubeObject;
  await refuse(canary, { reason: 'InvalidSpec', message: 'spec.x: is wrong', field: 'spec.x' }, deps, new AbortController().signal);
  return { conditions: raw(patches[0])?.status.conditions, announced };
}

it('I12: a refused Canary has one condition Accepted, which replaces an earlier refusal, and keeps the conditions of others', async () => {
  const other = { type: 'Contested', status: 'True', reason: 'Foreign' };
  const { conditions } = await refused({ type: 'Accepted', status: 'False', reason: 'Blocked', message: 'waits' }, other, {
    ...{ type: 'Promoted', status: 'True', reason: 'Initialized' },
  });
  expect(conditions.map(({ type }: { type: string }) => type)).toEqual(['Promoted', 'Contested', 'Accepted']);
  expect(conditions[2]).toMatchObject({ status: 'False', reason: 'InvalidSpec', message: 'spec.x: is wrong', field: 'spec.x' });
});

it('I12: the same refusal is written and announced once', async () => {
  const said = { type: 'Accepted', status: 'False', reason: 'InvalidSpec', message: 'spec.x: is wrong' };
  expect(await refused(said)).toEqual({ conditions: undefined, announced: [] });
  const { announced } = await refused({ ...said, message: 'spec.y: is wrong' });
  expect(announced).toEqual([{ reason: 'InvalidSpec', type: 'Warning', message: 'spec.x: is wrong' }]);
});
