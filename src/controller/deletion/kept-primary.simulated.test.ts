import { describe, expect, it, vi } from 'vitest';
import { anchorRef } from '../../../test/fakes/model/damage.ts';
import { APP, aModelCanary, canaryRef, type ModelLab, NAMESPACE, primaryRef, targetRef } from '../../../test/fakes/model/lab.ts';
import { BROKEN_IMAGE } from '../../../test/fakes/model/nodes.ts';
import { initializedLab, ordersPlan, release } from '../../../test/fakes/model/released.ts';
import { anHpa, hpaRef, idleIn, initialized } from '../../../test/fakes/model/scaled.ts';
import { eventsOf, GRACE_MS, imageOf, left } from '../../../test/fakes/model/uninstalling.ts';
import { raw } from '../../../test/fakes/raw.ts';
import { readKeptPrimary } from '../../api/kept-primary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { acceptAnnotation, keptAnnotation } from '../../api/names.ts';
import { ApiError } from '../../kube/errors.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const GOOD = { value: 1, afterMs: 0 };
const BAD = { value: 10, afterMs: 0 };
const handedOver = [`Deployment/${APP}`, 'MetricTemplate/orders', `Service/${APP}`];

/** Version 1 is promoted; the release of version 2 has failed, so that the target holds it. */
async function failedRelease(spec: object = {}): Promise<ModelLab> {
  const lab = await initializedLab({}, aModelCanary(ordersPlan, spec));
  lab.externalMetric = () => BAD;
  await release(lab, '2', 'Failed');
  await lab.pass(30_000);
  return lab;
}

/** Version 2 has a part of the traffic, and is not judged yet. */
async function underWay(): Promise<ModelLab> {
  const lab = await initializedLab();
  lab.externalMetric = () => GOOD;
  lab.push('2');
  expect(await lab.passUntil(() => raw(lab.canary())?.status?.canaryWeight === 25, 120_000)).toBe(true);
  return lab;
}

const deleteCanary = (lab: ModelLab) => lab.server.delete(canaryRef);
const annotationOf = (lab: ModelLab, ref = targetRef) => lab.server.find(ref)?.metadata.annotations?.[keptAnnotation];
const keptOn = (lab: ModelLab, ref = targetRef) => readKeptPrimary(annotationOf(lab, ref) ?? '');
const replicasOf = (lab: ModelLab, ref = targetRef) => raw(lab.server.find(ref))?.spec.replicas;

/** The primary serves version 1, and the target has no pods and its own template. */
function expectKept(lab: ModelLab, version = '2'): void {
  expect([lab.answering(), imageOf(lab), imageOf(lab, targetRef), replicasOf(lab)]).toEqual([[primaryRef.name], '1', version, 0]);
  expect(lab.lost.slice(0, 3)).toEqual([]);
  expect([keptOn(lab), keptOn(lab, anchorRef)]).toEqual([expect.anything(), expect.anything()]);
}

/** True if users could reach the target at any moment from now on. */
function watchTarget(lab: ModelLab): () => boolean {
  let isReached = false;
  lab.betweenCalls = () => {
    isReached ||= lab.mayReach(APP);
  };
  return () => isReached || lab.mayReach(APP);
}

describe('I19: deletion of a Canary whose target holds bytes that were not promoted', () => {
  it('I19: after a failed release the primary keeps serving, and target, anchor, Service and events say so', async () => {
    const lab = await failedRelease();
    const isReached = watchTarget(lab);
    deleteCanary(lab);
    await lab.pass(2 * GRACE_MS);
    expectKept(lab);
    expect(isReached()).toBe(false);
    expect(keptOn(lab)).toMatchObject({ primary: 'Deployment/podinfo-primary', target: 'Deployment/podinfo' });
    const said = eventsOf(lab, 'PrimaryKept');
    expect(said.length).toBe(2);
    expect(said[0]).toContain(`serin accept ${APP} -n test`);
  });

  it("D8, I19: a minimum that a release has raised is the user's again, also where Serin was killed before it put it back", async () => {
    const lab = await initialized(anHpa());
    lab.push(BROKEN_IMAGE);
    expect(await idleIn(lab, 'Failed')).toBe('Failed');
    lab.kill();
    const note = JSON.stringify({ before: { minReplicas: 2 }, to: { minReplicas: 4 } });
    lab.server.patch(hpaRef, { metadata: { annotations: { 'serin.dev/before-raise': note } }, spec: { minReplicas: 4 } });
    deleteCanary(lab);
    lab.start();
    await lab.pass(2 * GRACE_MS);
    const scaler = lab.server.find(hpaRef);
    expect([keptOn(lab)?.primary, raw(scaler)?.spec.minReplicas, scaler?.metadata.annotations?.['serin.dev/before-raise']]).toEqual([
      'Deployment/podinfo-primary',
      2,
      undefined,
    ]);
  });

  it('I19: in the middle of a release all traffic goes to the primary, and the target is scaled to zero', async () => {
    const lab = await underWay();
    deleteCanary(lab);
    await lab.pass(GRACE_MS);
    expectKept(lab);
  });

  it('I19: revertOnDeletion lets the Canary go once the kept primary is recorded', async () => {
    const lab = await failedRelease({ revertOnDeletion: true });
    deleteCanary(lab);
    expect(await lab.passUntil(() => lab.canary() === undefined, 60_000)).toBe(true);
    await lab.pass(GRACE_MS);
    expectKept(lab);
  });

  it('I19: Canaries that were deleted while Serin was down, and restarts, change nothing of it, and the state costs no writes', async () => {
    const lab = await failedRelease();
    lab.kill();
    deleteCanary(lab);
    lab.start();
    await lab.pass(GRACE_MS);
    expectKept(lab);
    lab.kill();
    lab.start();
    await lab.pass(GRACE_MS);
    expectKept(lab);
    expect(lab.writes.filter(({ ref }) => ref.kind !== 'Event')).toEqual([]);
  });
});

describe('I19: a kept primary ends', () => {
  async function kept(): Promise<ModelLab> {
    const lab = await failedRelease();
    deleteCanary(lab);
    await lab.pass(GRACE_MS);
    expectKept(lab);
    return lab;
  }

  const accept = (lab: ModelLab, hash: string) => lab.server.patch(targetRef, { metadata: { annotations: { [acceptAnnotation]: hash } } });

  function expectHandedOver(lab: ModelLab, version: string): void {
    expect([left(lab), lab.answering(), imageOf(lab, targetRef)]).toEqual([handedOver, [APP], version]);
    expect(lab.lost.slice(0, 3)).toEqual([]);
    expect(lab.server.find(targetRef)?.metadata.annotations ?? {}).not.toHaveProperty([keptAnnotation]);
    expect(lab.server.find(targetRef)?.metadata.annotations ?? {}).not.toHaveProperty([acceptAnnotation]);
    const said = expect.stringMatching(
      `Deployment/${APP} is ready and gets the traffic, and its primary goes: (its revision|it (was|holds))`,
    );
    expect(eventsOf(lab, 'HandedOver')).toEqual([said, said]);
    expect(lab.clock.pending).toBe(0);
  }

  it('I19: when the target holds the promoted bytes again', async () => {
    const lab = await kept();
    lab.push('1');
    await lab.pass(180_000);
    expectHandedOver(lab, '1');
  });

  it('I19: also when Serin is killed after traffic has moved, which does not move back', async () => {
    const lab = await kept();
    lab.push('1');
    const selected = () => raw(lab.server.find({ apiVersion: 'v1', kind: 'Service', name: APP, namespace: NAMESPACE }))?.spec.selector.app;
    expect(await lab.passUntil(() => selected() === APP, 180_000)).toBe(true);
    const answered = new Set<string>();
    lab.betweenCalls = () => {
      answered.add(selected());
    };
    lab.kill();
    lab.start();
    await lab.pass(180_000);
    expectHandedOver(lab, '1');
    expect([...answered]).toEqual([APP]);
  });

  it('I19: when the user accepts the revision of the target', async () => {
    const lab = await kept();
    accept(lab, keptOn(lab)?.unpromoted ?? '');
    await lab.pass(180_000);
    expectHandedOver(lab, '2');
  });

  it('I19: also when the API server refuses a write after traffic has moved, and nothing is kept again', async () => {
    const lab = await kept();
    let isRefused = false;
    lab.refuse = ({ verb, ref }) => {
      if (isRefused || verb !== 'delete' || ref.kind !== 'ControllerRevision') return;
      isRefused = true;
      throw new ApiError('busy', { status: 503, reason: 'ServiceUnavailable' });
    };
    accept(lab, keptOn(lab)?.unpromoted ?? '');
    await lab.pass(180_000);
    expect(isRefused).toBe(true);
    expect(eventsOf(lab, 'PrimaryKept').length).toBe(2);
    expectHandedOver(lab, '2');
  });

  it('I19: not by the hash of another revision', async () => {
    const lab = await kept();
    accept(lab, `s1:${'0'.repeat(64)}`);
    await lab.pass(180_000);
    expectKept(lab);
    const said = eventsOf(lab, 'PrimaryKept').filter((message) => message.includes('must be'));
    expect(said).toEqual([
      expect.stringContaining(`of Deployment/${APP} must be ${keptOn(lab)?.unpromoted}, which it holds; it is "s1:000`),
    ]);
  });

  it('I19: not by a word that is taken away before the target is ready, which has no pods then', async () => {
    const lab = await kept();
    accept(lab, keptOn(lab)?.unpromoted ?? '');
    expect(await lab.passUntil(() => replicasOf(lab) > 0, 30_000)).toBe(true);
    expect(keptOn(lab)?.next).toContain('once it is ready');
    lab.server.patch(targetRef, { metadata: { annotations: { [acceptAnnotation]: null } } });
    await lab.pass(180_000);
    expectKept(lab);
    expect(keptOn(lab)?.next).toContain(`serin accept ${APP}`);
  });

  it('I19: when a template that is pushed later is ready', async () => {
    const lab = await kept();
    lab.push('3');
    await lab.pass(180_000);
    expectHandedOver(lab, '3');
  });

  it('I19: not by a template that is pushed later and never ready, which an event says; the next ready template ends it', async () => {
    const lab = await kept();
    lab.push(BROKEN_IMAGE);
    await lab.pass(30_000);
    expect([keptOn(lab)?.next, keptOn(lab, anchorRef)?.next]).toEqual(Array(2).fill(expect.stringContaining('once it is ready')));
    await lab.pass(1_200_000);
    expect([lab.answering(), imageOf(lab)]).toEqual([[primaryRef.name], '1']);
    expect(eventsOf(lab, 'PrimaryKept').some((message) => message.includes('does not become ready'))).toBe(true);
    lab.push('4');
    await lab.pass(300_000);
    expectHandedOver(lab, '4');
  });

  it('I19: when the target goes, after the grace of an uninstall (I7)', async () => {
    const lab = await kept();
    lab.watched = false;
    lab.server.delete(targetRef);
    await lab.pass(GRACE_MS - 30_000);
    expect(lab.answering()).toEqual([primaryRef.name]);
    await lab.pass(60_000);
    expect([left(lab), lab.clock.pending]).toEqual([['MetricTemplate/orders', `Service/${APP}`], 0]);
  });

  it.each([
    { what: 'over another target', spec: { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'next' } } },
    { what: 'whose spec cannot be read', spec: { service: { port: 70_000 } } },
  ])('I19: not by a Canary of the same name $what, which waits and says for what', async ({ spec }) => {
    const lab = await kept();
    const sent = lab.writes.length;
    lab.server.create(aModelCanary(ordersPlan, spec));
    await lab.pass(600_000);
    expectKept(lab);
    expect(lab.writes.length - sent).toBeLessThan(5);
    const accepted = raw(lab.canary())?.status?.conditions.find(({ type }: { type: string }) => type === 'Accepted');
    expect(accepted.message).toContain(`serin accept ${APP} -n test`);
    accept(lab, keptOn(lab)?.unpromoted ?? '');
    expect(await lab.passUntil(() => lab.answering().includes(APP), 180_000)).toBe(true);
    expect(lab.lost.slice(0, 3)).toEqual([]);
  });

  it.each([
    { what: 'of the same name', name: APP },
    { what: 'of another name', name: 'renamed' },
  ])('I19: when a Canary $what is made over the target, which takes over the primary and releases the target', async ({ name }) => {
    const lab = await kept();
    const isReached = watchTarget(lab);
    lab.externalMetric = () => BAD;
    lab.server.create(anHeir(name));
    expect(await lab.passUntil(() => lab.phase(name) === 'Progressing', 300_000)).toBe(true);
    expect(await lab.passUntil(() => lab.phase(name) === 'Failed', 600_000)).toBe(true);
    await lab.pass(60_000);
    expect([lab.answering(), imageOf(lab), imageOf(lab, targetRef)]).toEqual([[primaryRef.name], '1', '2']);
    expect(isReached()).toBe(true); // by its share of the analysis
    lab.externalMetric = () => GOOD;
    lab.push('3');
    expect(await lab.passUntil(() => lab.phase(name) === 'Succeeded', 600_000)).toBe(true);
    expect([lab.answering(), imageOf(lab)]).toEqual([[primaryRef.name], '3']);
    expect(annotationOf(lab)).toBeUndefined();
    expect(lab.lost.slice(0, 3)).toEqual([]);
  });
});

/** A Canary over the target of the lab. */
function anHeir(name: string): KubeObject {
  const canary = raw(aModelCanary(ordersPlan, {}, name));
  canary.spec.targetRef.name = APP;
  return canary as KubeObject;
}

describe('I19: a Canary with another provider that takes a kept primary over', () => {
  it.each([APP, 'renamed'])('I19: %s is also deleted, and no request is lost by the routes of the first one', async (name) => {
    const lab = await failedRelease();
    deleteCanary(lab);
    await lab.pass(GRACE_MS);
    const heir = raw(anHeir(name));
    heir.spec.provider = 'kubernetes';
    heir.spec.analysis = { interval: '10s', threshold: 2, iterations: 3, metrics: ordersPlan.metrics };
    lab.server.create(heir as KubeObject);
    expect(await lab.passUntil(() => lab.phase(name) === 'Failed', 900_000)).toBe(true);
    await lab.pass(60_000);
    lab.server.delete({ ...canaryRef, name });
    await lab.pass(60_000);
    lab.server.patch(targetRef, { metadata: { annotations: { [acceptAnnotation]: keptOn(lab)?.unpromoted ?? '' } } });
    await lab.pass(180_000);
    expect([left(lab), lab.answering(), lab.lost.slice(0, 3)]).toEqual([handedOver, [APP], []]);
  });
});

describe('I19: configs count as the template does', () => {
  const configRef = { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', namespace: NAMESPACE };
  const withMode = (mode: string): KubeObject => ({ ...configRef, metadata: { name: 'settings', namespace: NAMESPACE }, data: { mode } });

  /** The release of another ConfigMap has failed, under one and the same template. */
  async function failedConfig(): Promise<ModelLab> {
    const lab = await initializedLab({}, aModelCanary(ordersPlan));
    lab.server.create(withMode('a'));
    const [container] = raw(lab.server.find(targetRef))?.spec.template.spec.containers ?? [];
    const containers = [{ ...container, envFrom: [{ configMapRef: { name: 'settings' } }] }];
    lab.server.patch(targetRef, { spec: { template: { spec: { containers } } } });
    expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 600_000)).toBe(true);
    await lab.pass(30_000);
    lab.externalMetric = () => BAD;
    lab.server.patch(configRef, { data: { mode: 'b' } });
    expect(await lab.passUntil(() => lab.phase() === 'Failed', 600_000)).toBe(true);
    await lab.pass(30_000);
    return lab;
  }

  it('I19: the primary keeps serving with its own copy, and ends when the ConfigMap has its former content', async () => {
    const lab = await failedConfig();
    deleteCanary(lab);
    await lab.pass(GRACE_MS);
    expectKept(lab, '1');
    expect(lab.server.find(copyRef(lab))).toBeDefined();
    lab.server.patch(configRef, { data: { mode: 'a' } });
    await lab.pass(180_000);
    expect([lab.answering(), lab.server.find(primaryRef), lab.clock.pending]).toEqual([[APP], undefined, 0]);
    expect(lab.lost.slice(0, 3)).toEqual([]);
  });

  it('I19: a Canary of another name takes the copy over with the primary', async () => {
    const lab = await failedConfig();
    deleteCanary(lab);
    await lab.pass(GRACE_MS);
    const copy = copyRef(lab);
    lab.server.create(anHeir('renamed'));
    expect(await lab.passUntil(() => lab.phase('renamed') === 'Failed', 900_000)).toBe(true);
    await lab.pass(60_000);
    expect([lab.answering(), lab.server.find(anchorRef)]).toEqual([[primaryRef.name], undefined]);
    expect(lab.server.find(copy)?.metadata.ownerReferences).toMatchObject([{ name: 'renamed-serin-anchor' }]);
    lab.server.delete({ ...canaryRef, name: 'renamed' });
    await lab.pass(60_000);
    expectKeptBy(lab, 'renamed');
  });

  it('I19: without the right to write copies, they stay with the primary under their former owner', async () => {
    const lab = await failedConfig();
    deleteCanary(lab);
    await lab.pass(GRACE_MS);
    const copy = copyRef(lab);
    lab.refuse = ({ verb, ref }) => {
      if (verb === 'patch' && ref.kind === 'ConfigMap') throw new ApiError('forbidden', { status: 403, reason: 'Forbidden' });
    };
    lab.server.create(anHeir('renamed'));
    expect(await lab.passUntil(() => lab.phase('renamed') === 'Failed', 900_000)).toBe(true);
    lab.kill();
    lab.start();
    await lab.pass(GRACE_MS);
    expect([lab.phase('renamed'), lab.answering(), lab.server.find(copy) !== undefined]).toEqual(['Failed', [primaryRef.name], true]);
    expect(lab.lost.slice(0, 3)).toEqual([]);
  });

  function copyRef(lab: ModelLab) {
    const [{ configMapRef }] = raw(lab.server.find(primaryRef))?.spec.template.spec.containers[0].envFrom ?? [];
    return { ...configRef, name: String(configMapRef.name) };
  }

  function expectKeptBy(lab: ModelLab, name: string): void {
    expect([lab.answering(), keptOn(lab, { ...anchorRef, name: `${name}-serin-anchor` })]).toEqual([[primaryRef.name], expect.anything()]);
  }
});

describe('I19: kills of Serin on the way', () => {
  /** Serin is killed at each of its writes in turn, and started again. */
  async function killedAtEachWrite(act: (lab: ModelLab) => void, isDone: (lab: ModelLab) => boolean): Promise<ModelLab[]> {
    const labs: ModelLab[] = [];
    for (let nth = 1; ; nth += 2) {
      const lab = await failedRelease();
      const before = lab.writes.length;
      act(lab);
      const isKilled = await lab.passUntil(() => lab.writes.filter(({ ref }) => ref.kind !== 'Event').length >= before + nth, 120_000);
      lab.kill();
      await lab.pass(5_000);
      lab.start();
      expect(await lab.passUntil(() => isDone(lab), 600_000)).toBe(true);
      await lab.pass(60_000);
      labs.push(lab);
      if (!isKilled || nth > 12) return labs;
    }
  }

  it('I19: the primary is kept wherever it was', async () => {
    const labs = await killedAtEachWrite(deleteCanary, (lab) => annotationOf(lab) !== undefined);
    for (const lab of labs) {
      expectKept(lab);
    }
  });

  it('I19: a revision that was accepted is handed over wherever it was', async () => {
    const labs = await killedAtEachWrite(
      (lab) => {
        const annotations = { [acceptAnnotation]: raw(lab.canary())?.status.release.revision };
        lab.server.patch(targetRef, { metadata: { annotations } });
        deleteCanary(lab);
      },
      (lab) => lab.server.find(anchorRef) === undefined,
    );
    for (const lab of labs) {
      expect([left(lab), lab.answering(), lab.lost.slice(0, 3)]).toEqual([handedOver, [APP], []]);
      expect(annotationOf(lab)).toBeUndefined();
    }
  });

  it.each([{ name: APP }, { name: 'renamed' }])('I19: a Canary $name takes it over wherever it was', async ({ name }) => {
    const replace = (lab: ModelLab) => {
      deleteCanary(lab);
      lab.server.create(anHeir(name));
    };
    const labs = await killedAtEachWrite(replace, (lab) => lab.phase(name) === 'Failed');
    for (const lab of labs) {
      expect([lab.answering(), imageOf(lab), lab.lost.slice(0, 3)]).toEqual([[primaryRef.name], '1', []]);
    }
  });
});

describe('I19: leftovers of earlier versions of Serin', () => {
  it('I19: without records and without a status, the primary itself says what was promoted', async () => {
    const lab = await failedRelease();
    lab.kill();
    for (const record of recordsOf(lab)) lab.server.delete(record);
    deleteCanary(lab);
    lab.start();
    await lab.pass(GRACE_MS);
    expectKept(lab);
  });

  it('I19: a target that holds the promoted bytes is handed over without a record of its template', async () => {
    const lab = await initializedLab();
    lab.kill();
    for (const record of recordsOf(lab)) lab.server.delete(record);
    deleteCanary(lab);
    lab.start();
    await lab.pass(180_000);
    expect([left(lab), lab.answering()]).toEqual([handedOver, [APP]]);
  });

  function recordsOf(lab: ModelLab) {
    return left(lab).flatMap((one) => {
      const [kind = '', name = ''] = one.split('/');
      return kind === 'ControllerRevision' && name !== anchorRef.name ? [{ ...anchorRef, name }] : [];
    });
  }
});

describe('I19: a push after the deletion', () => {
  it('I19: in the middle of a hand-over of promoted bytes is a rollout of its own', async () => {
    const lab = await initializedLab();
    // An earlier push would come together with the deletion.
    expect(await lab.passUntil(() => replicasOf(lab) === 0, 30_000)).toBe(true);
    deleteCanary(lab);
    expect(await lab.passUntil(() => replicasOf(lab) > 0, 30_000)).toBe(true);
    lab.push('2');
    await lab.pass(180_000);
    expect([left(lab), lab.answering(), imageOf(lab, targetRef)]).toEqual([handedOver, [APP], '2']);
    expect(lab.lost.slice(0, 3)).toEqual([]);
  });

  it('I19: that is never ready, and returns to the failed template, leaves the primary serving and the target at zero', async () => {
    const lab = await failedRelease();
    deleteCanary(lab);
    await lab.pass(60_000);
    lab.push(BROKEN_IMAGE);
    await lab.pass(60_000);
    expect(replicasOf(lab)).toBe(1);
    lab.push('2');
    await lab.pass(GRACE_MS);
    expectKept(lab);
  });

  it('I19: a failed template that is pushed again after a deletion and a return is not what a later deletion found', async () => {
    const lab = await failedRelease();
    deleteCanary(lab);
    await lab.pass(60_000);
    lab.externalMetric = () => GOOD;
    lab.server.create(anHeir(APP));
    expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 900_000)).toBe(true);
    await lab.pass(60_000);
    lab.externalMetric = () => BAD;
    lab.push('3');
    expect(await lab.passUntil(() => lab.phase() === 'Failed', 900_000)).toBe(true);
    await lab.pass(60_000);
    deleteCanary(lab);
    await lab.pass(GRACE_MS);
    expect([lab.answering(), imageOf(lab), imageOf(lab, targetRef), replicasOf(lab)]).toEqual([[primaryRef.name], '2', '3', 0]);
  });
});

describe('I19: a Canary that is deleted and made again at once', () => {
  it.each([
    { what: 'the same name (replace --force)', name: APP },
    { what: 'another name', name: 'renamed' },
    { what: 'another name, made before the deletion', name: 'renamed', beforeMs: 5_000 },
  ])('I19: with $what, at 25%: it never ends as Initialized with the bytes under analysis as primary', async ({ name, beforeMs }) => {
    const lab = await underWay();
    if (beforeMs !== undefined) {
      lab.server.create(anHeir(name));
      await lab.pass(beforeMs);
    }
    deleteCanary(lab);
    if (beforeMs === undefined) lab.server.create(anHeir(name));
    lab.externalMetric = () => BAD;
    await lab.passUntil(() => lab.phase(name) === 'Failed', 900_000);
    await lab.pass(60_000);
    expect([lab.phase(name), lab.answering(), imageOf(lab)]).toEqual(['Failed', [primaryRef.name], '1']);
    expect(lab.lost.slice(0, 3)).toEqual([]);
  });
});
