import { afterEach, describe, expect, it, vi } from 'vitest';
import { ModelClient } from '../../test/fakes/model/client.ts';
import { initialize } from '../../test/fakes/model/initialize.ts';
import { APP, aDeployment, aModelCanary, canaryRef, type ModelLab, NAMESPACE, primaryRef, targetRef } from '../../test/fakes/model/lab.ts';
import { labWithApp } from '../../test/fakes/model/life.ts';
import { raw } from '../../test/fakes/raw.ts';
import { RequestTimeoutError } from '../kube/errors.ts';
import { Convergence } from './reconcile/convergence.ts';
import { StatusWriter } from './status/writer.ts';
import { MOST_AT_ONCE } from './watch/first-reconciles.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const plan = { stepWeight: 25, maxWeight: 50 };

/** Two idle applications; then Serin is killed, and a version of the second one is pushed. */
async function killedOver(names: readonly [string, string]): Promise<ModelLab> {
  const lab = await labWithApp();
  lab.server.create(aDeployment('1', names[1]));
  for (const name of names) lab.server.create(aModelCanary(plan, {}, name));
  lab.start();
  const isAtRest = (name: string) => lab.phase(name) === 'Initialized' && raw(lab.server.find({ ...targetRef, name }))?.spec.replicas === 0;
  expect(await lab.passUntil(() => names.every(isAtRest), 120_000)).toBe(true);
  lab.kill();
  lab.push('2', names[1]);
  return lab;
}

/** Fails this number of the next controller's calls. The first one is its look for Canaries that are gone. */
function failNextCalls(lab: ModelLab, times: number): void {
  let left = times;
  lab.betweenCalls = () => {
    left -= 1;
    if (left >= 0) throw new RequestTimeoutError('GET /apis/apps/v1/controllerrevisions', 4_500);
  };
}

it('I7, I12: a first look that gets no answer is made again: releases go on, and what lost its Canary meanwhile is restored', async () => {
  const lab = await killedOver([APP, 'other']);
  lab.server.delete(canaryRef);
  failNextCalls(lab, 3);
  lab.start();
  expect(await lab.passUntil(() => lab.phase('other') === 'Succeeded', 300_000)).toBe(true);
  expect(await lab.passUntil(() => lab.server.find(primaryRef) === undefined, 60_000)).toBe(true);
  expect([lab.answering(), lab.lost]).toEqual([[APP], []]);
});

it('after a start, a Canary whose target was pushed meanwhile is reconciled before unchanged Canaries', async () => {
  const lab = await killedOver([APP, 'other']);
  lab.start();
  expect(await lab.passUntil(() => lab.phase('other') === 'Succeeded', 300_000)).toBe(true);
  await lab.pass(60_000);
  lab.kill();
  lab.push('3');
  const written = vi.spyOn(StatusWriter.prototype, 'write');
  lab.start();
  expect(await lab.passUntil(() => lab.phase() === 'Progressing', 10_000)).toBe(true);
  // Canaries of one urgency come in the order of their names.
  expect(written.mock.calls.map(([{ metadata }]) => metadata.name).slice(0, 2)).toEqual([APP, 'other']);
  written.mockRestore();
});

it.each(['while Serin is down', 'while it runs'])(
  'I7: a Canary that is made again for another target %s waits until the first one is restored',
  async (when) => {
    const lab = await killedOver([APP, 'other']);
    if (when === 'while it runs') lab.start();
    lab.server.create(aDeployment('1', 'third'));
    lab.server.delete(canaryRef);
    lab.server.create(aModelCanary(plan, { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'third' } }));
    if (!lab.isUp) lab.start();
    expect(await lab.passUntil(() => lab.phase() === 'Initialized', 120_000)).toBe(true);
    expect(lab.server.find(primaryRef)).toBeUndefined();
    lab.push('2', 'third');
    expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
    expect([lab.answering(), lab.lost]).toEqual([[APP], []]);
  },
);

it('I8: after a start the reconcile of an idle Canary writes nothing, and causes no other one', async () => {
  const lab = await labWithApp();
  await initialize(lab, aModelCanary(plan));
  await lab.pass(60_000);
  lab.kill();
  const reach = vi.spyOn(Convergence.prototype, 'reach');
  lab.start();
  await lab.pass(60_000);
  const reached = await Promise.all(reach.mock.results.map(({ value }) => value));
  expect(reached).not.toEqual([]);
  expect(reached.filter(({ again }) => again)).toEqual([]);
  expect(lab.writes).toEqual([]);
  reach.mockRestore();
});

it('the first that is written of a Canary is its phase Initializing, with the condition, and before anything is made for it', async () => {
  const lab = await labWithApp();
  lab.server.create(aModelCanary(plan));
  lab.start();
  expect(await lab.passUntil(() => lab.writes.length > 0, 10_000)).toBe(true);
  expect(lab.writes[0]).toMatchObject({
    ref: { kind: 'Canary', name: APP },
    subresource: 'status',
    body: { status: { phase: 'Initializing', conditions: [{ type: 'Promoted', status: 'Unknown', reason: 'Initializing' }] } },
  });
});

it('the configs that the pods of a primary read are copied before the primary is made', async () => {
  const lab = await labWithApp();
  lab.server.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: NAMESPACE }, data: { color: 'blue' } });
  lab.server.patch(targetRef, { spec: { template: { spec: { volumes: [{ name: 'settings', configMap: { name: 'settings' } }] } } } });
  lab.server.create(aModelCanary(plan));
  lab.start();
  expect(await lab.passUntil(() => lab.server.find(primaryRef) !== undefined, 60_000)).toBe(true);
  const created = lab.writes.filter(({ verb }) => verb === 'create').map(({ ref }) => `${ref.kind} ${ref.name}`);
  const [copy, primary] = created.slice(-2);
  expect([copy, primary]).toEqual([expect.stringMatching(/^ConfigMap settings-primary-/), `Deployment ${primaryRef.name}`]);
  expect(raw(lab.server.find(primaryRef))?.spec.template.spec.volumes[0].configMap.name).toBe(copy?.slice('ConfigMap '.length));
});

describe('Services that a controller looks for', () => {
  afterEach(() => vi.restoreAllMocks());

  /** Idle, on its primary. */
  async function resting(): Promise<ModelLab> {
    const lab = await labWithApp();
    lab.server.create(aModelCanary(plan));
    lab.start();
    expect(await lab.passUntil(() => lab.phase() === 'Initialized' && raw(lab.server.find(targetRef))?.spec.replicas === 0, 120_000)).toBe(
      true,
    );
    await lab.pass(10_000);
    return lab;
  }
  const service = { apiVersion: 'v1', kind: 'Service', name: APP, namespace: NAMESPACE };
  const written = (lab: ModelLab) =>
    lab.writes.filter(({ ref }) => ref.kind === 'Service').map(({ ref, body }) => ({ name: ref.name, body }));

  it('I8: are not written where the first look at them is refused, as by an API server that is just starting', async () => {
    const lab = await resting();
    lab.kill();
    const watch = ModelClient.prototype.watch;
    vi.spyOn(ModelClient.prototype, 'watch').mockImplementation(function (this: ModelClient, kind, handler, selection) {
      if (kind.kind !== 'Service') return watch.call(this, kind, handler, selection);
      lab.clock.setTimer(1, () => handler.onUnavailable?.('forbidden', 'services is forbidden'));
      const { promise: synced, resolve } = Promise.withResolvers<void>();
      lab.clock.setTimer(30_000, () => void watch.call(this, kind, handler, selection).synced.then(resolve));
      return { synced, ageMs: () => 0, restarts: 0, stop: () => undefined };
    });
    lab.start(() => true, { namespaces: [NAMESPACE, 'other'] });
    await lab.pass(20_000);
    expect(JSON.stringify(raw(lab.canary())?.status?.conditions)).toContain('reading Service in v1 is forbidden');
    await lab.pass(60_000);
    expect(JSON.stringify(raw(lab.canary())?.status?.conditions)).not.toContain('forbidden');
    expect([written(lab), lab.lost]).toEqual([[], []]);
    lab.push('2');
    expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000), 'it goes on').toBe(true);
  });

  it('I5: an apex that is deleted while no release is in progress is made again on the primary at once, and never on the target', async () => {
    const lab = await resting();
    const before = written(lab).length;
    lab.server.delete(service);
    await lab.pass(10_000);
    expect(written(lab).slice(before)).toMatchObject([{ name: APP, body: { spec: { selector: { app: `${APP}-primary` } } } }]);
  });
});

it('after a start over many Canaries, a Canary whose target changes is reconciled before the rest', async () => {
  const lab = await killedOver([APP, 'other']);
  // Uninitialized Canaries come before resting ones, and are too many to be reconciled at once.
  const names = Array.from({ length: 20 * MOST_AT_ONCE }, (_, index) => `waiting-${index}`);
  for (const name of names) lab.server.create(aModelCanary(plan, { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name } }, name));
  const untouched = () => names.filter((name) => raw(lab.server.find({ ...canaryRef, name }))?.status === undefined);
  lab.start();
  expect(await lab.passUntil(() => untouched().length < names.length, 60_000)).toBe(true);
  lab.push('2');
  expect(await lab.passUntil(() => lab.phase() === 'Progressing', 60_000)).toBe(true);
  expect(untouched().length).toBeGreaterThan(names.length / 4);
  expect(await lab.passUntil(() => untouched().length === 0, 60_000)).toBe(true);
});
