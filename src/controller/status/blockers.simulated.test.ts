import { describe, expect, it, vi } from 'vitest';
import { APP, aModelCanary, canaryRef, type ModelLab, NAMESPACE, targetRef } from '../../../test/fakes/model/lab.ts';
import { labWithApp } from '../../../test/fakes/model/life.ts';
import { raw } from '../../../test/fakes/raw.ts';
import { anIngress, ingressRef, leadingTo, routedByIngress } from '../../../test/fakes/shop-ingress.ts';
import { apiErrorOf } from '../../kube/errors.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const plan = { stepWeight: 25, maxWeight: 50 };
const blockers = (lab: ModelLab) => raw(lab.canary())?.status?.release?.blockers;
const since = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+Z$/);

async function resting(spec: object = {}): Promise<ModelLab> {
  const lab = await labWithApp();
  lab.server.create(anIngress(APP));
  lab.server.create(aModelCanary(plan, { progressDeadlineSeconds: 120, provider: 'istio', ...spec }));
  lab.start();
  const isAtRest = () => lab.phase() === 'Initialized' && raw(lab.server.find(targetRef))?.spec.replicas === 0;
  expect(await lab.passUntil(isAtRest, 120_000)).toBe(true);
  await lab.pass(60_000);
  return lab;
}

/** Writes of all controllers so far, but for events: another process says once more what holds. */
const writes = (lab: ModelLab): number => lab.writesByController.flat().filter(({ ref }) => ref.kind !== 'Event').length;

/** Neither the running controller nor a restarted one writes anything. */
async function expectSilence(lab: ModelLab): Promise<void> {
  const before = writes(lab);
  await lab.pass(300_000);
  lab.kill();
  lab.start();
  await lab.pass(60_000);
  expect(writes(lab) - before).toBe(0);
}

describe('status.release.blockers while idle', () => {
  it('I8, D13: is absent while nothing holds a release, and nothing is written', async () => {
    const lab = await resting();
    expect(raw(lab.canary())?.status?.release).not.toHaveProperty('blockers');
    await expectSilence(lab);
  });

  it('I8, D13: names a route that cannot be written, is not written again while that lasts, and goes with it', async () => {
    const lab = await resting(routedByIngress);
    lab.server.patch(ingressRef, { spec: leadingTo('elsewhere') });
    await lab.pass(60_000);
    const said = blockers(lab);
    expect(said).toEqual([
      { code: 'RouteRejected', field: 'spec.ingressRef', since, detail: expect.stringContaining('no path of Ingress shop') },
    ]);
    await expectSilence(lab);
    expect(blockers(lab)).toEqual(said);
    lab.server.patch(ingressRef, { spec: leadingTo(APP) });
    await lab.pass(60_000);
    expect(blockers(lab)).toBeUndefined();
  });

  it('I8, I12, D13: names the field of an edit that is refused, and goes when it is corrected', async () => {
    const lab = await resting();
    lab.server.patch(canaryRef, { spec: { analysis: { stepWeight: 0 } } });
    await lab.pass(60_000);
    const detail = expect.stringContaining('spec.analysis.stepWeight');
    expect(blockers(lab)).toEqual([{ code: 'InvalidSpec', field: 'spec.analysis.stepWeight', since, detail }]);
    await expectSilence(lab);
    lab.server.patch(canaryRef, { spec: { analysis: plan } });
    await lab.pass(60_000);
    expect(blockers(lab)).toBeUndefined();
    lab.push('2');
    expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
    expect(lab.lost).toEqual([]);
  });

  it('I12: a Canary that is refused from the start has no release, and its condition names the field', async () => {
    const lab = await labWithApp();
    lab.server.create(aModelCanary({ stepWeight: 0 }));
    lab.start();
    await lab.pass(30_000);
    const { conditions, release } = raw(lab.canary())?.status ?? {};
    expect(release).toBeUndefined();
    expect(conditions.find(({ type }: { type: string }) => type === 'Accepted')).toMatchObject({
      reason: 'InvalidSpec',
      field: 'spec.analysis.stepWeight',
    });
  });
});

describe('status.release.blockers of a release', () => {
  it('D13: names the exhausted quota, only by its name', async () => {
    const lab = await resting();
    const message = 'virtualservices "app" is forbidden: exceeded quota: compute, requested: count=1, used: count=9, limited: count=9';
    lab.refuse = ({ ref }) => {
      if (ref.kind === 'VirtualService') throw apiErrorOf('PATCH', 403, JSON.stringify({ kind: 'Status', reason: 'Forbidden', message }));
    };
    lab.push('2');
    await lab.pass(60_000);
    const object = { apiVersion: 'v1', kind: 'ResourceQuota', name: 'compute', namespace: NAMESPACE };
    expect(blockers(lab)).toEqual([{ code: 'QuotaExceeded', object, since, detail: expect.stringContaining('exceeded quota: compute') }]);
    lab.refuse = () => undefined;
    expect(await lab.passUntil(() => blockers(lab) === undefined, 60_000)).toBe(true);
    expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
  });

  it('D13: names the object that refuses a promotion, beside the primary', async () => {
    const lab = await resting();
    const primary = `${APP}-primary`;
    const message = `deployments.apps "${primary}" is forbidden: User "serin" cannot patch resource "deployments"`;
    lab.refuse = ({ ref, verb }) => {
      if (ref.name === primary && ref.kind === 'Deployment' && verb === 'patch' && lab.phase() === 'Promoting')
        throw apiErrorOf('PATCH', 403, JSON.stringify({ kind: 'Status', reason: 'Forbidden', message }));
    };
    lab.push('2');
    expect(await lab.passUntil(() => blockers(lab)?.length === 2, 300_000)).toBe(true);
    expect(blockers(lab)).toMatchObject([{ code: 'PrimaryRejected', object: { name: primary } }, { code: 'Forbidden' }]);
    lab.refuse = () => undefined;
    expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
  });

  it.each(['Initializing', 'Initialized', 'Progressing', 'Promoting', 'Finalising', 'Succeeded'])(
    'D13: a status in %s that an older Serin wrote, without blockers, goes on from where it is',
    async (phase) => {
      const lab = await labWithApp();
      lab.server.create(aModelCanary(plan, { progressDeadlineSeconds: 120, provider: 'istio' }));
      lab.start();
      if (phase !== 'Initializing' && phase !== 'Initialized') {
        expect(await lab.passUntil(() => lab.phase() === 'Initialized', 120_000)).toBe(true);
        await lab.pass(30_000);
        lab.push('2');
      }
      expect(await lab.passUntil(() => lab.phase() === phase, 300_000)).toBe(true);
      lab.kill();
      lab.server.patch(canaryRef, { status: { release: { blockers: null, dueMs: null, refusedBy: null, refusal: null } } }, 'status');
      const run = raw(lab.canary())?.status?.release?.run;
      lab.start();
      if (phase === 'Initializing') expect(await lab.passUntil(() => lab.phase() === 'Initialized', 120_000)).toBe(true);
      else if (phase !== 'Initialized') expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
      await lab.pass(60_000);
      expect([raw(lab.canary())?.status?.release?.run, lab.lost]).toEqual([run, []]);
    },
  );
});
