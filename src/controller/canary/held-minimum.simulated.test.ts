import { describe, expect, it } from 'vitest';
import { canaryRef, type ModelLab, targetRef } from '../../../test/fakes/model/lab.ts';
import {
  anHpa,
  annotation,
  aScaledObject,
  hpaRef,
  idleIn,
  initialized,
  messagesOf,
  replicas,
  soRef,
} from '../../../test/fakes/model/scaled.ts';
import { raw } from '../../../test/fakes/raw.ts';

const NOTE = 'serin.dev/before-raise';
const LONG_MS = 120_000;
/** A scaler that measures what has nothing to do with the pods: it goes back to its minimum every 15 s. */
function shrinks(lab: ModelLab): void {
  const min = (): number => raw(lab.server.find(hpaRef))?.spec.minReplicas;
  if (replicas(lab) > min()) lab.server.patch(targetRef, { spec: { replicas: min() } });
}
async function live(lab: ModelLab, until: () => boolean, each: () => void = () => shrinks(lab), everyMs = 15_000) {
  for (let times = 0; times < 200 && !until(); times += 1) {
    await lab.passUntil(until, everyMs).catch(() => undefined);
    each();
  }
  expect(until(), messagesOf(lab)).toBe(true);
}
const isSteppedTo = (lab: ModelLab, weight: number) => () => raw(lab.canary())?.status?.canaryWeight === weight;
const rests100 = { stepWeight: 100, maxWeight: 100 };
const minimum = (lab: ModelLab) => [raw(lab.server.find(hpaRef))?.spec.minReplicas, annotation(lab, hpaRef, NOTE)];

describe('E101: the minimum of the user’s scaler', () => {
  it.each([
    { kind: 'an HPA', scaler: anHpa(), ref: hpaRef, field: 'minReplicas' },
    { kind: 'a ScaledObject', scaler: aScaledObject(), ref: soRef, field: 'minReplicaCount' },
  ])('$kind: is raised for the release, and restored at its end', async ({ scaler, ref, field }) => {
    const lab = await initialized(scaler, {}, rests100);
    lab.push('2');
    await lab.passUntil(isSteppedTo(lab, 100), LONG_MS);
    expect(raw(lab.server.find(ref))?.spec[field]).toBe(4);
    expect(await idleIn(lab, 'Succeeded')).toBe('Succeeded');
    expect([lab.server.find(ref)?.spec, annotation(lab, ref, NOTE)]).toEqual([scaler.spec, undefined]);
    expect(lab.lost).toEqual([]);
  });

  it('a scaler that computes a small number for any pods fails no release', async () => {
    const lab = await initialized(anHpa(), {}, rests100);
    lab.push('2');
    await live(lab, () => lab.phase() === 'Succeeded');
  });

  it('is put back by others all the time: the release goes on with what the scaler gives, and says so', async () => {
    const lab = await initialized(anHpa(), {}, rests100);
    lab.push('2');
    let isContested = false;
    await live(
      lab,
      () => lab.phase() === 'Succeeded',
      () => {
        if (raw(lab.server.find(hpaRef))?.spec.minReplicas !== 2) lab.server.patch(hpaRef, { spec: { minReplicas: 2 } });
        shrinks(lab);
        isContested ||= messagesOf(lab).includes('spec.minReplicas');
      },
      1_000,
    );
    expect(isContested).toBe(true);
    await lab.pass(10_000);
    expect(minimum(lab)).toEqual([2, undefined]);
  });

  it('is the user’s where it was edited meanwhile', async () => {
    const lab = await initialized(anHpa(), {}, rests100);
    lab.push('2');
    await lab.passUntil(isSteppedTo(lab, 100), LONG_MS);
    lab.server.patch(hpaRef, { spec: { minReplicas: 6 } });
    expect(await idleIn(lab, 'Succeeded')).toBe('Succeeded');
    expect(minimum(lab)).toEqual([6, undefined]);
  });

  it.each([
    { how: 'while the controller runs', isUnseen: false },
    { how: 'while no controller runs', isUnseen: true },
  ])('is restored when the Canary is deleted in the middle of a release, $how', async ({ isUnseen }) => {
    const lab = await initialized(anHpa(), {}, rests100);
    lab.push('2');
    await lab.passUntil(isSteppedTo(lab, 100), LONG_MS);
    expect(minimum(lab)[0]).toBe(4);
    if (isUnseen) lab.kill();
    lab.server.delete(canaryRef);
    if (isUnseen) lab.start();
    await lab.pass(60_000);
    expect(minimum(lab)).toEqual([2, undefined]);
  });

  it('is restored to a scaler that the spec does not name any more', async () => {
    const lab = await initialized(anHpa(), {}, rests100);
    lab.push('2');
    await lab.passUntil(isSteppedTo(lab, 100), LONG_MS);
    lab.server.patch(canaryRef, { spec: { autoscalerRef: null } });
    await lab.pass(10_000);
    expect(minimum(lab)).toEqual([2, undefined]);
  });
});
