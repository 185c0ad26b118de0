import { expect, it } from 'vitest';
import { aCanary } from '../../../test/fakes/world.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { HealingBrake } from '../objects/healing-brake.ts';
import type { ReconcileContext } from './context.ts';
import { forgetScale, raise, scale } from './replicas.ts';

const ref: ObjectRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'podinfo', namespace: 'test' };

/** A Deployment whose replicas others bring back after each write. */
function aContext() {
  const deployment: KubeObject = { ...ref, metadata: { name: 'podinfo', namespace: 'test', resourceVersion: '1' }, spec: { replicas: 2 } };
  const context = {
    canary: aCanary(),
    view: { find: () => ({ object: deployment, manager: 'autoscaler' }) },
    cluster: { patch: async () => deployment },
    brake: new HealingBrake(),
    nowMs: 1_000,
    wanted: new Map(),
    signal: new AbortController().signal,
  };
  return context as object as ReconcileContext;
}

it('I18: replicas that a release has raised and gives back are contested by no one when the next release raises them', async () => {
  const context = aContext();
  for (let release = 0; release < 3; release += 1) {
    expect(await raise(context, ref, 2, 4)).toMatchObject({ wrote: false, converged: false });
    await raise(context, ref, 2, undefined);
  }
  expect(context.brake.isReleased).toBe(true);
});

it('I18: nor is a side that each release starts again', async () => {
  const context = aContext();
  for (let release = 0; release < 3; release += 1) {
    await scale(context, ref, 2);
    forgetScale(context, ref, (direction) => direction === 'up');
  }
  expect(context.brake.isReleased).toBe(true);
});

it('replicas that are taken away while a release needs them are contested, and hold up nothing else', async () => {
  const context = aContext();
  await raise(context, ref, 2, 4);
  await raise(context, ref, 2, 4);
  expect(await raise(context, ref, 2, 4)).toMatchObject({ converged: true, retryInMs: 1_000 });
});
