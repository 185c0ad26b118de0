import { expect, it } from 'vitest';
import { aCanary } from '../../../test/fakes/world.ts';
import { type KubeObject, type ObjectRef, refOf } from '../../api/kube-object.ts';
import { HealingBrake } from '../objects/healing-brake.ts';
import type { ReconcileContext } from './context.ts';
import { forgetScale, raiseReplicas, scale } from './replicas.ts';

const canary = aCanary({}, { targetRef: { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent' } });
/** Scaled to zero by its node selector; `podsLeft` of its pods are still terminating. */
const aDaemonSet = (podsLeft: number): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', namespace: 'test', generation: 2, resourceVersion: '7' },
  spec: {
    selector: { matchLabels: { app: 'agent' } },
    template: { spec: { containers: [], nodeSelector: { 'flagger.app/scale-to-zero': 'true' } } },
  },
  status: { observedGeneration: 2, numberMisscheduled: podsLeft },
});

/** Requests a pod at each of these moments; returns the milliseconds until the next attempt, or `written`. */
async function scaledUp(looks: readonly { atMs: number; podsLeft: number }[]): Promise<(number | 'written' | undefined)[]> {
  const wanted = new Map<string, string>();
  const outcomes: (number | 'written' | undefined)[] = [];
  for (const { atMs, podsLeft } of looks) {
    const object = aDaemonSet(podsLeft);
    let isWritten = false;
    const patch = async () => {
      isWritten = true;
      return object;
    };
    const view = { find: () => ({ object }), learn: () => undefined };
    const context = { canary, view, cluster: { patch }, brake: new HealingBrake(), nowMs: atMs, wanted } as unknown as ReconcileContext;
    const { retryInMs } = await scale(context, refOf(object), 1);
    outcomes.push(isWritten ? 'written' : retryInMs);
  }
  return outcomes;
}

it('I10: pods of a DaemonSet that are terminating are waited for from the moment when they were first seen, and not for ever', async () => {
  const looks = [0, 20_000, 35_000].map((atMs) => ({ atMs, podsLeft: 1 }));
  expect(await scaledUp(looks)).toEqual([35_000, 15_000, 'written']);
});

it('I10: pods of a later release are waited for as long again', async () => {
  const looks = [
    { atMs: 0, podsLeft: 0 },
    { atMs: 600_000, podsLeft: 1 },
    { atMs: 630_000, podsLeft: 0 },
    { atMs: 1_200_000, podsLeft: 1 },
  ];
  expect(await scaledUp(looks)).toEqual(['written', 35_000, 'written', 35_000]);
});

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
    expect(await raiseReplicas(context, ref, 2, 4)).toMatchObject({ wrote: false, converged: false });
    await raiseReplicas(context, ref, 2, undefined);
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

it('I18, E90: an object that is deleted and made again is scaled like the first, and contested by no one', async () => {
  const context = aContext();
  for (const uid of ['a', 'b', 'c']) {
    const found = { ...context.view.find(ref)?.object, metadata: { name: 'podinfo', namespace: 'test', resourceVersion: '1', uid } };
    await scale({ ...context, view: { find: () => ({ object: found, manager: 'helm' }) } } as object as ReconcileContext, ref, 0);
  }
  expect(context.brake.isReleased).toBe(true);
});

it('replicas that are taken away while a release needs them are contested, and delay nothing else', async () => {
  const context = aContext();
  await raiseReplicas(context, ref, 2, 4);
  await raiseReplicas(context, ref, 2, 4);
  expect(await raiseReplicas(context, ref, 2, 4)).toMatchObject({ converged: true, retryInMs: 1_000 });
});
