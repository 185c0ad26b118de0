import { describe, expect, it, vi } from 'vitest';
import { kstatusOf } from '../../../test/fakes/kstatus.ts';
import { ended, initialized, plan } from '../../../test/fakes/model/damage.ts';
import { aModelCanary, canaryRef, type ModelLab, targetRef } from '../../../test/fakes/model/lab.ts';
import { labOf } from '../../../test/fakes/model/life.ts';
import { raw } from '../../../test/fakes/raw.ts';
import { writesKstatus } from '../../api/kstatus.ts';
import { requestAnnotation } from '../../api/names.ts';
import { writeRequest } from '../../api/verb-request.ts';
import { ControllerConfig } from '../config.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

/** A spec that is refused. */
const BAD = { metrics: [{ name: 'request-success-rate', interval: '10s', thresholdRange: { min: 100, max: 99 } }] };
const OWN = { 'serin.dev/kstatus': 'true' };
const annotate = (lab: ModelLab, annotations: object): void => void lab.server.patch(canaryRef, { metadata: { annotations } });
const edit = (lab: ModelLab, spec: object): void => void lab.server.patch(canaryRef, { spec });
const statusIn = (lab: ModelLab) => raw(lab.canary())?.status;
const conditionIn = (lab: ModelLab, type: string) =>
  statusIn(lab)?.conditions.find((one: { type: string }) => one.type === type) as
    | { status: string; reason: string; message: string }
    | undefined;
const isSaid = (lab: ModelLab): boolean => conditionIn(lab, 'Ready') !== undefined;
const statusWrites = (lab: ModelLab): number => lab.writes.filter(({ subresource }) => subresource === 'status').length;

async function opted(spec: object = {}): Promise<ModelLab> {
  const lab = await initialized(spec);
  annotate(lab, OWN);
  expect(await lab.passUntil(() => isSaid(lab), 10_000)).toBe(true);
  await lab.pass(30_000);
  return lab;
}

/** Every verdict of kstatus until the end of the release, each with its phase, without repetitions. */
async function verdictsUntilEnd(lab: ModelLab): Promise<string[]> {
  const seen: string[] = [];
  const isOver = () => {
    const now = `${lab.phase()}: ${kstatusOf(lab.canary())}`;
    if (seen.at(-1) !== now) seen.push(now);
    return seen.length > 1 && ['Succeeded', 'Failed'].includes(lab.phase());
  };
  expect(await lab.passUntil(isOver, 300_000)).toBe(true);
  return seen;
}

describe('writesKstatus', () => {
  const on = ControllerConfig.parse({ kstatus: true });
  const off = ControllerConfig.parse({});
  it.each([
    { own: undefined, byFlag: true, byDefault: false },
    { own: 'true', byFlag: true, byDefault: true },
    { own: 'false', byFlag: false, byDefault: false },
    { own: 'yes', byFlag: true, byDefault: false },
  ])('the annotation $own counts more than the flag', ({ own, byFlag, byDefault }) => {
    const canary = { metadata: own === undefined ? {} : { annotations: { 'serin.dev/kstatus': own } } };
    expect([writesKstatus(canary, on), writesKstatus(canary, off)]).toEqual([byFlag, byDefault]);
  });
});

describe('the conditions of kstatus', () => {
  it('are not written by default', async () => {
    const lab = await initialized();
    lab.push('2');
    await ended(lab);
    expect(statusIn(lab).conditions.map(({ type }: { type: string }) => type)).toEqual(['Promoted']);
    expect(statusIn(lab)).not.toHaveProperty('observedGeneration');
  });

  it('follow an arrival by the flag: in progress until the primary serves', async () => {
    const { lab } = labOf({ seed: 5, provider: 'istio', delayMs: 2_000, plan: 0, hasService: true });
    await lab.application();
    lab.server.create(aModelCanary(plan));
    lab.start(undefined, { kstatus: true });
    const seen = new Set<string>();
    const isDone = () => {
      if (lab.phase() !== '') seen.add(`${lab.phase()}: ${kstatusOf(lab.canary())}`);
      return lab.phase() === 'Initialized';
    };
    expect(await lab.passUntil(isDone, 120_000)).toBe(true);
    expect([...seen]).toEqual(['Initializing: InProgress', 'Initialized: Current']);
  });

  it('follow a release to its promotion', async () => {
    const lab = await opted();
    lab.push('2');
    expect(await verdictsUntilEnd(lab)).toEqual([
      'Initialized: Current',
      'Progressing: InProgress',
      'Promoting: InProgress',
      'Finalising: InProgress',
      'Succeeded: Current',
    ]);
    expect(conditionIn(lab, 'Ready')).toMatchObject({ status: 'True', reason: 'Succeeded' });
    expect(statusIn(lab).observedGeneration).toBe(lab.canary()?.metadata.generation);
  });

  it('say that a rolled back release has failed, and why, until the next version', async () => {
    const lab = await opted();
    lab.push('2');
    expect(await lab.passUntil(() => lab.phase() === 'Progressing', 30_000)).toBe(true);
    annotate(lab, { [requestAnnotation]: writeRequest({ id: 'r-1', verb: 'rollback', by: 'ann', atMs: lab.clock.nowMs() }) });
    expect((await verdictsUntilEnd(lab)).at(-1)).toBe('Failed: Failed');
    expect(conditionIn(lab, 'Stalled')).toMatchObject({ status: 'True', message: expect.stringContaining('ann') });
    expect(conditionIn(lab, 'Reconciling')).toBeUndefined();
    lab.push('3');
    expect((await verdictsUntilEnd(lab)).slice(0, 2)).toEqual(['Failed: Failed', 'Progressing: InProgress']);
  });

  it('I8, E55: cost no write more than a release without them, and a restart writes nothing', async () => {
    const counts: number[] = [];
    for (const lab of [await initialized(), await opted()]) {
      await lab.pass(60_000);
      const before = statusWrites(lab);
      lab.push('2');
      await ended(lab);
      await lab.pass(60_000);
      counts.push(statusWrites(lab) - before);
      lab.kill();
      lab.start();
      await lab.pass(120_000);
      expect(lab.writes).toEqual([]);
    }
    expect(counts[1]).toBe(counts[0]);
  });

  it('I8: the flag is one write for an idle Canary, at its start, and one when it is taken away', async () => {
    const lab = await initialized();
    await lab.pass(60_000);
    for (const kstatus of [true, false]) {
      await lab.stop();
      lab.start(undefined, { kstatus });
      await lab.pass(60_000);
      expect(lab.writes.map(({ subresource }) => subresource)).toEqual(['status']);
      expect(isSaid(lab)).toBe(kstatus);
      expect('observedGeneration' in statusIn(lab)).toBe(kstatus);
    }
  });

  it('a spec that is refused has failed until it is corrected, and each edit is observed', async () => {
    const lab = await opted();
    edit(lab, { analysis: BAD });
    expect(kstatusOf(lab.canary())).toBe('InProgress');
    expect(await lab.passUntil(() => kstatusOf(lab.canary()) === 'Failed', 10_000)).toBe(true);
    expect(conditionIn(lab, 'Stalled')).toMatchObject({ reason: 'InvalidSpec', message: expect.stringContaining('thresholdRange') });
    edit(lab, { progressDeadlineSeconds: 90 });
    expect(kstatusOf(lab.canary())).toBe('InProgress');
    expect(await lab.passUntil(() => kstatusOf(lab.canary()) === 'Failed', 10_000)).toBe(true);
    edit(lab, { analysis: { metrics: null } });
    expect(await lab.passUntil(() => kstatusOf(lab.canary()) === 'Current', 60_000)).toBe(true);
  });

  it('a Canary that arrives with a spec that is refused has failed, each edit is observed, and one event says it', async () => {
    const { lab } = labOf({ seed: 5, provider: 'istio', delayMs: 2_000, plan: 0, hasService: true });
    await lab.application();
    const canary = aModelCanary({ ...plan, ...BAD });
    lab.server.create({ ...canary, metadata: { ...canary.metadata, annotations: OWN } });
    lab.start();
    expect(await lab.passUntil(() => kstatusOf(lab.canary()) === 'Failed', 10_000)).toBe(true);
    edit(lab, { progressDeadlineSeconds: 90 });
    expect(kstatusOf(lab.canary())).toBe('InProgress');
    expect(await lab.passUntil(() => kstatusOf(lab.canary()) === 'Failed', 10_000)).toBe(true);
    await lab.pass(10_000);
    expect(lab.writes.filter(({ ref }) => ref.kind === 'Event').map(({ verb }) => verb)).toEqual(['create']);
    edit(lab, { analysis: { metrics: null } });
    expect(await lab.passUntil(() => kstatusOf(lab.canary()) === 'Current', 120_000)).toBe(true);
  });

  it('are written under spec.suspend too: ready while nothing waits, in progress with a version that waits', async () => {
    const lab = await opted();
    edit(lab, { suspend: true });
    await lab.pass(5_000);
    expect(kstatusOf(lab.canary())).toBe('Current');
    expect(conditionIn(lab, 'Ready')?.reason).toBe('Suspended');
    edit(lab, { progressDeadlineSeconds: 90 });
    await lab.pass(5_000);
    expect(kstatusOf(lab.canary())).toBe('Current');
    lab.push('2');
    await lab.pass(5_000);
    expect([lab.phase(), kstatusOf(lab.canary())]).toEqual(['Initialized', 'InProgress']);
    edit(lab, { suspend: false });
    expect((await verdictsUntilEnd(lab)).at(-1)).toBe('Succeeded: Current');
  });

  it('a Canary that is suspended from the beginning is in progress, since its primary does not exist', async () => {
    const { lab } = labOf({ seed: 5, provider: 'istio', delayMs: 2_000, plan: 0, hasService: true });
    await lab.application();
    lab.server.create(aModelCanary(plan, { suspend: true }));
    lab.start(undefined, { kstatus: true });
    const reasons = new Set<string>();
    expect(await lab.passUntil(() => reasons.add(conditionIn(lab, 'Reconciling')?.reason ?? 'no condition').has('Suspended'), 10_000)).toBe(
      true,
    );
    expect([...reasons]).toEqual(['no condition', 'Suspended']);
    await lab.pass(60_000);
    expect([kstatusOf(lab.canary()), lab.writes.length]).toEqual(['InProgress', 3]);
  });

  it('an idle Canary whose target is gone is in progress, with the reason', async () => {
    const lab = await opted();
    lab.server.delete(targetRef);
    expect(await lab.passUntil(() => kstatusOf(lab.canary()) === 'InProgress', 120_000)).toBe(true);
    expect(conditionIn(lab, 'Reconciling')?.reason).toBe('TargetNotFound');
  });
});
