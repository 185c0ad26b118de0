import { describe, expect, it, vi } from 'vitest';
import {
  aBudget,
  aPolicy,
  applicationWith,
  aVpa,
  budget,
  initializedWith,
  namesOf,
  ofDatabase,
  policy,
  specAt,
  vpa,
} from '../../../test/fakes/model/companions.ts';
import { anchorRef } from '../../../test/fakes/model/damage.ts';
import { initialize } from '../../../test/fakes/model/initialize.ts';
import {
  APP,
  aDeployment,
  aModelCanary,
  canaryRef,
  type ModelLab,
  NAMESPACE,
  namespaceRef,
  primaryRef,
  targetRef,
} from '../../../test/fakes/model/lab.ts';
import { labWithApp } from '../../../test/fakes/model/life.ts';
import { ordersPlan, release } from '../../../test/fakes/model/released.ts';
import { messagesOf, order } from '../../../test/fakes/model/scaled.ts';
import { GRACE_MS } from '../../../test/fakes/model/uninstalling.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { ObjectRef } from '../../api/kube-object.ts';
import { ownerAnnotation } from '../../api/names.ts';
import { ApiError } from '../../kube/errors.ts';
import { companionAnnotation } from '../../workloads/companions/index.ts';
import { Convergence } from './convergence.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const PRIMARY = `${APP}-primary`;
const BAD = { value: 10, afterMs: 0 };
const ofPrimary = { matchLabels: { app: PRIMARY } };
const writesOf = (lab: ModelLab) => lab.writes.filter(({ ref }) => ref.kind !== 'Event').length;

async function isQuiet(lab: ModelLab): Promise<boolean> {
  const before = writesOf(lab);
  await lab.pass(900_000);
  return writesOf(lab) === before && lab.clock.pending === 0;
}

describe('I17: companions of the primary', () => {
  it('exist before its pods, are marked, and are owned by the anchor', async () => {
    const lab = await initializedWith([aBudget(), aPolicy(), ofDatabase(), aVpa()]);
    expect(specAt(lab, budget(PRIMARY))).toEqual({ minAvailable: 1, selector: ofPrimary });
    expect(specAt(lab, policy(PRIMARY))).toEqual({ podSelector: ofPrimary, policyTypes: ['Ingress'] });
    expect(specAt(lab, policy(`db-${PRIMARY}`))).toEqual({
      podSelector: { matchLabels: { app: 'db' } },
      policyTypes: ['Ingress'],
      ingress: [{ from: [{ podSelector: ofPrimary }] }],
    });
    expect(specAt(lab, vpa(PRIMARY))).toEqual({
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: PRIMARY },
      updatePolicy: { updateMode: 'Initial' },
    });
    const { metadata } = lab.server.find(budget(PRIMARY)) ?? {};
    expect(metadata?.ownerReferences).toEqual(lab.server.find(primaryRef)?.metadata.ownerReferences);
    expect(metadata?.annotations).toEqual({ [ownerAnnotation]: lab.canary()?.metadata.uid, [companionAnnotation]: APP });
    const writes = order(lab);
    const created = writes.indexOf(`create Deployment ${PRIMARY}`);
    for (const what of [
      'PodDisruptionBudget podinfo',
      'NetworkPolicy podinfo',
      'NetworkPolicy db-podinfo',
      'VerticalPodAutoscaler podinfo',
    ])
      expect(writes.indexOf(`apply ${what}-primary`), what).toSatisfy((at: number) => at >= 0 && at < created);
    expect([await isQuiet(lab), lab.lost]).toEqual([true, []]);
  });

  it('follow their sources while the Canary is idle, and go with them', async () => {
    const lab = await initializedWith([aBudget(), aPolicy()]);
    lab.server.patch(budget(APP), { spec: { minAvailable: null, maxUnavailable: 1 } });
    lab.server.patch(policy(APP), { spec: { ingress: [{ ports: [{ protocol: 'TCP', port: 80 }] }] } });
    await lab.pass(5_000);
    expect(specAt(lab, budget(PRIMARY))).toEqual({ maxUnavailable: 1, selector: ofPrimary });
    expect(specAt(lab, policy(PRIMARY)).ingress).toEqual([{ ports: [{ protocol: 'TCP', port: 80 }] }]);
    lab.server.delete(budget(APP));
    await lab.pass(5_000);
    expect([namesOf(lab, budget('')), namesOf(lab, policy(''))]).toEqual([[], [APP, PRIMARY]]);
    lab.server.create(aBudget());
    await lab.pass(5_000);
    expect([namesOf(lab, budget('')), await isQuiet(lab)]).toEqual([[APP, PRIMARY], true]);
  });

  it('go when the user adds one for the primary, and come back when that goes', async () => {
    const lab = await initializedWith([aBudget()]);
    lab.server.create(aBudget('mine', { app: PRIMARY }));
    await lab.pass(5_000);
    expect(namesOf(lab, budget(''))).toEqual(['mine', APP]);
    lab.server.delete(budget('mine'));
    await lab.pass(5_000);
    expect([namesOf(lab, budget('')), await isQuiet(lab)]).toEqual([[APP, PRIMARY], true]);
  });

  it('are not made where the user has one, nor over an object of the user', async () => {
    const lab = await initializedWith([aBudget(), aBudget('mine', { app: PRIMARY }), aPolicy(), aPolicy(PRIMARY, { app: 'other' })]);
    const beside = `${APP}-of-${PRIMARY}`;
    expect(namesOf(lab, budget(''))).toEqual(['mine', APP]);
    expect(namesOf(lab, policy(''))).toEqual([APP, beside, PRIMARY]);
    expect([PRIMARY, beside].map((name) => specAt(lab, policy(name)).podSelector)).toEqual([{ matchLabels: { app: 'other' } }, ofPrimary]);
    expect(await isQuiet(lab)).toBe(true);
  });

  it('are the user’s once a deployment tool has applied a manifest over them, and outlive the Canary then', async () => {
    const lab = await initializedWith([aBudget()]);
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}' };
    lab.server.patch(budget(PRIMARY), { metadata: { annotations }, spec: { minAvailable: 2 } });
    await lab.pass(5_000);
    const { metadata } = lab.server.find(budget(PRIMARY)) ?? {};
    expect([metadata?.ownerReferences ?? [], metadata?.annotations, specAt(lab, budget(PRIMARY)).minAvailable]).toEqual([
      [],
      annotations,
      2,
    ]);
    expect(await isQuiet(lab)).toBe(true);
  });

  it('are put back when another writer changes or deletes them, and a fight is braked', async () => {
    const lab = await initializedWith([aBudget()]);
    lab.server.patch(budget(PRIMARY), { spec: { minAvailable: 0 } });
    await lab.pass(5_000);
    expect(specAt(lab, budget(PRIMARY)).minAvailable).toBe(1);
    lab.server.delete(budget(PRIMARY));
    await lab.pass(5_000);
    expect(specAt(lab, budget(PRIMARY))?.minAvailable).toBe(1);
    const before = writesOf(lab);
    for (let times = 0; times < 60; times += 1) {
      lab.server.patch(budget(PRIMARY), { spec: { minAvailable: 0 } });
      await lab.pass(1_000);
    }
    expect(writesOf(lab) - before).toBeLessThan(20);
    await lab.pass(700_000);
    expect(specAt(lab, budget(PRIMARY)).minAvailable).toBe(1);
  });

  it('I8: a restart over a resting Canary writes nothing, and a source that was edited meanwhile is followed', async () => {
    const lab = await initializedWith([aBudget(), aPolicy(), ofDatabase(), aVpa()]);
    lab.kill();
    lab.start();
    await lab.pass(60_000);
    expect(writesOf(lab)).toBe(0);
    lab.kill();
    const expression = { key: 'app', operator: 'In', values: ['other'] };
    lab.server.patch(policy('db'), { spec: { podSelector: { matchExpressions: [expression] } } });
    lab.server.delete(vpa(APP));
    lab.start();
    await lab.pass(60_000);
    expect([specAt(lab, policy(`db-${PRIMARY}`)).podSelector.matchExpressions, namesOf(lab, vpa(''))]).toEqual([[expression], []]);
  });

  it('a status that a controller reports wakes no Canary', async () => {
    const lab = await initializedWith([aBudget()]);
    await lab.pass(5_000);
    const before = lab.writes.length;
    for (const ref of [budget(APP), budget(PRIMARY)]) lab.server.patch(ref, { status: { currentHealthy: 3 } }, 'status');
    await lab.pass(5_000);
    expect([lab.writes.length - before, lab.clock.pending]).toEqual([0, 0]);
  });

  it('stay through a release, and a failed one', async () => {
    const lab = await initializedWith([aBudget(), aPolicy()]);
    await release(lab, '2');
    lab.externalMetric = () => BAD;
    await release(lab, '3', 'Failed');
    expect([namesOf(lab, budget('')), namesOf(lab, policy('')), lab.lost]).toEqual([[APP, PRIMARY], [APP, PRIMARY], []]);
    expect(writesOf(lab) > 0 && order(lab).filter((one) => /PodDisruptionBudget|NetworkPolicy/.test(one)).length).toBe(2);
  });

  it('are neither watched nor written where they are switched off', async () => {
    const lab = await initializedWith([aBudget(), aPolicy()], { companions: ['networkPolicies'] });
    expect([namesOf(lab, budget('')), namesOf(lab, policy(''))]).toEqual([[APP], [APP, PRIMARY]]);
    expect(lab.watchedKinds).not.toContain('PodDisruptionBudget');
    expect(lab.watchedKinds).toContain('NetworkPolicy');
    lab.server.delete(canaryRef);
    await lab.pass(GRACE_MS);
    expect(lab.watchedKinds).not.toContain('NetworkPolicy');
  });
});

describe('I15: other objects of a namespace', () => {
  it('the companion of one Canary wakes no other one', async () => {
    const lab = await initializedWith([aBudget()]);
    lab.server.create(aDeployment('1', 'other'));
    lab.server.create(aModelCanary(ordersPlan, {}, 'other'));
    expect(await lab.passUntil(() => lab.phase('other') === 'Initialized', 120_000)).toBe(true);
    await lab.pass(60_000);
    const reach = vi.spyOn(Convergence.prototype, 'reach');
    lab.server.patch(budget(PRIMARY), { spec: { minAvailable: 0 } });
    await lab.pass(10_000);
    const reached = new Set(reach.mock.calls.map(([{ metadata }]) => metadata.name));
    reach.mockRestore();
    expect([[...reached], specAt(lab, budget(PRIMARY)).minAvailable]).toEqual([[APP], 1]);
  });

  it('a policy that admits namespaces by a label has a companion where this one has the label, which is read only for it', async () => {
    const peer = { podSelector: { matchLabels: { app: APP } }, namespaceSelector: { matchLabels: { team: 'shop' } } };
    const lab = await applicationWith([aPolicy('db', { app: 'db' }, { ingress: [{ from: [peer] }] })]);
    lab.server.patch(namespaceRef, { metadata: { labels: { team: 'shop' } } });
    await initialize(lab, aModelCanary(ordersPlan));
    expect(specAt(lab, policy(`db-${PRIMARY}`)).ingress).toEqual([{ from: [{ podSelector: ofPrimary }] }]);
    await lab.pass(30_000);
    expect(await isQuiet(lab)).toBe(true);
  });
});

it.each(['the one that is called', 'the one that calls'])(
  'I17: two applications with Canaries admit each other, when %s comes last',
  async (last) => {
    const admitting = { ingress: [{ from: [{ podSelector: { matchLabels: { app: APP } } }] }] };
    const lab = await applicationWith([aPolicy('cart', { app: 'cart' }, admitting)]);
    lab.server.create(aDeployment('1', 'cart'));
    const canaries = [aModelCanary(ordersPlan), aModelCanary(ordersPlan, {}, 'cart')];
    const [first, second] = last === 'the one that is called' ? canaries : canaries.toReversed();
    lab.start();
    for (const canary of [first, second]) {
      if (canary) lab.server.create(canary);
      expect(await lab.passUntil(() => lab.phase(canary?.metadata.name) === 'Initialized', 120_000)).toBe(true);
      await lab.pass(30_000);
    }
    const between = namesOf(lab, policy(''));
    expect(between).toEqual(['cart', `cart-${PRIMARY}`, 'cart-primary', `cart-primary-${PRIMARY}`]);
    expect(specAt(lab, policy(`cart-primary-${PRIMARY}`))).toEqual({
      podSelector: { matchLabels: { app: 'cart-primary' } },
      policyTypes: ['Ingress'],
      ingress: [{ from: [{ podSelector: ofPrimary }] }],
    });
    expect(await isQuiet(lab)).toBe(true);
    lab.server.delete({ ...canaryRef, name: 'cart' });
    await lab.pass(GRACE_MS);
    expect(namesOf(lab, policy(''))).toEqual(['cart', `cart-${PRIMARY}`]);
  },
);

describe('I17: when the Canary is deleted', () => {
  /** A pod of the primary. It stays until its finalizer goes, like a pod that ends its last requests. */
  function ending(lab: ModelLab): ObjectRef {
    const pod = { apiVersion: 'v1', kind: 'Pod', name: `${PRIMARY}-1`, namespace: NAMESPACE };
    const metadata = { name: pod.name, namespace: NAMESPACE, labels: { app: PRIMARY }, finalizers: ['example.org/ends'] };
    lab.server.create({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [{ name: 'web', image: 'good-1' }] } });
    return pod;
  }

  it('policies hold for as long as pods of the primary end their requests, and go with the last of them', async () => {
    const lab = await initializedWith([aBudget(), aPolicy(), ofDatabase()]);
    const pod = ending(lab);
    lab.server.delete(canaryRef);
    await lab.pass(60_000);
    expect([primaryRef, anchorRef].map((ref) => lab.server.find(ref))).toEqual([undefined, undefined]);
    lab.server.delete(pod);
    await lab.pass(60_000);
    expect(namesOf(lab, policy('')).toSorted()).toEqual(['db', `db-${PRIMARY}`, APP, PRIMARY].toSorted());
    expect(namesOf(lab, budget(''))).toEqual([APP]);
    lab.server.patch(pod, { metadata: { finalizers: null } });
    await lab.pass(1_000);
    expect(namesOf(lab, policy('')).toSorted()).toEqual(['db', APP]);
  });

  it('a Canary that is created again meanwhile goes on with them, without a gap', async () => {
    const lab = await initializedWith([aPolicy(), ofDatabase()]);
    const pod = ending(lab);
    const uids = () => [policy(PRIMARY), policy(`db-${PRIMARY}`)].map((ref) => lab.server.find(ref)?.metadata.uid);
    const before = uids();
    lab.server.delete(canaryRef);
    await lab.pass(60_000);
    lab.server.delete(pod);
    lab.server.create(aModelCanary(ordersPlan));
    await lab.pass(120_000);
    expect(lab.phase()).toBe('Initialized');
    lab.server.patch(pod, { metadata: { finalizers: null } });
    await lab.pass(60_000);
    expect(uids()).toEqual(before);
    expect(namesOf(lab, policy('')).toSorted()).toEqual(['db', `db-${PRIMARY}`, APP, PRIMARY].toSorted());
  });
});

describe('I19: when the Canary is deleted', () => {
  it('its companions go with the primary that is handed over', async () => {
    const lab = await initializedWith([aBudget(), aPolicy(), ofDatabase(), aVpa()]);
    lab.server.delete(canaryRef);
    await lab.pass(GRACE_MS);
    expect([lab.server.find(primaryRef), lab.answering(), lab.lost]).toEqual([undefined, [APP], []]);
    expect([budget, policy, vpa].map((kind) => namesOf(lab, kind('')))).toEqual([[APP], ['db', APP], [APP]]);
  });

  async function kept(): Promise<ModelLab> {
    const lab = await initializedWith([aBudget(), ofDatabase()]);
    lab.externalMetric = () => BAD;
    await release(lab, '2', 'Failed');
    lab.server.delete(canaryRef);
    await lab.pass(2 * GRACE_MS);
    expect([lab.answering(), namesOf(lab, budget('')), namesOf(lab, policy(''))]).toEqual([
      [PRIMARY],
      [APP, PRIMARY],
      ['db', `db-${PRIMARY}`],
    ]);
    return lab;
  }

  it('a primary that is kept keeps them until it goes', async () => {
    const lab = await kept();
    lab.push('1');
    await lab.pass(180_000);
    expect([lab.answering(), namesOf(lab, budget('')), namesOf(lab, policy('')), lab.lost]).toEqual([[APP], [APP], ['db'], []]);
  });

  it.each([APP, 'renamed'])('a Canary %s over the same target goes on with them, and makes no second ones', async (name) => {
    const lab = await kept();
    const uid = lab.server.find(budget(PRIMARY))?.metadata.uid;
    const seen = new Set<string>();
    lab.betweenCalls = () => {
      seen.add(namesOf(lab, budget('')).join());
    };
    const { kind, apiVersion } = targetRef;
    lab.server.create(aModelCanary(ordersPlan, { targetRef: { apiVersion, kind, name: APP } }, name));
    await lab.pass(300_000);
    expect([...seen]).toEqual([`${APP},${PRIMARY}`]);
    expect(namesOf(lab, policy(''))).toEqual(['db', `db-${PRIMARY}`]);
    const { metadata } = lab.server.find(budget(PRIMARY)) ?? {};
    expect([metadata?.uid, metadata?.ownerReferences?.map((owner) => owner.name)]).toEqual([
      uid,
      [name === APP ? anchorRef.name : `${name}-serin-anchor`],
    ]);
    lab.server.patch(budget(APP), { spec: { minAvailable: 2 } });
    await lab.pass(5_000);
    expect(specAt(lab, budget(PRIMARY)).minAvailable).toBe(2);
  });
});

describe('forbidden objects', () => {
  const denied = (lab: ModelLab, kind: string) => {
    lab.refuse = ({ ref, verb }) => {
      if (ref.kind === kind) throw new ApiError(`${verb} ${kind} is forbidden`, { status: 403, reason: 'Forbidden' });
    };
  };
  const warning = (lab: ModelLab) =>
    (raw(lab.canary())?.status?.conditions ?? []).find(({ type }: { type: string }) => type === 'CompanionMissing')?.message;

  it('a budget that cannot be written is a warning, and is tried again', async () => {
    const lab = await applicationWith([aBudget()]);
    denied(lab, 'PodDisruptionBudget');
    await initialize(lab, aModelCanary(ordersPlan));
    await lab.pass(5_000);
    expect(warning(lab)).toMatch(/^PodDisruptionBudget podinfo does not hold for the primary: .*forbidden/);
    lab.refuse = () => undefined;
    await lab.pass(310_000);
    expect([namesOf(lab, budget('')), warning(lab), await isQuiet(lab)]).toEqual([[APP, PRIMARY], undefined, true]);
  });

  it('without its NetworkPolicy no primary is made, nor any Service, and the condition names it', async () => {
    const lab = await applicationWith([ofDatabase()]);
    denied(lab, 'NetworkPolicy');
    lab.server.create(aModelCanary(ordersPlan));
    lab.start();
    await lab.pass(120_000);
    expect([lab.server.find(primaryRef), lab.answering()]).toEqual([undefined, [APP]]);
    expect(order(lab).filter((one) => one.includes('Service '))).toEqual([]);
    expect(messagesOf(lab)).toContain('NetworkPolicy');
    lab.refuse = () => undefined;
    expect(await lab.passUntil(() => lab.phase() === 'Initialized', 120_000)).toBe(true);
    expect(namesOf(lab, policy(''))).toEqual(['db', `db-${PRIMARY}`]);
  });

  it('a primary that was deleted by hand comes back without a NetworkPolicy that is refused', async () => {
    const lab = await initializedWith([ofDatabase()]);
    denied(lab, 'NetworkPolicy');
    lab.watched = false;
    lab.server.delete(policy(`db-${PRIMARY}`));
    lab.server.delete(primaryRef);
    await lab.pass(60_000);
    expect([lab.answering(), namesOf(lab, policy(''))]).toEqual([[PRIMARY], ['db']]);
  });

  it('a write that conflicts with another delays no rollback', async () => {
    const lab = await initializedWith([aBudget()]);
    lab.refuse = ({ ref }) => {
      if (ref.kind === 'PodDisruptionBudget') throw new ApiError('changed', { status: 409, reason: 'Conflict' });
    };
    lab.externalMetric = () => BAD;
    lab.push('2');
    expect(await lab.passUntil(() => raw(lab.canary())?.status?.canaryWeight === 25, 120_000)).toBe(true);
    lab.server.patch(budget(APP), { spec: { minAvailable: 2 } });
    expect(await lab.passUntil(() => lab.phase() === 'Failed', 400_000)).toBe(true);
    await lab.pass(30_000);
    expect([lab.answering(), lab.lost, specAt(lab, budget(PRIMARY)).minAvailable]).toEqual([[PRIMARY], [], 1]);
    lab.refuse = () => undefined;
    await lab.pass(10_000);
    expect(specAt(lab, budget(PRIMARY)).minAvailable).toBe(2);
  });

  it('a forbidden kind is not checked, and is looked at again with a later change', async () => {
    const lab = await applicationWith([aBudget(), aPolicy()]);
    lab.whyForbidden = (kind) => (kind === 'PodDisruptionBudget' ? 'may not list poddisruptionbudgets' : undefined);
    await initialize(lab, aModelCanary(ordersPlan));
    await lab.pass(30_000);
    const said = 'objects of kind PodDisruptionBudget were not checked (may not list poddisruptionbudgets): grant';
    expect([namesOf(lab, budget('')), namesOf(lab, policy('')), warning(lab)]).toEqual([
      [APP],
      [APP, PRIMARY],
      expect.stringContaining(said),
    ]);
    expect(await isQuiet(lab)).toBe(true);
    lab.kill();
    lab.start();
    await lab.pass(30_000);
    expect([writesOf(lab), warning(lab)]).toEqual([0, expect.stringContaining(said)]);
    lab.whyForbidden = () => undefined;
    lab.push('2');
    await lab.pass(700_000);
    lab.push('3');
    await lab.pass(30_000);
    expect([namesOf(lab, budget('')), warning(lab)]).toEqual([[APP, PRIMARY], undefined]);
  });

  it('a kind that the cluster lacks is not a warning', async () => {
    const lab = await labWithApp();
    await initialize(lab, aModelCanary({ stepWeight: 50 }));
    await lab.pass(30_000);
    expect([warning(lab), lab.lookedFor.filter((kind) => kind === 'VerticalPodAutoscaler').length, await isQuiet(lab)]).toEqual([
      undefined,
      1,
      true,
    ]);
  });

  it('a primary that serves goes on without a NetworkPolicy of later', async () => {
    const lab = await initializedWith([]);
    denied(lab, 'NetworkPolicy');
    lab.server.create(ofDatabase());
    await lab.pass(5_000);
    expect(warning(lab)).toMatch(/^NetworkPolicy db does not hold for the primary: .*forbidden/);
    await release(lab, '2');
    expect([lab.lost, lab.phase()]).toEqual([[], 'Succeeded']);
  });
});
