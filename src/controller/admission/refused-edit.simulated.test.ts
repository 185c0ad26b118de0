import { describe, expect, it, vi } from 'vitest';
import { initialize } from '../../../test/fakes/model/initialize.ts';
import { APP, aModelCanary, canaryRef, type ModelLab, NAMESPACE, primaryRef, targetRef } from '../../../test/fakes/model/lab.ts';
import { labWithApp } from '../../../test/fakes/model/life.ts';
import { forgetSpecs } from '../../../test/fakes/model/stored-specs.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { CanaryCondition } from '../../api/canary-status.ts';

const plan = { stepWeight: 25, maxWeight: 50 };
const routeRef = { apiVersion: 'networking.istio.io/v1beta1', kind: 'VirtualService', name: APP, namespace: NAMESPACE };
const noSteps = { analysis: { stepWeight: 0 } };

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

/** A release with a quarter of the traffic on its canary. */
async function releasing(spec: object = {}): Promise<ModelLab> {
  const lab = await labWithApp();
  await initialize(lab, aModelCanary(plan, { progressDeadlineSeconds: 120, ...spec }));
  lab.push('2');
  expect(await lab.passUntil(() => weightOf(lab) === 25, 120_000)).toBe(true);
  return lab;
}

/** The same, whose spec was edited, and Serin restarted since; the spec before is not stored. */
async function restarted(edit: object): Promise<ModelLab> {
  const lab = await releasing();
  lab.kill();
  forgetSpecs(lab);
  lab.server.patch(canaryRef, { spec: edit });
  lab.start();
  await lab.pass(1_000);
  return lab;
}

const weightOf = (lab: ModelLab): number | undefined => raw(lab.server.find(routeRef))?.spec.http?.[0]?.route?.[1]?.weight;
const accepted = (lab: ModelLab): CanaryCondition | undefined =>
  raw(lab.canary())?.status?.conditions?.find(({ type }: CanaryCondition) => type === 'Accepted');
const events = (lab: ModelLab, reason: string) =>
  lab.server.api.store.list('/events').flatMap(([, event]) => (event.reason === reason ? [event.message] : []));
const ended = (lab: ModelLab) =>
  lab.passUntil(() => ['Succeeded', 'Failed'].includes(lab.phase()) && raw(lab.canary())?.status?.release?.step === 'resting', 300_000);

describe('an edit of the spec that Serin refuses in the middle of a release', () => {
  it('E65: keeps the weight, names the field once, and goes on when it is corrected', async () => {
    const lab = await releasing();
    lab.server.patch(canaryRef, { spec: noSteps });
    await lab.pass(60_000);
    expect([weightOf(lab), lab.phase(), accepted(lab)]).toMatchObject([25, 'Progressing', { status: 'False', reason: 'InvalidSpec' }]);
    expect(accepted(lab)?.message).not.toContain('not stored');
    expect(events(lab, 'InvalidSpec')).toEqual([expect.stringContaining('spec.analysis.stepWeight')]);
    expect(raw(lab.canary())?.status?.conditions?.[0].message).toContain('spec.analysis.stepWeight');
    lab.server.patch(canaryRef, { spec: { analysis: plan } });
    await ended(lab);
    expect([lab.phase(), accepted(lab), lab.lost]).toEqual(['Succeeded', undefined, []]);
  });

  it.each([
    { what: 'its steps', edit: noSteps },
    { what: 'its provider', edit: { provider: 'nginx' } },
    { what: 'the name of its Service', edit: { service: { name: `x${'y'.repeat(60)}` } } },
  ])(
    'E65: has its routes healed, is cancelled by the promoted revision and becomes idle, for any edited field: $what',
    async ({ edit }) => {
      const lab = await releasing();
      lab.server.patch(canaryRef, { spec: edit });
      await lab.pass(5_000);
      expect(accepted(lab)?.status).toBe('False');
      const [rule] = structuredClone(raw(lab.server.find(routeRef))?.spec.http);
      rule.route[1].weight = 100;
      rule.route[0].weight = 0;
      lab.server.patch(routeRef, { spec: { http: [rule] } });
      expect(await lab.passUntil(() => weightOf(lab) === 25, 10_000)).toBe(true);
      lab.push('1');
      await ended(lab);
      expect(await lab.passUntil(() => raw(lab.server.find(targetRef))?.spec.replicas === 0, 30_000)).toBe(true);
      expect([weightOf(lab), lab.phase(), lab.lost]).toEqual([0, 'Succeeded', []]);
      lab.push('3');
      await lab.pass(60_000);
      expect([lab.phase(), raw(lab.server.find(targetRef))?.spec.replicas]).toEqual(['Succeeded', 0]);
    },
  );

  it('E65: a promotion that has begun ends', async () => {
    const lab = await releasing();
    expect(await lab.passUntil(() => lab.phase() === 'Promoting', 120_000)).toBe(true);
    lab.server.patch(canaryRef, { spec: noSteps });
    await ended(lab);
    expect([lab.phase(), weightOf(lab), accepted(lab)?.status, lab.lost]).toEqual(['Succeeded', 0, 'False', []]);
  });

  it('E52: spec.suspend in the same edit stops it, and a lifted one lets it go on', async () => {
    const lab = await releasing();
    lab.server.patch(canaryRef, { spec: { ...noSteps, suspend: true } });
    await lab.pass(5_000);
    lab.push('1');
    await lab.pass(60_000);
    expect([weightOf(lab), lab.phase()]).toEqual([25, 'Progressing']);
    lab.server.patch(canaryRef, { spec: { suspend: false } });
    expect(await lab.passUntil(() => weightOf(lab) === 0, 30_000)).toBe(true);
  });

  it('I7: a Canary that is deleted then restores what it owned before the edit', async () => {
    const lab = await releasing();
    lab.server.patch(canaryRef, { spec: { provider: 'nginx' } });
    await lab.pass(5_000);
    lab.server.delete(canaryRef);
    await lab.pass(120_000);
    expect([lab.answering(), lab.lost]).toEqual([[primaryRef.name], []]); // I19
    lab.push('1');
    await lab.pass(120_000);
    expect([lab.server.find(routeRef), raw(lab.server.find(targetRef))?.spec.replicas, lab.answering(), lab.lost]).toEqual([
      undefined,
      1,
      [APP],
      [],
    ]);
  });
});

describe('the same after a restart, where an earlier version of Serin has stored no spec', () => {
  it.each([
    { what: 'its steps', edit: noSteps },
    {
      what: 'its steps, and that it shall skip the analysis',
      edit: { analysis: { stepWeight: 0, mirror: true }, provider: 'smi:v1alpha2', skipAnalysis: true },
    },
    { what: 'its provider', edit: { provider: 'nginx' } },
    { what: 'the name of its Service', edit: { service: { name: `x${'y'.repeat(60)}`, timeout: '7s' } } },
    { what: 'a port, so that it cannot be read', edit: { service: { port: 70_000 } } },
  ])('E65: holds weight, routes and counters until the progress deadline, then is rolled back: $what', async ({ edit }) => {
    const lab = await restarted(edit);
    const route = raw(lab.server.find(routeRef))?.spec.http;
    await lab.pass(100_000);
    expect([weightOf(lab), lab.phase()]).toEqual([25, 'Progressing']);
    expect(raw(lab.server.find(routeRef))?.spec.http).toMatchObject(route);
    expect(accepted(lab)?.message).toContain('the previous spec is not stored');
    await ended(lab);
    expect(await lab.passUntil(() => raw(lab.server.find(targetRef))?.spec.replicas === 0, 30_000)).toBe(true);
    expect([lab.phase(), weightOf(lab), lab.lost]).toEqual(['Failed', 0, []]);
  });

  it('E65: does not write words of long ago before traffic has to move', async () => {
    const lab = await releasing();
    lab.server.patch(canaryRef, { spec: { service: { timeout: '5s' } } });
    await lab.pass(1_000);
    lab.kill();
    forgetSpecs(lab);
    lab.server.patch(canaryRef, { spec: { service: { timeout: 'soon' } } });
    lab.start();
    await lab.pass(60_000);
    expect([weightOf(lab), raw(lab.server.find(routeRef))?.spec.http[0].timeout]).toEqual([25, '5s']);
    await ended(lab);
    expect([lab.phase(), weightOf(lab), lab.lost]).toEqual(['Failed', 0, []]);
  });

  it('E65: another restart does not start that time again', async () => {
    const lab = await restarted(noSteps);
    await lab.pass(90_000);
    lab.kill();
    lab.start();
    expect(await lab.passUntil(() => weightOf(lab) === 0, 40_000)).toBe(true);
  });

  it('E65: goes on if corrected in time, and can be cancelled earlier', async () => {
    const lab = await restarted(noSteps);
    await lab.pass(30_000);
    lab.server.patch(canaryRef, { spec: { analysis: plan } });
    await ended(lab);
    expect([lab.phase(), accepted(lab), lab.lost]).toEqual(['Succeeded', undefined, []]);

    const back = await restarted(noSteps);
    back.push('1');
    expect(await back.passUntil(() => weightOf(back) === 0, 30_000)).toBe(true);
    back.close();
  });

  it.each([
    { what: '', revertOnDeletion: false, isDown: false },
    { what: ', with revertOnDeletion', revertOnDeletion: true, isDown: false },
    { what: ', with revertOnDeletion and while Serin is down', revertOnDeletion: true, isDown: true },
  ])('I7: the target of an unreadable Canary is restored when it is deleted$what', async ({ revertOnDeletion, isDown }) => {
    const lab = await releasing({ revertOnDeletion });
    await ended(lab);
    lab.kill();
    lab.server.patch(canaryRef, { spec: { service: { port: 70_000 } } });
    if (isDown && revertOnDeletion) lab.server.delete(canaryRef);
    lab.start();
    await lab.pass(5_000);
    if (lab.canary()?.metadata.deletionTimestamp === undefined) lab.server.delete(canaryRef);
    await lab.pass(120_000);
    expect([lab.canary(), lab.server.find(routeRef), raw(lab.server.find(targetRef))?.spec.replicas]).toEqual([undefined, undefined, 1]);
    expect([lab.answering(), lab.lost]).toEqual([[APP], []]);
  });

  it('E65: an idle Canary stays unmodified, and nothing starts', async () => {
    const lab = await releasing();
    await ended(lab);
    lab.kill();
    forgetSpecs(lab);
    lab.server.patch(canaryRef, { spec: noSteps });
    lab.start();
    await lab.pass(5_000);
    const before = lab.writes.length;
    lab.push('3');
    await lab.pass(300_000);
    expect([lab.phase(), weightOf(lab), accepted(lab)?.status, lab.writes.length - before]).toEqual(['Succeeded', 0, 'False', 0]);
  });
});
