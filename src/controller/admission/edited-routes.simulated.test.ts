import { describe, expect, it, vi } from 'vitest';
import { APP, aModelCanary, canaryRef, type ModelLab, NAMESPACE } from '../../../test/fakes/model/lab.ts';
import { labWithApp } from '../../../test/fakes/model/life.ts';
import { conditionOf, each, type Kind, kinds, OTHER, OWN, serviceOf } from '../../../test/fakes/model/own-routes.ts';
import { forgetSpecs } from '../../../test/fakes/model/stored-specs.ts';
import { raw } from '../../../test/fakes/raw.ts';
import { type KubeObject, refOf } from '../../api/kube-object.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const match = [{ headers: { 'x-user': { exact: 'insider' } } }];
const steps = { stepWeight: 25, maxWeight: 50 };
const forGroup = { stepWeight: null, maxWeight: null, iterations: 2, match };
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: NAMESPACE };
const ownRoute = (lab: ModelLab, kind: Kind) => raw(lab.server.find({ ...refOf(kinds[kind].route(OWN)), name: APP }))?.spec;

/** A Canary whose route Serin has made for one host. */
async function initialized(kind: Kind, more: object = {}, objects: readonly KubeObject[] = []): Promise<ModelLab> {
  const lab = await labWithApp();
  for (const one of objects) lab.server.create(one);
  lab.server.create(aModelCanary(steps, { ...kinds[kind].spec, service: serviceOf(kind, [OWN]) }));
  lab.server.patch(canaryRef, { spec: more });
  lab.start();
  expect(await lab.passUntil(() => lab.phase() === 'Initialized', 300_000)).toBe(true);
  return lab;
}

const refused = (kind: Kind) => ({
  ...{ status: 'False', reason: 'EndpointsWouldBeLost' },
  message: expect.stringMatching(
    new RegExp(`^${kind} static: .* which the route that Serin makes for this Canary would take from it. To keep it,`),
  ),
});

describe.each(each)('I17: a later edit of a Canary whose %s Serin makes', (kind) => {
  const { hosts, route } = kinds[kind];

  it.each([
    { what: 'a host', on: OTHER, edit: { service: serviceOf(kind, [OWN, OTHER]) } },
    { what: 'requests of a group of users', on: OWN, edit: { analysis: forGroup } },
  ])('is refused while it would take $what from another route, and what was written stays', async ({ on, edit }) => {
    const lab = await initialized(kind, {}, on === OWN ? [route(on)] : []);
    if (on !== OWN) lab.server.create(route(on));
    await lab.pass(2_000);
    const before = structuredClone(ownRoute(lab, kind));
    lab.server.patch(canaryRef, { spec: edit });
    await lab.pass(30_000);
    expect(conditionOf(lab, 'Accepted')).toMatchObject(refused(kind));
    expect(ownRoute(lab, kind)).toEqual(before);
    lab.server.delete(refOf(route(on)));
    expect(await lab.passUntil(() => conditionOf(lab, 'Accepted') === undefined, 600_000)).toBe(true);
  });

  it('is also refused after a restart', async () => {
    const lab = await initialized(kind);
    lab.server.create(route(OTHER));
    lab.kill();
    lab.server.patch(canaryRef, { spec: { service: serviceOf(kind, [OWN, OTHER]) } });
    lab.start();
    await lab.pass(30_000);
    expect(conditionOf(lab, 'Accepted')).toMatchObject(refused(kind));
    lab.kill();
    lab.start();
    await lab.pass(30_000);
    expect([conditionOf(lab, 'Accepted'), ownRoute(lab, kind)[hosts]]).toMatchObject([refused(kind), expect.not.arrayContaining([OTHER])]);
  });

  it('keeps the weight of a release in progress, which goes on once the edit is corrected', async () => {
    const lab = await initialized(kind);
    lab.server.create(route(OTHER));
    lab.push('2');
    expect(await lab.passUntil(() => raw(lab.canary())?.status?.canaryWeight === 25, 120_000)).toBe(true);
    lab.server.patch(canaryRef, { spec: { service: serviceOf(kind, [OWN, OTHER]) } });
    await lab.pass(60_000);
    expect([lab.phase(), raw(lab.canary())?.status?.canaryWeight]).toEqual(['Progressing', 25]);
    expect([conditionOf(lab, 'Accepted'), ownRoute(lab, kind)[hosts]]).toMatchObject([refused(kind), expect.not.arrayContaining([OTHER])]);
    lab.server.patch(canaryRef, { spec: { service: serviceOf(kind, [OWN]) } });
    expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
    expect(conditionOf(lab, 'Accepted')).toBeUndefined();
  });

  it.each(['before', 'after'])(
    'takes nothing in a release in progress where Serin is restarted %s it and no spec is stored, and the release is rolled back at its deadline',
    async (when) => {
      const lab = await initialized(kind, { progressDeadlineSeconds: 120 });
      lab.server.create(route(OTHER));
      lab.push('2');
      expect(await lab.passUntil(() => raw(lab.canary())?.status?.canaryWeight === 25, 120_000)).toBe(true);
      const edit = () => lab.server.patch(canaryRef, { spec: { service: serviceOf(kind, [OWN, OTHER]) } });
      if (when === 'after') edit();
      await lab.pass(5_000);
      lab.kill();
      forgetSpecs(lab);
      if (when === 'before') edit();
      lab.start();
      await lab.pass(60_000);
      const { message } = refused(kind);
      expect([conditionOf(lab, 'Accepted')?.message, lab.phase(), raw(lab.canary())?.status?.canaryWeight]).toEqual([
        message,
        'Progressing',
        25,
      ]);
      expect(conditionOf(lab, 'Accepted')?.message).toContain('the previous spec is not stored');
      expect(ownRoute(lab, kind)[hosts]).not.toContain(OTHER);
      expect(await lab.passUntil(() => lab.phase() === 'Failed', 300_000)).toBe(true);
      await lab.pass(30_000);
      expect([conditionOf(lab, 'Accepted'), ownRoute(lab, kind)[hosts]]).toMatchObject([
        { status: 'False' },
        expect.not.arrayContaining([OTHER]),
      ]);
      lab.server.delete(refOf(route(OTHER)));
      expect(await lab.passUntil(() => ownRoute(lab, kind)[hosts].includes(OTHER), 600_000)).toBe(true);
      expect(conditionOf(lab, 'Accepted')).toBeUndefined();
    },
  );

  it('is also refused where it adds to another edit that was made while Serin was down', async () => {
    const lab = await initialized(kind);
    lab.server.create(route(OTHER));
    lab.kill();
    lab.server.patch(canaryRef, { spec: { service: serviceOf(kind, [OWN, OTHER]) } });
    lab.start();
    await lab.pass(30_000);
    lab.server.patch(canaryRef, { spec: { service: serviceOf(kind, [OWN, OTHER, 'third.example.org']) } });
    await lab.pass(30_000);
    expect([conditionOf(lab, 'Accepted'), ownRoute(lab, kind)[hosts]]).toMatchObject([refused(kind), expect.not.arrayContaining([OTHER])]);
    lab.server.patch(canaryRef, { spec: { service: serviceOf(kind, [OWN, 'third.example.org']) } });
    expect(await lab.passUntil(() => ownRoute(lab, kind)[hosts].includes('third.example.org'), 60_000)).toBe(true);
    expect([conditionOf(lab, 'Accepted'), ownRoute(lab, kind)[hosts]]).toEqual([undefined, expect.not.arrayContaining([OTHER])]);
  });

  it('is also refused where it is made while the Canary is suspended', async () => {
    const lab = await initialized(kind);
    lab.server.create(route(OTHER));
    lab.server.patch(canaryRef, { spec: { suspend: true, service: serviceOf(kind, [OWN, OTHER]) } });
    await lab.pass(30_000);
    lab.server.patch(canaryRef, { spec: { suspend: false } });
    await lab.pass(30_000);
    expect([conditionOf(lab, 'Accepted'), ownRoute(lab, kind)[hosts]]).toMatchObject([refused(kind), expect.not.arrayContaining([OTHER])]);
  });

  it('is also refused where the Canary is not initialized yet', async () => {
    const lab = await labWithApp();
    lab.server.create(route(OWN));
    lab.server.create(aModelCanary(steps, { ...kinds[kind].spec, service: serviceOf(kind, [OWN]) }));
    lab.start();
    expect(await lab.passUntil(() => lab.server.find({ ...DEPLOYMENT, name: `${APP}-primary` }) !== undefined, 60_000)).toBe(true);
    expect(ownRoute(lab, kind)).toBeUndefined();
    lab.server.patch(canaryRef, { spec: { analysis: forGroup } });
    expect(await lab.passUntil(() => lab.phase() === 'Initialized', 300_000)).toBe(true);
    expect(conditionOf(lab, 'Accepted')).toMatchObject(refused(kind));
    lab.push('2');
    await lab.pass(60_000);
    expect(lab.phase()).toBe('Initialized');
    lab.server.patch(canaryRef, { spec: { analysis: { ...steps, iterations: null, match: null } } });
    expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
  });

  it('is also refused in a release in progress, whose routes take more requests than the edited routes', async () => {
    const lab = await initialized(kind, { analysis: forGroup }, [route(OTHER)]);
    lab.push('2');
    expect(await lab.passUntil(() => raw(lab.canary())?.status?.release?.routes.kind === 'matched', 120_000)).toBe(true);
    lab.server.patch(canaryRef, {
      spec: { analysis: { ...steps, iterations: null, match: null }, service: serviceOf(kind, [OWN, OTHER]) },
    });
    await lab.pass(2_000);
    expect([conditionOf(lab, 'Accepted'), ownRoute(lab, kind)[hosts]]).toMatchObject([refused(kind), expect.not.arrayContaining([OTHER])]);
  });

  it('is accepted where the user accepts the loss', async () => {
    const lab = await initialized(kind);
    lab.server.create(route(OTHER, { 'serin.dev/arrival-loss': 'accepted' }));
    lab.server.patch(canaryRef, { spec: { service: serviceOf(kind, [OWN, OTHER]) } });
    expect(await lab.passUntil(() => ownRoute(lab, kind)[hosts].includes(OTHER), 60_000)).toBe(true);
    expect(conditionOf(lab, 'Accepted')).toBeUndefined();
  });

  it('costs no request where it says nothing of routes', async () => {
    const lab = await initialized(kind);
    lab.server.create(route(OTHER));
    await lab.pass(10_000);
    const listed: string[] = [];
    lab.listed = (one) => void listed.push(one);
    lab.server.patch(canaryRef, { spec: { analysis: { ...steps, threshold: 3 } } });
    await lab.pass(30_000);
    expect([listed, conditionOf(lab, 'Accepted')]).toEqual([[], undefined]);
  });
});
