import { describe, expect, it, vi } from 'vitest';
import { aModelCanary, canaryRef, type ModelLab, primaryRef, targetRef } from '../../../test/fakes/model/lab.ts';
import { labWithApp } from '../../../test/fakes/model/life.ts';
import { raw } from '../../../test/fakes/raw.ts';
import { requestAnnotation } from '../../api/names.ts';
import type { Acknowledgement } from '../../api/verb-request.ts';
import { type Verb, writeRequest } from '../../api/verb-request.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 120_000 });

const plan = { stepWeight: 25, maxWeight: 50 };

async function initialized(): Promise<ModelLab> {
  const lab = await labWithApp();
  lab.server.create(aModelCanary(plan));
  lab.start();
  expect(await lab.passUntil(() => lab.phase() === 'Initialized' && stepOf(lab) === 'resting', 120_000)).toBe(true);
  return lab;
}

async function analysing(): Promise<ModelLab> {
  const lab = await initialized();
  lab.push('2');
  expect(await lab.passUntil(() => stepOf(lab) === 'analysing', 120_000)).toBe(true);
  return lab;
}

const stepOf = (lab: ModelLab): string => raw(lab.canary())?.status?.release?.step ?? '';
const imageOf = (lab: ModelLab, ref = targetRef): string => raw(lab.server.find(ref))?.spec.template.spec.containers[0].image;
const requestsOf = (lab: ModelLab): Acknowledgement[] => raw(lab.canary())?.status?.release?.requests ?? [];
const ends = (lab: ModelLab, phase: string) => lab.passUntil(() => lab.phase() === phase && stepOf(lab) === 'resting', 600_000);

function ask(lab: ModelLab, verb: Verb, id: string): void {
  const text = writeRequest({ verb, id, by: 'ann@example.org', atMs: lab.clock.nowMs() });
  lab.server.patch(canaryRef, { metadata: { annotations: { [requestAnnotation]: text } } });
}

/** The controller is killed as it sends its n-th write from now on: before it arrives, or after it did and before the answer. */
function killAtWrite(lab: ModelLab, nth: number): void {
  let left = nth;
  lab.refuse = () => {
    left -= 1;
    if (left !== 0) return;
    lab.kill();
    throw new Error('killed');
  };
}

describe('a request', () => {
  it.each([1, 2, 3, 4])(
    'E70: that is followed by a kill at write %i of the controller is carried out once by the next one',
    async (nth) => {
      const lab = await analysing();
      killAtWrite(lab, nth);
      ask(lab, 'promote', 'p1');
      expect(await lab.passUntil(() => !lab.isUp, 120_000)).toBe(true);
      lab.refuse = () => undefined;
      lab.start();
      expect(await ends(lab, 'Succeeded')).toBe(true);
      expect(requestsOf(lab).map(({ id, outcome }) => [id, outcome])).toEqual([['p1', 'carriedOut']]);
      expect([imageOf(lab, primaryRef), raw(lab.canary())?.status?.release?.run, lab.lost]).toEqual(['2', 1, []]);
    },
  );

  it('E71: pause outlives a restart and an hour; the annotation that stays does nothing again when the release is over', async () => {
    const lab = await analysing();
    ask(lab, 'pause', 'p1');
    expect(await lab.passUntil(() => requestsOf(lab).length === 1, 10_000)).toBe(true);
    const { canaryWeight } = raw(lab.canary())?.status ?? {};
    lab.kill();
    lab.start();
    await lab.pass(3_600_000);
    expect([lab.phase(), raw(lab.canary())?.status?.canaryWeight]).toEqual(['Progressing', canaryWeight]);
    ask(lab, 'resume', 'p2');
    expect(await ends(lab, 'Succeeded')).toBe(true);
    lab.push('3');
    expect(await ends(lab, 'Progressing').then(() => ends(lab, 'Succeeded'))).toBe(true);
    expect([requestsOf(lab).map(({ id }) => id), imageOf(lab, primaryRef), lab.lost]).toEqual([['p1', 'p2'], '3', []]);
  });

  it('I8: a Canary whose request was answered is not written again while idle', async () => {
    const lab = await initialized();
    ask(lab, 'rollback', 'r1');
    expect(await lab.passUntil(() => requestsOf(lab).length === 1, 10_000)).toBe(true);
    await lab.pass(5_000);
    const sent = lab.writes.length;
    await lab.pass(3_600_000);
    expect([requestsOf(lab)[0]?.outcome, lab.writes.length - sent]).toEqual(['refused', 0]);
  });

  it('E70: a request that cannot be read is refused with what a request is', async () => {
    const lab = await initialized();
    lab.server.patch(canaryRef, { metadata: { annotations: { [requestAnnotation]: 'stop it now please' } } });
    expect(await lab.passUntil(() => requestsOf(lab).length === 1, 10_000)).toBe(true);
    expect(requestsOf(lab)[0]).toMatchObject({
      id: 'it',
      outcome: 'refused',
      reason: expect.stringContaining('the verb "stop" cannot be read'),
    });
  });
});

describe('undo', () => {
  const promoted = async (): Promise<ModelLab> => {
    const lab = await analysing();
    expect(await ends(lab, 'Succeeded')).toBe(true);
    return lab;
  };

  it.each([0, 1, 2])(
    'E74: puts the template before the last promotion into the target, and that is released (a kill at write %i)',
    async (nth) => {
      const lab = await promoted();
      if (nth > 0) killAtWrite(lab, nth);
      ask(lab, 'undo', 'u1');
      if (nth > 0) {
        expect(await lab.passUntil(() => !lab.isUp, 120_000)).toBe(true);
        lab.refuse = () => undefined;
        lab.start();
      }
      expect(await lab.passUntil(() => imageOf(lab) === '1', 60_000)).toBe(true);
      expect(await lab.passUntil(() => lab.phase() === 'Progressing', 60_000)).toBe(true);
      expect(await ends(lab, 'Succeeded')).toBe(true);
      expect([imageOf(lab, primaryRef), lab.lost]).toEqual(['1', []]);
      expect(requestsOf(lab).map(({ id, outcome }) => [id, outcome])).toEqual([['u1', 'carriedOut']]);
    },
  );

  it('E74: of two, the second is refused also where the watch shows the target later than it comes', async () => {
    const lab = await promoted();
    lab.watchLagMs = (kind) => (kind === 'Deployment' ? 2_000 : 0);
    ask(lab, 'undo', 'u1');
    expect(await lab.passUntil(() => requestsOf(lab).length === 1, 60_000)).toBe(true);
    ask(lab, 'undo', 'u2');
    expect(await lab.passUntil(() => requestsOf(lab).length === 2, 60_000)).toBe(true);
    expect(requestsOf(lab).map(({ id, outcome }) => [id, outcome])).toEqual([
      ['u1', 'carriedOut'],
      ['u2', 'refused'],
    ]);
    expect(await lab.passUntil(() => lab.phase() === 'Progressing', 60_000)).toBe(true);
    expect(await ends(lab, 'Succeeded')).toBe(true);
    expect([imageOf(lab), imageOf(lab, primaryRef), lab.lost]).toEqual(['1', '1', []]);
  });

  it.each([
    {
      what: 'a Deployment that Flux keeps',
      labels: { 'kustomize.toolkit.fluxcd.io/name': 'apps' },
      reason: 'Flux keeps Deployment podinfo',
    },
    {
      what: 'a Deployment that Argo CD keeps',
      labels: { 'argocd.argoproj.io/instance': 'apps' },
      reason: 'Argo CD keeps Deployment podinfo',
    },
  ])('E74: is refused for $what, and nothing is written', async ({ labels, reason }) => {
    const lab = await promoted();
    lab.server.patch(targetRef, { metadata: { labels } });
    ask(lab, 'undo', 'u1');
    expect(await lab.passUntil(() => requestsOf(lab).length === 1, 60_000)).toBe(true);
    expect(requestsOf(lab)[0]).toMatchObject({ outcome: 'refused', reason: expect.stringContaining(reason) });
    expect([imageOf(lab), lab.phase(), stepOf(lab)]).toEqual(['2', 'Succeeded', 'resting']);
  });

  it('E74: a target whose status or scale moves between the read and the write is written all the same', async () => {
    const lab = await promoted();
    let left = 3;
    lab.refuse = ({ ref, verb }) => {
      if (ref.kind !== 'Deployment' || ref.name !== targetRef.name || verb !== 'patch' || left === 0) return;
      left -= 1;
      lab.server.patch(targetRef, { metadata: { annotations: { noted: String(left) } } });
    };
    ask(lab, 'undo', 'u1');
    expect(await lab.passUntil(() => requestsOf(lab).length === 1, 60_000)).toBe(true);
    expect([requestsOf(lab)[0]?.outcome, imageOf(lab), left]).toEqual(['carriedOut', '1', 0]);
  });

  it('E74: a target that is changed after the request is not overwritten', async () => {
    const lab = await promoted();
    lab.refuse = ({ ref, subresource }) => {
      // The canary can still be on its way to zero.
      if (ref.kind !== 'Deployment' || subresource === 'scale') return;
      lab.kill();
      throw new Error('killed');
    };
    ask(lab, 'undo', 'u1');
    expect(await lab.passUntil(() => !lab.isUp, 60_000)).toBe(true);
    expect(stepOf(lab)).toBe('undoing');
    lab.push('3');
    lab.refuse = () => undefined;
    lab.start();
    expect(await lab.passUntil(() => requestsOf(lab).length === 1, 60_000)).toBe(true);
    expect(requestsOf(lab)[0]).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('changed at the same moment') });
    expect(await lab.passUntil(() => lab.phase() === 'Progressing', 60_000)).toBe(true);
    expect(await ends(lab, 'Succeeded')).toBe(true);
    expect(imageOf(lab, primaryRef)).toBe('3');
  });
});

describe('restart', () => {
  const restartedAt = (lab: ModelLab): string | undefined =>
    raw(lab.server.find(primaryRef))?.spec.template.metadata.annotations?.['kubectl.kubernetes.io/restartedAt'];

  it.each([0, 1, 2, 3])(
    'E134: restarts the pods of the primary once, with a kill at write %i; nothing is released, and the next release goes on',
    async (nth) => {
      const lab = await initialized();
      const { generation = 0 } = lab.server.find(primaryRef)?.metadata ?? {};
      if (nth > 0) killAtWrite(lab, nth);
      ask(lab, 'restart', 'r1');
      await lab.pass(60_000);
      lab.refuse = () => undefined;
      if (!lab.isUp) lab.start();
      await lab.pass(60_000);
      expect(requestsOf(lab).map(({ id, verb, outcome }) => [id, verb, outcome])).toEqual([['r1', 'restart', 'carriedOut']]);
      expect([restartedAt(lab) !== undefined, imageOf(lab, primaryRef), raw(lab.canary())?.status?.release?.run]).toEqual([true, '1', 0]);
      expect(lab.server.find(primaryRef)?.metadata.generation).toBe(generation + 1);
      lab.push('2');
      expect(await ends(lab, 'Succeeded')).toBe(true);
      expect([imageOf(lab, primaryRef), lab.lost]).toEqual(['2', []]);
    },
  );

  it('E134: is refused during a release, with the way on', async () => {
    const lab = await analysing();
    ask(lab, 'restart', 'r1');
    await lab.pass(30_000);
    const reason = 'its release is under way, and a primary is restarted only at rest: wait for the end';
    expect(requestsOf(lab)).toMatchObject([{ id: 'r1', outcome: 'refused', reason }]);
    expect(restartedAt(lab)).toBeUndefined();
  });
});
