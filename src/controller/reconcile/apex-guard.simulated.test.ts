import { expect, it, vi } from 'vitest';
import { apexGuardObjects } from '../../../scripts/kustomize/manifests.ts';
import { initialize } from '../../../test/fakes/model/initialize.ts';
import { APP, aModelCanary, canaryRef, type ModelLab, NAMESPACE } from '../../../test/fakes/model/lab.ts';
import { labOf, labWithApp } from '../../../test/fakes/model/life.ts';
import { initializedLab, ordersPlan, release } from '../../../test/fakes/model/released.ts';
import { raw } from '../../../test/fakes/raw.ts';
import { type KubeObject, type Labels, refOf } from '../../api/kube-object.ts';
import { guardAnnotation, ownerAnnotation } from '../../api/names.ts';
import { originalSelectorAnnotation } from '../../arrival/followers.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const plan = { stepWeight: 25, maxWeight: 50 };
const USERS = { app: APP };
const PRIMARY = { app: `${APP}-primary` };
const service = (name: string, selector: Labels, annotations?: Labels): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'Service', metadata: { name, namespace: NAMESPACE, ...(annotations && { annotations }) } },
  spec: { selector, ports: [{ port: 81, targetPort: 'http' }] },
});
const refTo = (name: string) => ({ apiVersion: 'v1', kind: 'Service', name, namespace: NAMESPACE });
const serviceIn = (lab: ModelLab, name: string) => raw(lab.server.find(refTo(name)) as KubeObject);
const selectorOf = (lab: ModelLab, name: string): Labels => serviceIn(lab, name).spec.selector;
const isMarked = (lab: ModelLab, name: string): boolean => {
  const { uid, annotations } = serviceIn(lab, name).metadata;
  return annotations?.[guardAnnotation] === uid;
};
const ownersOf = (lab: ModelLab, name: string): string[] =>
  serviceIn(lab, name)
    .metadata.managedFields.filter(
      ({ fieldsV1 }: { fieldsV1: Record<string, Record<string, unknown>> }) => fieldsV1['f:spec']?.['f:selector'],
    )
    .map(({ manager }: { manager: string }) => manager);

async function arrived(...objects: KubeObject[]): Promise<ModelLab> {
  const lab = await labWithApp();
  for (const one of objects) lab.server.create(one);
  await initialize(lab, aModelCanary(plan));
  return lab;
}
const applied = (lab: ModelLab, name: string): Labels => {
  lab.server.patch(refTo(name), { spec: { selector: USERS } });
  return selectorOf(lab, name);
};

it('with the guard, neither apex nor follower leaves the primary when a tool applies its manifest: idle, in a release, and while Serin is down', async () => {
  const lab = await arrived(...apexGuardObjects(), service('admin', USERS));
  const both = () => [applied(lab, APP), applied(lab, 'admin')];
  expect([APP, 'admin'].map((name) => [isMarked(lab, name), ownersOf(lab, name)])).toEqual([
    [true, []],
    [true, []],
  ]);
  expect(both()).toEqual([PRIMARY, PRIMARY]);
  lab.push('2');
  expect(await lab.passUntil(() => lab.phase() === 'Progressing', 120_000)).toBe(true);
  expect(both()).toEqual([PRIMARY, PRIMARY]);
  lab.kill();
  expect(both()).toEqual([PRIMARY, PRIMARY]);
});

it('deletion leaves both to their user, and a tool leads them anywhere afterwards', async () => {
  const lab = await arrived(...apexGuardObjects(), service('admin', USERS));
  lab.server.delete(canaryRef);
  expect(await lab.passUntil(() => selectorOf(lab, 'admin').app === APP && selectorOf(lab, APP).app === APP, 300_000)).toBe(true);
  await lab.pass(60_000);
  for (const name of [APP, 'admin']) {
    expect(serviceIn(lab, name).metadata.annotations).toEqual({});
    lab.server.patch(refTo(name), { spec: { selector: { app: 'other' } } });
    expect(selectorOf(lab, name)).toEqual({ app: 'other' });
  }
});

it('without the guard, the mark changes nothing: the selector is corrected', async () => {
  const lab = await arrived(service('admin', USERS));
  expect([isMarked(lab, APP), isMarked(lab, 'admin'), ownersOf(lab, APP)]).toEqual([true, true, ['serin']]);
  expect(applied(lab, APP)).toEqual(USERS);
  expect(applied(lab, 'admin')).toEqual(USERS);
  expect(await lab.passUntil(() => selectorOf(lab, APP).app === PRIMARY.app && selectorOf(lab, 'admin').app === PRIMARY.app, 30_000)).toBe(
    true,
  );
});

it('I8: a Service without a mark, from a version without the guard, is marked when the next release starts, and not before', async () => {
  const lab = await arrived(...apexGuardObjects(), service('admin', USERS));
  const unmark = { metadata: { annotations: { [guardAnnotation]: null } } };
  for (const name of [APP, 'admin']) lab.server.patch(refTo(name), unmark);
  lab.kill();
  lab.start();
  await lab.pass(120_000);
  expect([isMarked(lab, APP), isMarked(lab, 'admin')]).toEqual([false, false]);
  lab.push('2');
  expect(await lab.passUntil(() => lab.phase() === 'Progressing', 120_000)).toBe(true);
  expect(await lab.passUntil(() => isMarked(lab, APP) && isMarked(lab, 'admin'), 30_000)).toBe(true);
  expect([selectorOf(lab, APP), selectorOf(lab, 'admin')]).toEqual([PRIMARY, PRIMARY]);
});

it('a Service whose user wants no guard gets none, and keeps that word after deletion', async () => {
  const lab = await arrived(...apexGuardObjects(), service('admin', USERS, { [guardAnnotation]: 'false' }));
  expect([isMarked(lab, 'admin'), selectorOf(lab, 'admin')]).toEqual([false, PRIMARY]);
  expect(applied(lab, 'admin')).toEqual(USERS);
  expect(await lab.passUntil(() => selectorOf(lab, 'admin').app === PRIMARY.app, 30_000)).toBe(true);
  lab.server.delete(canaryRef);
  expect(await lab.passUntil(() => serviceIn(lab, 'admin').metadata.annotations?.[originalSelectorAnnotation] === undefined, 300_000)).toBe(
    true,
  );
  expect(serviceIn(lab, 'admin').metadata.annotations).toEqual({ [guardAnnotation]: 'false' });
});

it('a follower that is deleted and made again is its user’s at first, and follows again', async () => {
  const lab = await arrived(...apexGuardObjects(), service('admin', USERS));
  lab.server.delete(refTo('admin'));
  lab.server.create(service('admin', USERS));
  expect(selectorOf(lab, 'admin')).toEqual(USERS);
  expect(await lab.passUntil(() => isMarked(lab, 'admin') && selectorOf(lab, 'admin').app === PRIMARY.app, 30_000)).toBe(true);
});

it('a user who takes the mark away leads the Service elsewhere; Serin corrects it as ever, but not while the Canary is suspended', async () => {
  const lab = await arrived(...apexGuardObjects());
  const takeBack = { metadata: { annotations: { [guardAnnotation]: null } }, spec: { selector: USERS } };
  lab.server.patch(refTo(APP), takeBack);
  expect(selectorOf(lab, APP)).toEqual(USERS);
  expect(await lab.passUntil(() => isMarked(lab, APP) && selectorOf(lab, APP).app === PRIMARY.app, 30_000)).toBe(true);
  lab.server.patch(canaryRef, { spec: { suspend: true } });
  await lab.pass(10_000);
  lab.server.patch(refTo(APP), takeBack);
  await lab.pass(60_000);
  expect([selectorOf(lab, APP), isMarked(lab, APP)]).toEqual([USERS, false]);
});

it('a Canary that is deleted while Serin is down is restored when it is back, and the guard lets it', async () => {
  const lab = await arrived(...apexGuardObjects(), service('admin', USERS));
  lab.kill();
  lab.server.delete(canaryRef);
  expect([applied(lab, APP), applied(lab, 'admin')]).toEqual([PRIMARY, PRIMARY]);
  lab.start();
  expect(await lab.passUntil(() => selectorOf(lab, 'admin').app === APP && selectorOf(lab, APP).app === APP, 300_000)).toBe(true);
  expect([isMarked(lab, APP), isMarked(lab, 'admin')]).toEqual([false, false]);
});

it('without Serin, a user takes back what a deleted Canary has left by one write', async () => {
  const lab = await arrived(...apexGuardObjects());
  lab.kill();
  lab.server.delete(canaryRef);
  lab.server.patch(refTo(APP), { metadata: { annotations: { [guardAnnotation]: null } }, spec: { selector: USERS } });
  expect(selectorOf(lab, APP)).toEqual(USERS);
});

it('when the policy is removed, a tool leads the Service away, and Serin corrects it', async () => {
  const lab = await arrived(...apexGuardObjects());
  for (const one of apexGuardObjects()) lab.server.delete(refOf(one));
  expect(applied(lab, APP)).toEqual(USERS);
  expect(await lab.passUntil(() => selectorOf(lab, APP).app === PRIMARY.app, 30_000)).toBe(true);
  expect(ownersOf(lab, APP)).toEqual(['serin']);
});

it('a policy that comes later holds for a Service that is marked already', async () => {
  const lab = await arrived();
  for (const one of apexGuardObjects()) lab.server.create(one);
  expect(applied(lab, APP)).toEqual(PRIMARY);
});

it('an apex that is deleted and made from its manifest leads to the primary again, and is marked', async () => {
  const lab = await arrived(...apexGuardObjects());
  lab.server.delete(refTo(APP));
  lab.server.create({ ...service(APP, USERS), spec: { selector: USERS, ports: [{ name: 'http', port: 80, targetPort: 'http' }] } });
  expect(await lab.passUntil(() => selectorOf(lab, APP).app === PRIMARY.app && isMarked(lab, APP), 60_000)).toBe(true);
  expect(applied(lab, APP)).toEqual(PRIMARY);
});

it.each([0, 40, 320, 600])('I9: an apex that its user replaces %i ms after initialization stays the user’s', async (afterMs) => {
  const lab = await arrived(...apexGuardObjects());
  await lab.pass(afterMs);
  lab.server.delete(refTo(APP));
  lab.server.create({ ...service(APP, USERS), spec: { selector: USERS, ports: [{ name: 'http', port: 80, targetPort: 'http' }] } });
  expect(await lab.passUntil(() => selectorOf(lab, APP).app === PRIMARY.app, 60_000)).toBe(true);
  const { annotations, ownerReferences } = serviceIn(lab, APP).metadata;
  expect([annotations?.[ownerAnnotation], ownerReferences, ownersOf(lab, APP)]).toEqual([undefined, undefined, []]);
  lab.server.delete(canaryRef);
  expect(await lab.passUntil(() => selectorOf(lab, APP).app === APP, 300_000)).toBe(true);
});

it('two Canaries on one apex: deletion of the younger one leaves the mark of the older one', async () => {
  const lab = await arrived(...apexGuardObjects());
  const younger = aModelCanary(plan, { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: APP } }, 'younger');
  lab.server.create(younger);
  await lab.pass(30_000);
  lab.server.delete(refOf(younger));
  await lab.pass(60_000);
  expect([isMarked(lab, APP), applied(lab, APP)]).toEqual([true, PRIMARY]);
});

it('I19: beside a primary that is kept, a tool leads no user to what was not promoted, also while Serin is down', async () => {
  const lab = await initializedLab({}, aModelCanary(ordersPlan));
  for (const one of apexGuardObjects()) lab.server.create(one);
  lab.externalMetric = () => ({ value: 10, afterMs: 0 });
  await release(lab, '2', 'Failed');
  lab.server.delete(canaryRef);
  await lab.pass(600_000);
  expect(selectorOf(lab, APP)).toEqual(PRIMARY);
  expect(applied(lab, APP)).toEqual(PRIMARY);
  lab.kill();
  expect(applied(lab, APP)).toEqual(PRIMARY);
  lab.start();
  lab.push('3');
  expect(await lab.passUntil(() => selectorOf(lab, APP).app === APP, 600_000)).toBe(true);
  expect(isMarked(lab, APP)).toBe(false);
});

it.each([5, 6, 7, 8, 9, 10])(
  'seed %i: a tool that applies between any two requests of Serin moves no marked Service, and costs no request',
  async (seed) => {
    const { lab } = labOf({ seed, provider: 'istio', delayMs: 2_000, plan: 0, hasService: true });
    await lab.application();
    for (const one of [...apexGuardObjects(), service('admin', USERS)]) lab.server.create(one);
    lab.server.create(aModelCanary(plan));
    const strayed: string[] = [];
    lab.betweenCalls = () => {
      for (const name of [APP, 'admin'])
        if (isMarked(lab, name) && applied(lab, name).app !== PRIMARY.app) strayed.push(`${name} at ${lab.clock.monotonicMs()} ms`);
    };
    lab.start();
    expect(await lab.passUntil(() => lab.phase() === 'Initialized', 120_000)).toBe(true);
    lab.push('2');
    expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 600_000)).toBe(true);
    lab.server.delete(canaryRef);
    expect(await lab.passUntil(() => !isMarked(lab, APP) && !isMarked(lab, 'admin'), 300_000)).toBe(true);
    await lab.pass(60_000);
    expect([selectorOf(lab, APP), selectorOf(lab, 'admin'), strayed, lab.lost]).toEqual([USERS, USERS, [], []]);
  },
);
