import { describe, expect, it, vi } from 'vitest';
import { anchorRef } from '../../../test/fakes/model/damage.ts';
import { APP, aDeployment, aModelCanary, type ModelLab, NAMESPACE, primaryRef, targetRef } from '../../../test/fakes/model/lab.ts';
import { canaryOf, labOf } from '../../../test/fakes/model/life.ts';
import {
  eventsOf,
  GRACE_MS,
  imageOf,
  left,
  type Manifest,
  makers,
  manifests,
  plan,
  promoted,
} from '../../../test/fakes/model/uninstalling.ts';
import { raw } from '../../../test/fakes/raw.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const orders: Manifest[][] = [
  ['canary', 'target', 'service'],
  ['canary', 'service', 'target'],
  ['target', 'canary', 'service'],
  ['target', 'service', 'canary'],
  ['service', 'canary', 'target'],
  ['service', 'target', 'canary'],
];
const named = orders.map((order) => ({ name: order.join(', '), order }));

async function initializedOn(lab: ModelLab, version: string): Promise<void> {
  expect(await lab.passUntil(() => lab.phase() === 'Initialized', GRACE_MS + 300_000)).toBe(true);
  await lab.pass(120_000);
  expect([lab.phase(), imageOf(lab), lab.answering(), eventsOf(lab, 'NewRevision').length]).toEqual([
    'Initialized',
    version,
    [primaryRef.name],
    1,
  ]);
}

/** A Canary over a target that holds another version than the primary of the last one: it takes that primary over, and releases the target (I19). */
async function releasedOn(lab: ModelLab, version: string): Promise<void> {
  const from = imageOf(lab);
  expect(await lab.passUntil(() => lab.phase() === 'Progressing', 120_000)).toBe(true);
  expect(imageOf(lab)).toBe(from);
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
  await lab.pass(120_000);
  expect([imageOf(lab), lab.answering()]).toEqual([version, [primaryRef.name]]);
}

describe('uninstalling an application, in virtual time', () => {
  it.each(named)('I7: $name: the primary serves through the grace, then nothing that was generated is left', async ({ order }) => {
    const lab = await promoted();
    for (const one of order) {
      manifests[one](lab);
      await lab.pass(300);
    }
    await lab.pass(GRACE_MS - 30_000);
    expect(raw(lab.server.find(primaryRef))?.spec.replicas).toBe(1);
    await lab.pass(60_000);
    expect([left(lab), lab.clock.pending]).toEqual([[], 0]);
  });

  it.each(named)('I7: $name while Serin is down: the grace begins when it is back', async ({ order }) => {
    const lab = await promoted();
    lab.kill();
    for (const one of order) manifests[one](lab);
    await lab.pass(GRACE_MS);
    lab.start();
    await lab.pass(GRACE_MS - 30_000);
    expect(raw(lab.server.find(primaryRef))?.spec.replicas).toBe(1);
    await lab.pass(60_000);
    expect(left(lab)).toEqual([]);
  });

  it('I7: the grace is neither cut short nor started again by restarts, and a resting one sends nothing', async () => {
    const lab = await promoted();
    manifests.canary(lab);
    manifests.target(lab);
    await lab.pass(GRACE_MS - 60_000);
    lab.kill();
    lab.start();
    await lab.pass(20_000);
    expect(lab.writes).toEqual([]);
    expect(lab.server.find(primaryRef)).toBeDefined();
    await lab.stop();
    lab.start();
    await lab.pass(60_000);
    expect(lab.server.find(primaryRef)).toBeUndefined();
  });

  it('I7: a target that comes back within the grace has its application back, and the next grace is a whole one', async () => {
    const lab = await promoted();
    manifests.canary(lab);
    manifests.target(lab);
    await lab.pass(GRACE_MS - 60_000);
    makers.target(lab);
    await lab.pass(120_000);
    expect([left(lab), lab.answering()]).toEqual([[`Deployment/${APP}`, `Service/${APP}`], [APP]]);
  });

  it('I7: an application whose target was deleted without its Canary keeps its primary as long as the Canary exists', async () => {
    const lab = await promoted();
    lab.server.delete(targetRef);
    await lab.pass(2 * GRACE_MS);
    expect([lab.lost, lab.answering()]).toEqual([[], [primaryRef.name]]);
  });

  it('I7: deleted before its route was written, nothing is left, and no route is made on the way', async () => {
    const life = { seed: 1_610_608_367, provider: 'istio', delayMs: 1_000, plan: 0, hasService: false } as const;
    const { lab, draw } = labOf(life);
    await lab.application(false);
    lab.server.create(canaryOf(life, { revertOnDeletion: true }));
    lab.start();
    await lab.pass(draw(0, 90_000));
    manifests.canary(lab);
    manifests.target(lab);
    await lab.stop();
    await lab.pass(10_000);
    lab.start();
    await lab.pass(2 * GRACE_MS);
    expect(left(lab)).toEqual([]);
  });

  it("I7: the user's objects are restored: the Service leads to the pods of the target again", async () => {
    const lab = await promoted();
    manifests.canary(lab);
    manifests.target(lab);
    await lab.pass(GRACE_MS + 60_000);
    expect(left(lab)).toEqual([`Service/${APP}`]);
    expect(raw(lab.server.find({ apiVersion: 'v1', kind: 'Service', name: APP, namespace: NAMESPACE }))?.spec.selector).toEqual({
      app: APP,
    });
  });

  it('I7: without a Service of the user, the Service that Serin made is also deleted, even if the target went while it was restored', async () => {
    const lab = await promoted({}, false);
    manifests.canary(lab);
    await lab.passUntil(() => lab.answering().includes(APP), 60_000);
    manifests.target(lab);
    await lab.pass(GRACE_MS + 120_000);
    expect(left(lab)).toEqual([]);
  });

  it("I7: a Service of Serin that the user has applied a manifest over is the user's, and stays", async () => {
    const lab = await promoted({}, false);
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: APP, namespace: NAMESPACE } };
    manifests.canary(lab);
    manifests.target(lab);
    await lab.pass(60_000);
    const found = lab.server.find({ ...service, name: APP, namespace: NAMESPACE });
    lab.server.putAs('kubectl', {
      ...service,
      ...found,
      spec: { ...raw(found)?.spec, externalTrafficPolicy: 'Cluster', type: 'NodePort' },
    });
    await lab.pass(GRACE_MS + 60_000);
    expect(left(lab)).toEqual([`Service/${APP}`]);
  });

  it.each([
    { where: 'the Canary', mark: (lab: ModelLab) => annotate(lab, { apiVersion: 'flagger.app/v1beta1', kind: 'Canary' }) },
    { where: 'the target', mark: (lab: ModelLab) => annotate(lab, targetRef) },
    { where: 'the anchor', mark: (lab: ModelLab) => annotate(lab, anchorRef) },
  ])('I7: serin.dev/keep-on-uninstall on $where keeps the primary serving, also when Serin was down', async ({ mark }) => {
    const lab = await promoted();
    mark(lab);
    await lab.pass(30_000);
    lab.kill();
    manifests.canary(lab);
    manifests.target(lab);
    lab.start();
    await lab.pass(3 * GRACE_MS);
    expect(lab.answering()).toEqual([primaryRef.name]);
    const before = lab.writes.length;
    await lab.pass(3 * GRACE_MS);
    expect(lab.writes.length).toBe(before);
    makers.target(lab);
    await lab.pass(120_000);
    expect([left(lab), lab.answering()]).toEqual([[`Deployment/${APP}`, `Service/${APP}`], [APP]]);
  });

  it('I7: a mark that is taken off the Canary again keeps nothing', async () => {
    const lab = await promoted();
    const canary = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary' };
    annotate(lab, canary);
    await lab.pass(30_000);
    lab.kill();
    lab.start();
    await lab.pass(30_000);
    annotate(lab, canary, null);
    await lab.pass(30_000);
    lab.kill();
    manifests.canary(lab);
    manifests.target(lab);
    lab.start();
    await lab.pass(GRACE_MS + 60_000);
    expect(left(lab)).toEqual([`Service/${APP}`]);
  });
});

describe('installing an application again, in virtual time', () => {
  it.each([
    { what: 'within the grace, the target first', order: ['target', 'canary'], afterMs: 60_000 },
    { what: 'after the grace, the target first', order: ['target', 'canary'], afterMs: GRACE_MS + 60_000 },
    { what: 'after the grace, the Canary first', order: ['canary', 'target'], afterMs: GRACE_MS + 60_000 },
  ] as const)('I7: $what: it starts like new, on the new version and without a release', async ({ order, afterMs }) => {
    const lab = await promoted();
    manifests.canary(lab);
    manifests.target(lab);
    await lab.pass(afterMs);
    for (const one of order) {
      makers[one](lab);
      await lab.pass(20_000);
    }
    await initializedOn(lab, '3');
  });

  it.each([
    { what: 'within the grace, the Canary first', order: ['canary', 'target'], afterMs: 60_000 },
    { what: 'at once', order: ['target', 'canary'], afterMs: 0 },
  ] as const)('I19: $what: it takes over the primary that serves, and releases the new version', async ({ order, afterMs }) => {
    const lab = await promoted();
    manifests.canary(lab);
    manifests.target(lab);
    await lab.pass(afterMs);
    for (const one of order) {
      makers[one](lab);
      await lab.pass(20_000);
    }
    await releasedOn(lab, '3');
  });

  it('I19: while Serin is down: it takes over the primary that serves, and releases the new version', async () => {
    const lab = await promoted();
    lab.kill();
    manifests.canary(lab);
    manifests.target(lab);
    makers.target(lab);
    makers.canary(lab);
    lab.start();
    await releasedOn(lab, '3');
  });

  it('I7: a Canary made again unmodified, while its application is restored, waits for that and starts like new', async () => {
    const lab = await promoted();
    manifests.canary(lab);
    await lab.pass(500);
    makers.canary(lab);
    await initializedOn(lab, '2');
    expect(lab.lost).toEqual([]);
  });

  it('I19: one made again with another image in the target, before its application is restored, releases that', async () => {
    const lab = await promoted();
    manifests.canary(lab);
    await lab.pass(500);
    makers.canary(lab);
    lab.push('4');
    await releasedOn(lab, '4');
    expect(lab.lost).toEqual([]);
  });

  it('I7: a Canary that waits for its target keeps the primary of the last one beyond the grace', async () => {
    const lab = await promoted();
    manifests.canary(lab);
    await lab.pass(100);
    lab.server.delete(targetRef);
    await lab.pass(60_000);
    makers.canary(lab);
    await lab.pass(2 * GRACE_MS);
    expect(lab.answering()).toEqual([primaryRef.name]);
    const accepted = raw(lab.canary())?.status?.conditions.find(({ type }: { type: string }) => type === 'Accepted');
    expect(accepted).toMatchObject({ status: 'False', reason: 'Blocked', message: expect.stringContaining(`Deployment ${APP}`) });
    makers.target(lab);
    await releasedOn(lab, '3');
    expect(lab.lost).toEqual([]);
  });

  describe('a Canary that was made again says what it waits for', () => {
    const accepted = (lab: ModelLab) =>
      raw(lab.canary())?.status?.conditions.find(({ type }: { type: string }) => type === 'Accepted')?.message;
    const untilBack = `waits until Deployment ${APP}, which the last Canary of this name released, has its traffic back`;

    it('I7: for the traffic of its target, then for its target that was deleted', async () => {
      const lab = await promoted();
      manifests.canary(lab);
      await lab.pass(500);
      makers.canary(lab);
      await lab.pass(2_000);
      expect(accepted(lab)).toBe(untilBack);
      lab.server.delete(targetRef);
      await lab.pass(60_000);
      expect(accepted(lab)).toMatch(`waits for Deployment ${APP}: create it`);
      makers.target(lab);
      await releasedOn(lab, '3');
    });

    it('I7: for its target instead of the end of the grace, which it has stopped', async () => {
      const lab = await promoted();
      manifests.canary(lab);
      manifests.target(lab);
      await lab.pass(60_000);
      makers.canary(lab);
      await lab.pass(60_000);
      expect(accepted(lab)).toMatch(`waits for Deployment ${APP}: create it`);
    });
  });

  it.each([
    { what: 'on the same target', spec: {} },
    { what: 'on another target', spec: { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'next' } } },
  ])('I7: a Canary that was made again $what and goes again while it waits does not change the grace of the last one', async ({ spec }) => {
    const lab = await promoted({}, false);
    manifests.canary(lab);
    manifests.target(lab);
    await lab.pass(60_000);
    lab.server.create(aModelCanary(plan, spec));
    await lab.pass(20_000);
    manifests.canary(lab);
    await lab.pass(GRACE_MS - 120_000);
    expect(lab.answering()).toEqual([primaryRef.name]);
    await lab.pass(180_000);
    expect([left(lab), lab.clock.pending]).toEqual([[], 0]);
  });

  it('I7: with another target it begins when the grace of the last one is over', async () => {
    const lab = await promoted();
    manifests.canary(lab);
    manifests.target(lab);
    await lab.pass(1_000);
    const next = { ...targetRef, name: 'next' };
    lab.server.create(aDeployment('7', 'next'));
    lab.server.create(aModelCanary(plan, { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'next' } }));
    await lab.pass(GRACE_MS - 60_000);
    expect(lab.server.find(primaryRef)).toBeDefined();
    expect(await lab.passUntil(() => lab.phase() === 'Initialized', 300_000)).toBe(true);
    expect([imageOf(lab, { ...next, name: 'next-primary' }), lab.server.find(primaryRef)]).toEqual(['7', undefined]);
  });
});

function annotate(
  lab: ModelLab,
  { apiVersion, kind, name = APP }: { apiVersion: string; kind: string; name?: string },
  value: string | null = 'true',
) {
  lab.server.patch(
    { apiVersion, kind, name, namespace: NAMESPACE },
    { metadata: { annotations: { 'serin.dev/keep-on-uninstall': value } } },
  );
}
