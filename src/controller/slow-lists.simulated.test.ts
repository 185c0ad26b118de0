import { afterEach, expect, it, vi } from 'vitest';
import { ModelClient } from '../../test/fakes/model/client.ts';
import { APP, aDeployment, aModelCanary, canaryRef, type ModelLab, NAMESPACE, primaryRef, targetRef } from '../../test/fakes/model/lab.ts';
import { labWithApp } from '../../test/fakes/model/life.ts';
import { raw } from '../../test/fakes/raw.ts';
import type { KubeObject, ObjectRef } from '../api/kube-object.ts';
import { requestAnnotation } from '../api/names.ts';
import { writeRequest } from '../api/verb-request.ts';
import { ApiError, RequestTimeoutError } from '../kube/errors.ts';
import { reasonOfStaleness } from '../process/readiness.ts';
import { CanaryRegister } from './watch/canary-register.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });
afterEach(() => vi.restoreAllMocks());

const plan = { stepWeight: 25, maxWeight: 50 };
const routeRef: ObjectRef = { apiVersion: 'networking.istio.io/v1beta1', kind: 'VirtualService', name: APP, namespace: NAMESPACE };
/** Time of a list of thousands. Milliseconds. */
const SLOW_MS = 60_000;

const stepOf = (lab: ModelLab, name?: string): string => raw(lab.canary(name))?.status?.release?.step ?? '';
const failedReconciles = (lab: ModelLab) => lab.logged.filter(({ msg }) => msg === 'reconcile failed');

function weightAt(lab: ModelLab, name = APP): number {
  const route = raw(lab.server.find({ ...routeRef, name }))?.spec.http[0].route ?? [];
  return route.find((one: { destination: { host: string } }) => one.destination.host === `${name}-canary`)?.weight ?? 0;
}

async function atRest(...names: string[]): Promise<ModelLab> {
  const lab = await labWithApp();
  for (const name of names) if (name !== APP) lab.server.create(aDeployment('1', name));
  for (const name of names) lab.server.create(aModelCanary(plan, {}, name));
  lab.start();
  const isAtRest = (name: string) => lab.phase(name) === 'Initialized' && stepOf(lab, name) === 'resting';
  expect(await lab.passUntil(() => names.every(isAtRest), 180_000)).toBe(true);
  await lab.pass(10_000);
  return lab;
}

/** A release of version 2 has a share of the traffic. */
async function withShare(): Promise<ModelLab> {
  const lab = await atRest(APP);
  lab.push('2');
  expect(await lab.passUntil(() => stepOf(lab) === 'analysing' && weightAt(lab) > 0, 120_000)).toBe(true);
  return lab;
}

/** The first lists of these kinds take long, those of the next controller; `from` is when they are made. */
function slowLists(lab: ModelLab, kinds: readonly string[], from: 'before' | 'after' = 'before'): void {
  const until = lab.clock.monotonicMs() + SLOW_MS;
  const leftMs = () => Math.max(0, until - lab.clock.monotonicMs());
  if (from === 'before') {
    lab.watchLagMs = (kind) => (kinds.includes(kind) ? leftMs() : 0);
    return;
  }
  const { watch } = ModelClient.prototype;
  vi.spyOn(ModelClient.prototype, 'watch').mockImplementation(function (this: ModelClient, kind, handler, selection) {
    if (!kinds.includes(kind.kind) || leftMs() === 0) return watch.call(this, kind, handler, selection);
    const { promise: synced, resolve } = Promise.withResolvers<void>();
    lab.clock.setTimer(leftMs(), () => void watch.call(this, kind, handler, selection).synced.then(resolve));
    return { synced, ageMs: () => 0, restarts: 0, stop: () => undefined };
  });
}

/** Objects that are read by name. */
function readsByName(): string[] {
  const reads: string[] = [];
  const { get } = ModelClient.prototype;
  vi.spyOn(ModelClient.prototype, 'get').mockImplementation(function (this: ModelClient, ref, options) {
    reads.push(`${ref.kind} ${ref.name}`);
    return get.call(this, ref, options);
  });
  return reads;
}

function ask(lab: ModelLab, verb: 'rollback'): void {
  const text = writeRequest({ verb, id: 'r1', by: 'ann@example.org', atMs: lab.clock.nowMs() });
  lab.server.patch(canaryRef, { metadata: { annotations: { [requestAnnotation]: text } } });
}

/** The rollback is recorded, and the process ends before it moves the traffic. */
async function killedInRollback(): Promise<ModelLab> {
  const lab = await withShare();
  lab.refuse = ({ ref }) => {
    if (ref.kind === 'VirtualService') throw new ApiError('not now', { status: 503, reason: 'ServiceUnavailable' });
  };
  ask(lab, 'rollback');
  expect(await lab.passUntil(() => lab.phase() === 'Failed', 30_000)).toBe(true);
  lab.kill();
  lab.refuse = () => undefined;
  expect(weightAt(lab)).toBeGreaterThan(0);
  return lab;
}

const FOREIGN = ['Deployment', 'Service', 'VirtualService', 'DestinationRule', 'PodDisruptionBudget', 'NetworkPolicy'];

it.each(['before', 'after'] as const)(
  'after a start, a release that is rolling back moves its traffic while the lists of all kinds are under way (lists made %s the reads)',
  async (from) => {
    const lab = await killedInRollback();
    slowLists(lab, FOREIGN, from);
    lab.start();
    expect(await lab.passUntil(() => weightAt(lab) === 0, 5_000)).toBe(true);
    await lab.pass(SLOW_MS / 2);
    // Another Service could lead to these pods.
    expect([raw(lab.server.find(targetRef))?.spec.replicas, failedReconciles(lab)]).toEqual([1, []]);
    // Their rules depend on those of users.
    expect(lab.writes.filter(({ ref }) => ref.kind === 'DestinationRule')).toEqual([]);
    expect(await lab.passUntil(() => stepOf(lab) === 'resting', 2 * SLOW_MS)).toBe(true);
    await lab.pass(10_000);
    expect([lab.phase(), raw(lab.server.find(targetRef))?.spec.replicas, lab.answering(), lab.lost]).toEqual([
      'Failed',
      0,
      [`${APP}-primary`],
      [],
    ]);
    expect([failedReconciles(lab), lab.blindWrites]).toEqual([[], []]);
  },
);

it('after a start, a running release is rolled back on request while the lists are under way', async () => {
  const lab = await withShare();
  lab.kill();
  slowLists(lab, FOREIGN);
  lab.start();
  await lab.pass(2_000);
  ask(lab, 'rollback');
  expect(await lab.passUntil(() => lab.phase() === 'Failed' && weightAt(lab) === 0, 5_000)).toBe(true);
  expect([failedReconciles(lab), lab.lost]).toEqual([[], []]);
});

it('after a start, a running release of SMI is rolled back on request while the lists are under way, though its warnings need them', async () => {
  const lab = await labWithApp();
  lab.server.create(aModelCanary(plan, { provider: 'smi:v1alpha2' }));
  lab.start();
  expect(await lab.passUntil(() => stepOf(lab) === 'resting', 180_000)).toBe(true);
  lab.push('2');
  expect(await lab.passUntil(() => stepOf(lab) === 'analysing', 120_000)).toBe(true);
  lab.kill();
  slowLists(lab, [...FOREIGN, 'TrafficSplit']);
  lab.start();
  await lab.pass(2_000);
  ask(lab, 'rollback');
  expect(await lab.passUntil(() => lab.phase() === 'Failed', 5_000)).toBe(true);
  await lab.pass(SLOW_MS / 2);
  expect([failedReconciles(lab), lab.lost]).toEqual([[], []]);
});

it('after a start, a running release goes on when the lists have come', async () => {
  const lab = await withShare();
  lab.kill();
  slowLists(lab, FOREIGN);
  lab.start();
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 600_000)).toBe(true);
  expect([lab.answering(), failedReconciles(lab), lab.lost]).toEqual([[`${APP}-primary`], [], []]);
});

it('after a start, a version that was pushed meanwhile starts when the Deployments are listed, and waits for no other list', async () => {
  const lab = await atRest(APP, 'other');
  lab.kill();
  lab.push('2', 'other');
  slowLists(lab, ['Service', 'VirtualService', 'DestinationRule', 'PodDisruptionBudget', 'NetworkPolicy']);
  lab.start();
  expect(await lab.passUntil(() => lab.phase('other') === 'Progressing', 5_000)).toBe(true);
  expect(await lab.passUntil(() => lab.phase('other') === 'Succeeded', 600_000)).toBe(true);
  expect([failedReconciles(lab), lab.lost]).toEqual([[], []]);
});

it('I8: after a start, an idle Canary waits for the lists, and sends and writes nothing', async () => {
  const lab = await atRest(APP);
  lab.kill();
  slowLists(lab, FOREIGN);
  const reads = readsByName();
  lab.start();
  await lab.pass(3 * SLOW_MS);
  expect([reads, lab.writes, failedReconciles(lab)]).toEqual([[], [], []]);
  lab.push('2');
  expect(await lab.passUntil(() => lab.phase() === 'Progressing', 10_000), 'it was looked at').toBe(true);
});

it('after a start, a release reads each of its own objects once, and none when they are listed', async () => {
  const lab = await withShare();
  lab.kill();
  slowLists(lab, FOREIGN);
  const reads = readsByName();
  lab.start();
  await lab.pass(SLOW_MS / 2);
  const watched = reads.filter((read) => /^(Deployment|Service|VirtualService|DestinationRule) /.test(read));
  const names = [APP, `${APP}-primary`];
  const own = [
    ...names.map((name) => `Deployment ${name}`),
    ...[...names, `${APP}-canary`].map((name) => `Service ${name}`),
    `VirtualService ${APP}`,
    ...['canary', 'primary'].map((side) => `DestinationRule ${APP}-${side}`),
  ];
  expect(watched.toSorted()).toEqual(own.toSorted());
  // Nothing is left to be read by name.
  await lab.pass(SLOW_MS);
  lab.kill();
  lab.start();
  await lab.pass(200);
  reads.length = 0;
  await lab.pass(5_000);
  expect(reads.filter((read) => own.includes(read))).toEqual([]);
});

/** A running release after a restart: its target has been read by name, and the lists are under way. */
async function targetReadAhead(from: 'before' | 'after'): Promise<ModelLab> {
  const lab = await withShare();
  lab.kill();
  slowLists(lab, FOREIGN, from);
  const reads = readsByName();
  lab.start();
  expect(await lab.passUntil(() => reads.includes(`Deployment ${APP}`), 5_000)).toBe(true);
  await lab.pass(1_000);
  return lab;
}

it.each(['before', 'after'] as const)(
  'I5: a target that is deleted after it was read, with a list made %s that, is missed: users stay on the primary',
  async (from) => {
    const lab = await targetReadAhead(from);
    lab.server.delete(targetRef);
    lab.watched = false; // its last requests are lost with its pods
    await lab.pass(2 * SLOW_MS);
    expect([weightAt(lab), lab.answering()]).toEqual([0, [`${APP}-primary`]]);
    expect(failedReconciles(lab)).toEqual([]);
  },
);

it.each(['before', 'after'] as const)(
  'a version that is pushed after the target was read, with a list made %s that, is released',
  async (from) => {
    const lab = await targetReadAhead(from);
    lab.push('3');
    const image = (ref: ObjectRef) => raw(lab.server.find(ref))?.spec.template.spec.containers[0].image;
    expect(await lab.passUntil(() => lab.phase() === 'Succeeded' && image(primaryRef) === '3', 900_000)).toBe(true);
    expect([failedReconciles(lab), lab.lost]).toEqual([[], []]);
  },
);

it('I7: a target that is missing after a start is not known to be so before its list: nothing is decided by that', async () => {
  const lab = await withShare();
  lab.kill();
  lab.server.delete(targetRef);
  lab.watched = false;
  slowLists(lab, FOREIGN);
  lab.start();
  await lab.pass(SLOW_MS / 2);
  expect([lab.writes, failedReconciles(lab)]).toEqual([[], []]);
  expect(await lab.passUntil(() => weightAt(lab) === 0, SLOW_MS)).toBe(true);
});

it('I7: a Canary that is made while deleted ones are looked for waits until it is known that its application has to be restored', async () => {
  const lab = await atRest(APP);
  lab.kill();
  lab.server.create(aDeployment('1', 'third'));
  lab.server.delete(canaryRef);
  let failures = 3;
  lab.betweenCalls = () => {
    failures -= 1;
    if (failures >= 0) throw new RequestTimeoutError('GET /apis/apps/v1/controllerrevisions', 4_500);
  };
  lab.start();
  await lab.pass(500);
  lab.server.create(aModelCanary(plan, { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'third' } }));
  await lab.pass(1_500);
  expect([failures > 0, lab.writes]).toEqual([true, []]);
  expect(await lab.passUntil(() => lab.phase() === 'Initialized', 180_000)).toBe(true);
  expect([lab.server.find(primaryRef), lab.lost]).toEqual([undefined, []]);
});

it('I7: a Canary that was deleted while Serin was down is restored when its objects are listed', async () => {
  const lab = await atRest(APP);
  lab.kill();
  lab.server.delete(canaryRef);
  slowLists(lab, ['Deployment', 'Service']);
  lab.start();
  expect(await lab.passUntil(() => lab.server.find(primaryRef) === undefined, 3 * SLOW_MS)).toBe(true);
  const restored = lab.logged.filter(({ msg }) => msg === 'restoring the application failed');
  expect([lab.answering(), restored, lab.lost]).toEqual([[APP], [], []]);
});

it('the reason why a leader is not ready names the kinds whose lists are under way', async () => {
  const lab = await atRest(APP);
  lab.kill();
  slowLists(lab, ['Deployment']);
  lab.start();
  let hasRead = false;
  void lab.controller?.started.then(() => {
    hasRead = true;
  });
  const reason = () => lab.controller && reasonOfStaleness([{ controller: lab.controller, hasRead }]);
  await lab.pass(10_000);
  expect(reason()).toBe('the first read of the cluster is not done yet: loading apps/v1/Deployment');
  expect(await lab.passUntil(() => reason() === undefined, 2 * SLOW_MS)).toBe(true);
});

it('an edit that is made while the lists are under way is followed when they have come', async () => {
  const lab = await atRest(APP);
  lab.kill();
  slowLists(lab, FOREIGN);
  lab.start();
  await lab.pass(5_000);
  const edited: KubeObject | undefined = lab.canary();
  expect(edited).toBeDefined();
  lab.server.patch(canaryRef, { spec: { service: { port: 80, targetPort: 'http', timeout: '7s' } } });
  await lab.pass(2 * SLOW_MS);
  expect(raw(lab.server.find(routeRef))?.spec.http[0].timeout).toBe('7s');
  const unseen = lab.logged.filter(({ msg }) => msg === 'a change of the cluster could not be looked at');
  expect([unseen, failedReconciles(lab), lab.lost]).toEqual([[], [], []]);
});

it('I15: the first list of Services looks up the Canaries that name one, and not all of a namespace for each', async () => {
  const lab = await atRest(APP);
  lab.kill();
  for (let index = 0; index < 5; index += 1)
    lab.server.create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: `foreign-${index}`, namespace: NAMESPACE },
      spec: { ports: [{ port: 80 }] },
    });
  slowLists(lab, ['Service']);
  const lookups = vi.spyOn(CanaryRegister.prototype, 'interestedIn');
  lab.start();
  await lab.pass(2 * SLOW_MS);
  const ofForeign = lookups.mock.calls.filter(([ref]) => ref.name.startsWith('foreign-'));
  expect(ofForeign.map(([, options]) => options)).toEqual(Array.from({ length: 5 }, () => ({ byKind: false })));
  lab.server.create({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'foreign-5', namespace: NAMESPACE },
    spec: { ports: [{ port: 80 }] },
  });
  await lab.pass(1_000);
  expect(lookups.mock.calls.at(-1)?.[0].name, 'a later one can be a follower of each').toBe('foreign-5');
  expect(lookups.mock.calls.at(-1)?.[1]).toBeUndefined();
});

it.each([['Service'], ['PodDisruptionBudget']])(
  'I5: after a start, the pods of a release that is rolled back stay until the list of each %s has come: one could lead to them, or hold them',
  async (kind) => {
    const lab = await killedInRollback();
    slowLists(lab, [kind]);
    lab.start();
    await lab.pass(SLOW_MS / 2);
    expect([weightAt(lab), raw(lab.server.find(targetRef))?.spec.replicas]).toEqual([0, 1]);
    await lab.pass(SLOW_MS);
    expect([raw(lab.server.find(targetRef))?.spec.replicas, lab.lost]).toEqual([0, []]);
  },
);

it('after a start, a DestinationRule of a release is corrected when those of users are listed, and its route before that', async () => {
  const lab = await killedInRollback();
  const rule: ObjectRef = { ...routeRef, kind: 'DestinationRule', name: `${APP}-primary` };
  const hostNow = () => raw(lab.server.find(rule))?.spec.host;
  const before = hostNow();
  lab.server.patch(rule, { spec: { host: 'elsewhere' } });
  slowLists(lab, ['DestinationRule']);
  lab.start();
  await lab.pass(SLOW_MS / 2);
  expect([weightAt(lab), hostNow()]).toEqual([0, 'elsewhere']);
  await lab.pass(SLOW_MS);
  expect(hostNow()).toBe(before);
});

it('I7: a Canary that was deleted in a release while Serin was down, and is held by its finalizer, is restored once', async () => {
  const lab = await labWithApp();
  lab.server.create(aModelCanary(plan, { revertOnDeletion: true }));
  lab.start();
  expect(await lab.passUntil(() => stepOf(lab) === 'resting', 180_000)).toBe(true);
  lab.push('2');
  expect(await lab.passUntil(() => stepOf(lab) === 'analysing', 120_000)).toBe(true);
  lab.kill();
  // Otherwise its primary would be kept.
  lab.push('1');
  lab.server.delete(canaryRef);
  expect(lab.canary()).toBeDefined();
  slowLists(lab, ['Deployment', 'Service']);
  lab.logged.length = 0;
  lab.start();
  expect(await lab.passUntil(() => lab.canary() === undefined && lab.server.find(primaryRef) === undefined, 6 * SLOW_MS)).toBe(true);
  const begun = lab.logged.filter(({ msg }) => msg === 'restoring the application on its target');
  expect([begun.length, lab.answering(), lab.lost]).toEqual([1, [APP], []]);
});

it('a leader that may not list Deployments is not ready', async () => {
  const lab = await atRest(APP);
  lab.kill();
  lab.whyForbidden = (kind) => (kind === 'Deployment' ? 'no right' : undefined);
  lab.start();
  let hasRead = false;
  void lab.controller?.started.then(() => {
    hasRead = true;
  });
  await lab.pass(60_000);
  expect(lab.controller && reasonOfStaleness([{ controller: lab.controller, hasRead }])).toBe(
    'the first read of the cluster is not done yet',
  );
});
