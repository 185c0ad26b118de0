import { expect, it, vi } from 'vitest';
import { aDeployment, aModelCanary, canaryRef, type ModelLab, primaryRef, targetRef } from '../../../test/fakes/model/lab.ts';
import { labWithApp } from '../../../test/fakes/model/life.ts';
import { eventsOf, imageOf, plan, promoted } from '../../../test/fakes/model/uninstalling.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { CanaryCondition } from '../../api/canary-status.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const nextRef = { ...targetRef, name: 'next' };
const nextPrimaryRef = { ...targetRef, name: 'next-primary' };
const toNext = { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'next' }, service: { name: 'podinfo' } };
const back = { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'podinfo' }, service: { name: null } };
const accepted = (lab: ModelLab): CanaryCondition | undefined =>
  raw(lab.canary())?.status?.conditions?.find(({ type }: CanaryCondition) => type === 'Accepted');

/** Another target for the Canary, and the edit that names it. */
function retarget(lab: ModelLab, edit: object = toNext): void {
  lab.server.create(aDeployment('7', 'next'));
  lab.server.patch(canaryRef, { spec: edit });
}

it.each([
  { what: 'with the Service it had', edit: toNext },
  { what: 'with the Service of the new target', edit: { targetRef: toNext.targetRef } },
])('E112: an edited targetRef is refused, and the primary goes on serving: $what', async ({ edit }) => {
  const lab = await promoted();
  retarget(lab, edit);
  await lab.pass(120_000);
  expect([lab.lost, lab.answering(), lab.server.find(nextPrimaryRef), lab.phase()]).toEqual([
    [],
    [primaryRef.name],
    undefined,
    'Succeeded',
  ]);
  expect(accepted(lab)).toMatchObject({ status: 'False', reason: 'InvalidSpec', message: expect.stringContaining('spec.targetRef: ') });
  expect(eventsOf(lab, 'InvalidSpec')).toEqual([expect.stringContaining('podinfo-primary')]);
  expect(raw(lab.server.find(nextRef))?.spec.replicas).toBe(1);
});

it('E112: the old target is looked at, starts no release, and goes on when the edit is reverted', async () => {
  const lab = await promoted();
  retarget(lab);
  await lab.pass(30_000);
  lab.push('3');
  await lab.pass(60_000);
  expect([lab.phase(), imageOf(lab), lab.lost]).toEqual(['Succeeded', '2', []]);
  lab.server.patch(canaryRef, { spec: back });
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded' && imageOf(lab) === '3', 300_000)).toBe(true);
  expect([accepted(lab), lab.lost]).toEqual([undefined, []]);
});

it('E112: a release that has begun ends by the old target, also after a restart', async () => {
  for (const isRestarted of [false, true]) {
    const lab = await promoted();
    lab.push('3');
    expect(await lab.passUntil(() => lab.phase() === 'Promoting', 120_000)).toBe(true);
    if (isRestarted) lab.kill();
    retarget(lab);
    if (isRestarted) lab.start();
    expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
    await lab.pass(60_000);
    expect([imageOf(lab), raw(lab.server.find(targetRef))?.spec.replicas, accepted(lab)?.status, lab.lost]).toEqual(['3', 0, 'False', []]);
    lab.close();
  }
});

it('E112: the same holds for an edit while Serin is down; while idle it writes nothing, and deleted it is restored', async () => {
  const lab = await promoted();
  lab.kill();
  retarget(lab);
  lab.start();
  await lab.pass(60_000);
  expect([lab.answering(), lab.server.find(nextPrimaryRef), accepted(lab)?.status]).toEqual([[primaryRef.name], undefined, 'False']);
  const before = lab.writes.length;
  await lab.pass(300_000);
  expect(lab.writes.slice(before)).toEqual([]);
  lab.server.delete(canaryRef);
  await lab.pass(120_000);
  expect([raw(lab.server.find(targetRef))?.spec.replicas, raw(lab.server.find(nextRef))?.spec.replicas, lab.answering()]).toEqual([
    1,
    1,
    [targetRef.name],
  ]);
  expect([lab.server.find(primaryRef), lab.lost]).toEqual([undefined, []]);
});

it('E112: the remedy works: deleted while the edit is refused, and made for the new target', async () => {
  const lab = await promoted();
  retarget(lab);
  await lab.pass(30_000);
  lab.server.delete(canaryRef);
  await lab.pass(120_000);
  expect([lab.answering(), raw(lab.server.find(targetRef))?.spec.replicas, lab.lost]).toEqual([[targetRef.name], 1, []]);
  lab.server.create(aModelCanary(plan, { ...toNext, service: { name: 'podinfo', port: 80, targetPort: 'http' } }));
  expect(await lab.passUntil(() => lab.phase() === 'Initialized', 120_000)).toBe(true);
  await lab.pass(30_000);
  expect([lab.answering(), lab.lost]).toEqual([[nextPrimaryRef.name], []]);
});

it('E112: another spelling of the same target does not count as an edit', async () => {
  const lab = await promoted();
  lab.server.patch(canaryRef, { spec: { targetRef: { apiVersion: 'extensions/v1beta1' } } });
  lab.push('3');
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded' && imageOf(lab) === '3', 300_000)).toBe(true);
  expect([accepted(lab), lab.lost]).toEqual([undefined, []]);
});

it('E112: a Canary without a primary accepts another target, and keeps that one from then on', async () => {
  const lab = await labWithApp();
  lab.server.create(aModelCanary(plan, { ...toNext, service: { name: 'podinfo', port: 80, targetPort: 'http' } }));
  lab.start();
  await lab.pass(30_000);
  expect(lab.phase()).not.toBe('Initialized');
  lab.server.patch(canaryRef, { spec: back });
  expect(await lab.passUntil(() => lab.phase() === 'Initialized', 120_000)).toBe(true);
  expect([accepted(lab), lab.lost]).toEqual([undefined, []]);
  retarget(lab);
  await lab.pass(60_000);
  expect([accepted(lab)?.status, lab.answering(), lab.lost]).toEqual(['False', [primaryRef.name], []]);
});

it('E112: an edit during Initializing is not refused, and takes no traffic', async () => {
  const lab = await labWithApp();
  lab.server.create(aModelCanary(plan));
  lab.start();
  expect(await lab.passUntil(() => lab.server.find(primaryRef) !== undefined, 60_000)).toBe(true);
  expect(lab.phase()).toBe('Initializing');
  retarget(lab);
  await lab.pass(60_000);
  expect([accepted(lab), lab.answering(), lab.lost]).toEqual([undefined, [targetRef.name], []]);
});

it('E112, I7: a Canary that is deleted right after the edit gives its former target back', async () => {
  const lab = await promoted();
  retarget(lab);
  await lab.pass(1);
  lab.server.delete(canaryRef);
  await lab.pass(120_000);
  expect([raw(lab.server.find(targetRef))?.spec.replicas, lab.answering(), lab.lost]).toEqual([1, [targetRef.name], []]);
});
