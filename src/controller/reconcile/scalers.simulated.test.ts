import { describe, expect, it } from 'vitest';
import { APP, aModelCanary, canaryRef, primaryRef, targetRef } from '../../../test/fakes/model/lab.ts';
import {
  aLab,
  anHpa,
  annotation,
  aScaledObject,
  hpaRef,
  idleIn,
  initialized,
  messagesOf,
  ofPrimary,
  order,
  PAUSED,
  plan,
  refTo,
  replicas,
  soRef,
} from '../../../test/fakes/model/scaled.ts';
import { eventsOf } from '../../../test/fakes/model/uninstalling.ts';
import { raw } from '../../../test/fakes/raw.ts';
import { promotedScalerAnnotation } from '../../api/names.ts';

describe('the primary has a scaler of its own', () => {
  it('it is made after the primary, and goes with what owns the primary', async () => {
    const lab = await initialized(anHpa());
    const made = lab.server.find(ofPrimary(hpaRef));
    expect(made?.spec).toMatchObject({ scaleTargetRef: { name: primaryRef.name }, minReplicas: 2, maxReplicas: 10 });
    expect(made?.metadata.ownerReferences).toEqual(lab.server.find(primaryRef)?.metadata.ownerReferences);
    const writes = order(lab);
    const at = (what: string) => writes.findIndex((one) => one.startsWith(what));
    expect(at('apply HorizontalPodAutoscaler')).toBeGreaterThan(at(`create Deployment ${primaryRef.name}`));
    expect(raw(lab.canary())?.status?.release?.scaler).toBe('HorizontalPodAutoscaler/podinfo');
  });

  it('an edit of the scaler reaches the primary with the next promotion, and not before', async () => {
    const lab = await initialized(anHpa());
    lab.server.patch(hpaRef, { spec: { maxReplicas: 20, behavior: { scaleDown: { selectPolicy: 'Disabled' } } } });
    await lab.pass(30_000);
    expect(raw(lab.server.find(ofPrimary(hpaRef)))?.spec.maxReplicas).toBe(10);
    lab.push('2');
    expect(await idleIn(lab, 'Succeeded')).toBe('Succeeded');
    expect(lab.server.find(ofPrimary(hpaRef))?.spec).toMatchObject({ maxReplicas: 20, minReplicas: 2, behavior: { scaleDown: {} } });
    lab.server.patch(hpaRef, { spec: { behavior: null } });
    lab.push('3');
    await lab.pass(5_000);
    expect(await idleIn(lab, 'Succeeded')).toBe('Succeeded');
    expect(raw(lab.server.find(ofPrimary(hpaRef)))?.spec.behavior).toBeUndefined();
  });

  it('D8: a release raises its minimum, restores it, and leaves the scaler of the target unmodified', async () => {
    const lab = await initialized(anHpa());
    const before = lab.server.find(hpaRef);
    lab.push('2');
    await lab.passUntil(() => lab.phase() === 'Finalising', 120_000);
    const held = lab.server.find(ofPrimary(hpaRef));
    expect([raw(held)?.spec.minReplicas, held?.metadata.annotations?.['serin.dev/before-raise']]).toEqual([
      4,
      '{"before":{"minReplicas":2},"to":{"minReplicas":4}}',
    ]);
    expect(await idleIn(lab, 'Succeeded')).toBe('Succeeded');
    const after = lab.server.find(ofPrimary(hpaRef));
    expect([raw(after)?.spec.minReplicas, after?.metadata.annotations?.['serin.dev/before-raise']]).toEqual([2, undefined]);
    expect(lab.server.find(hpaRef)).toEqual(before);
    expect(lab.lost).toEqual([]);
  });

  it('D8: a raised minimum is restored by a controller that was killed meanwhile', async () => {
    const lab = await initialized(anHpa());
    lab.push('2');
    await lab.passUntil(() => lab.phase() === 'Finalising', 120_000);
    expect(raw(lab.server.find(ofPrimary(hpaRef)))?.spec.minReplicas).toBe(4);
    lab.kill();
    await lab.pass(60_000);
    lab.start();
    expect(await idleIn(lab, 'Succeeded')).toBe('Succeeded');
    expect(raw(lab.server.find(ofPrimary(hpaRef)))?.spec.minReplicas).toBe(2);
  });

  it('I18: three releases within ten minutes raise it and put it back, and Serin contests nothing', async () => {
    const lab = await initialized(anHpa());
    const from = lab.clock.monotonicMs();
    for (const version of ['2', '3', '4']) {
      lab.push(version);
      await lab.pass(2_000);
      expect(await idleIn(lab, 'Succeeded')).toBe('Succeeded');
      expect(raw(lab.server.find(ofPrimary(hpaRef)))?.spec.minReplicas).toBe(2);
    }
    expect(lab.clock.monotonicMs() - from).toBeLessThan(600_000);
    // The brake has nothing left to correct later.
    expect([messagesOf(lab).includes('changed back'), lab.clock.pending]).toEqual([false, 0]);
  });

  it('primaryScalerReplicas that are edited while idle apply at once, and the scaler of the target with the promotion', async () => {
    const lab = await initialized(anHpa());
    lab.server.patch(hpaRef, { spec: { maxReplicas: 20 } });
    lab.server.patch(canaryRef, { spec: refTo(hpaRef, { primaryScalerReplicas: { minReplicas: 3, maxReplicas: 30 } }) });
    await lab.pass(5_000);
    expect(raw(lab.server.find(ofPrimary(hpaRef)))?.spec).toMatchObject({ minReplicas: 3, maxReplicas: 30 });
    lab.server.patch(canaryRef, { spec: refTo(hpaRef, { primaryScalerReplicas: { minReplicas: 3, maxReplicas: null } }) });
    await lab.pass(5_000);
    expect(raw(lab.server.find(ofPrimary(hpaRef)))?.spec).toMatchObject({ minReplicas: 3, maxReplicas: 30 });
    const before = lab.writes.length;
    await lab.pass(600_000);
    expect([lab.writes.length - before, lab.clock.pending]).toEqual([0, 0]);
    lab.push('2');
    await lab.pass(2_000);
    expect(await idleIn(lab, 'Succeeded')).toBe('Succeeded');
    expect(raw(lab.server.find(ofPrimary(hpaRef)))?.spec).toMatchObject({ minReplicas: 3, maxReplicas: 20 });
  });

  it('an annotation that the source has lost leaves the copy with the next promotion', async () => {
    const lab = await initialized({
      ...anHpa(),
      metadata: { ...anHpa().metadata, annotations: { note: 'theirs' }, labels: { team: 'shop' } },
    });
    expect(annotation(lab, ofPrimary(hpaRef), 'note')).toBe('theirs');
    lab.server.patch(hpaRef, { metadata: { annotations: { note: null }, labels: { team: null } } });
    lab.push('2');
    await lab.pass(2_000);
    expect(await idleIn(lab, 'Succeeded')).toBe('Succeeded');
    expect(lab.server.find(ofPrimary(hpaRef))?.metadata.annotations).not.toHaveProperty('note');
    expect(lab.server.find(ofPrimary(hpaRef))?.metadata.labels ?? {}).not.toHaveProperty('team');
  });

  it.each([
    { ref: hpaRef, scaler: anHpa },
    { ref: soRef, scaler: () => aScaledObject({ 'scaledobject.keda.sh/transfer-hpa-ownership': 'true' }) },
  ])('labels and annotations of the source follow with a promotion, in one write, and tracking never does', async ({ ref, scaler }) => {
    const lab = await initialized(scaler());
    const metadata = { labels: { team: 'shop', 'kustomize.toolkit.fluxcd.io/name': 'apps' }, annotations: { note: 'theirs' } };
    lab.server.patch(ref, { metadata });
    await lab.pass(30_000);
    expect(lab.server.find(ofPrimary(ref))?.metadata.labels).not.toHaveProperty('team');
    const from = lab.writes.length;
    lab.push('2');
    expect(await idleIn(lab, 'Succeeded')).toBe('Succeeded');
    const { labels, annotations = {} } = lab.server.find(ofPrimary(ref))?.metadata ?? {};
    expect([labels?.team, Object.keys(labels ?? {}).some((key) => key.includes('toolkit')), annotations.note]).toEqual([
      'shop',
      false,
      'theirs',
    ]);
    if (ref === soRef) expect(annotations).toHaveProperty('scaledobject.keda.sh/transfer-hpa-ownership', 'true');
    const whole = lab.writes.slice(from).filter(({ ref: written }) => written.name === `${APP}-primary` && written.kind === ref.kind);
    // The news, raised for the release, and put back.
    expect(whole.length).toBeLessThanOrEqual(3);
  });

  it('primaryScalerReplicas go before the limits of the scaler', async () => {
    const lab = await initialized(anHpa(), { primaryScalerReplicas: { minReplicas: 3, maxReplicas: 30 } });
    expect(lab.server.find(ofPrimary(hpaRef))?.spec).toMatchObject({ minReplicas: 3, maxReplicas: 30 });
  });

  it.each([
    {
      rows: 'HPA',
      ref: hpaRef,
      scaler: anHpa,
      edit: { maxReplicas: 33 },
      own: { maxReplicas: 20 },
      is: { maxReplicas: 10, minReplicas: 2 },
    },
    {
      rows: 'ScaledObject',
      ref: soRef,
      scaler: () => aScaledObject(),
      edit: { maxReplicaCount: 33 },
      own: { maxReplicaCount: 20 },
      is: { maxReplicaCount: 10, minReplicaCount: 2 },
    },
  ])(
    'an $rows of the primary that is edited at rest is restored to the last promotion, with any current source',
    async ({ ref, scaler, edit, own, is }) => {
      const lab = await initialized(scaler());
      lab.server.patch(ref, { spec: own });
      lab.server.patch(ofPrimary(ref), { spec: edit });
      await lab.pass(5_000);
      expect(lab.server.find(ofPrimary(ref))?.spec).toMatchObject(is);
      lab.kill();
      lab.server.patch(ofPrimary(ref), { spec: edit });
      lab.start();
      await lab.pass(20_000);
      expect(lab.server.find(ofPrimary(ref))?.spec).toMatchObject(is);
      lab.server.patch(ofPrimary(ref), { metadata: { annotations: { [promotedScalerAnnotation]: null } }, spec: edit });
      await lab.pass(20_000);
      expect(lab.server.find(ofPrimary(ref))?.spec).toMatchObject(is);
      lab.push('2');
      await lab.pass(2_000);
      expect(await idleIn(lab, 'Succeeded')).toBe('Succeeded');
      expect(lab.server.find(ofPrimary(ref))?.spec).toMatchObject(own);
    },
  );

  it('a scaler that an earlier version has made stays unmodified until the next promotion', async () => {
    const lab = await initialized(anHpa());
    lab.kill();
    lab.server.patch(ofPrimary(hpaRef), { metadata: { annotations: { [promotedScalerAnnotation]: null } }, spec: { maxReplicas: 33 } });
    lab.start();
    await lab.pass(60_000);
    expect([raw(lab.server.find(ofPrimary(hpaRef)))?.spec.maxReplicas, lab.writes]).toEqual([33, []]);
    lab.push('2');
    expect(await idleIn(lab, 'Succeeded')).toBe('Succeeded');
    expect(raw(lab.server.find(ofPrimary(hpaRef)))?.spec).toMatchObject({ minReplicas: 2, maxReplicas: 10 });
  });

  it('I8: an idle Canary writes nothing, however often the scaler reports its measurements', async () => {
    const lab = await initialized(anHpa());
    const before = lab.writes.length;
    for (let times = 0; times < 40; times += 1) {
      lab.server.patch(ofPrimary(hpaRef), { status: { currentReplicas: times } }, 'status');
      await lab.pass(15_000);
    }
    lab.kill();
    lab.start();
    await lab.pass(60_000);
    expect([before > 0, lab.writes]).toEqual([true, []]);
  });
});

describe('the scaler of the target', () => {
  it('is scaled down only after the traffic was routed to the primary, and before the target does', async () => {
    const lab = await initialized(aScaledObject());
    const writes = order(lab);
    const at = (what: string) => writes.lastIndexOf(what);
    expect(at(`patch ScaledObject ${APP}`)).toBeGreaterThan(at(`apply Service ${APP}`));
    expect(at(`patch Deployment ${APP}/scale`)).toBeGreaterThan(at(`patch ScaledObject ${APP}`));
    expect([annotation(lab, soRef, PAUSED), replicas(lab)]).toEqual(['0', 0]);
  });

  it('the primary is not paused, also when it is made while the target is', async () => {
    const lab = await initialized(aScaledObject());
    lab.server.delete(ofPrimary(soRef));
    await lab.pass(10_000);
    expect([annotation(lab, soRef, PAUSED), annotation(lab, ofPrimary(soRef), PAUSED)]).toEqual(['0', undefined]);
    expect(raw(lab.server.find(ofPrimary(soRef)))?.spec.scaleTargetRef.name).toBe(primaryRef.name);
  });

  it('it is woken before the target, which starts with its minimum, and is paused again', async () => {
    const lab = await initialized(aScaledObject());
    const from = lab.writes.length;
    lab.push('2');
    await lab.passUntil(() => replicas(lab) > 0, 60_000);
    expect([replicas(lab), annotation(lab, soRef, PAUSED)]).toEqual([2, undefined]);
    const writes = order(lab).slice(from);
    expect(writes.indexOf(`patch ScaledObject ${APP}`)).toBeLessThan(writes.indexOf(`patch Deployment ${APP}/scale`));
    expect(await idleIn(lab, 'Succeeded')).toBe('Succeeded');
    expect([replicas(lab), annotation(lab, soRef, PAUSED)]).toEqual([0, '0']);
  });

  it('a pause of the user is put back when the target wakes, and when the Canary goes', async () => {
    const lab = await initialized(aScaledObject({ [PAUSED]: '3' }));
    lab.push('2');
    await lab.passUntil(() => replicas(lab) > 0, 60_000);
    expect(annotation(lab, soRef, PAUSED)).toBe('3');
    expect(await idleIn(lab, 'Succeeded')).toBe('Succeeded');
    lab.server.delete(canaryRef);
    await lab.pass(60_000);
    expect([annotation(lab, soRef, PAUSED), annotation(lab, soRef, 'serin.dev/paused-replicas-before')]).toEqual(['3', undefined]);
  });

  it('fields of newer versions survive every write of a whole life', async () => {
    const newer = { invented: { deep: [1] }, advanced: { scalingModifiers: { formula: 'a', invented: true } } };
    const lab = await initialized(aScaledObject({}, newer));
    lab.push('2');
    expect(await idleIn(lab, 'Succeeded')).toBe('Succeeded');
    expect(lab.server.find(soRef)?.spec).toMatchObject(newer);
    expect(lab.server.find(ofPrimary(soRef))?.spec).toMatchObject(newer);
  });

  it('I7: a Canary that goes wakes it before the target is raised', async () => {
    const lab = await initialized(aScaledObject());
    lab.server.delete(canaryRef);
    await lab.pass(60_000);
    expect([annotation(lab, soRef, PAUSED), replicas(lab), lab.server.find(ofPrimary(soRef)), lab.lost]).toEqual([
      undefined,
      4,
      undefined,
      [],
    ]);
  });

  it('I7: also when the Canary was deleted while Serin was down, whose scaler was named after it came', async () => {
    const lab = await aLab();
    lab.server.create(aModelCanary(plan));
    lab.start();
    await idleIn(lab, 'Initialized');
    lab.server.create(aScaledObject());
    lab.server.patch(canaryRef, { spec: refTo(soRef) });
    await lab.pass(20_000);
    expect(annotation(lab, soRef, PAUSED)).toBe('0');
    lab.kill();
    lab.server.delete(canaryRef);
    lab.start();
    await lab.pass(60_000);
    expect([annotation(lab, soRef, PAUSED), replicas(lab)]).toEqual([undefined, 4]);
  });
});

describe('another scaler', () => {
  it.each([
    { to: 'another name', scaler: anHpa('other'), ref: { ...hpaRef, name: 'other' } },
    { to: 'another kind', scaler: aScaledObject(), ref: soRef },
  ])('with $to the former one of the primary goes, and is no longer remembered', async ({ scaler, ref }) => {
    const lab = await initialized(anHpa());
    lab.server.create(scaler);
    lab.server.patch(canaryRef, { spec: refTo(ref) });
    await lab.pass(20_000);
    expect(lab.server.find(ofPrimary(hpaRef))).toBeUndefined();
    expect(raw(lab.server.find(ofPrimary(ref)))?.spec.scaleTargetRef.name).toBe(primaryRef.name);
    expect(raw(lab.canary())?.status?.release?.scaler).toBe(`${ref.kind}/${ref.name}`);
  });

  it('the scaler of the target that is not named any more is woken, and its primary goes', async () => {
    const lab = await initialized(aScaledObject());
    lab.server.patch(canaryRef, { spec: { autoscalerRef: null } });
    await lab.pass(20_000);
    expect([annotation(lab, soRef, PAUSED), lab.server.find(ofPrimary(soRef))]).toEqual([undefined, undefined]);
    expect(raw(lab.canary())?.status?.release).not.toHaveProperty('scaler');
  });

  it.each([{ isDown: false }, { isDown: true }])(
    'the copy of a scaler that was deleted before it left the spec is also deleted (Serin down: $isDown)',
    async ({ isDown }) => {
      const lab = await initialized(anHpa());
      lab.server.delete(hpaRef);
      await lab.pass(20_000);
      if (isDown) lab.kill();
      lab.server.patch(canaryRef, { spec: { autoscalerRef: null } });
      if (isDown) lab.start();
      await lab.pass(20_000);
      expect(lab.server.find(ofPrimary(hpaRef))).toBeUndefined();
      expect(raw(lab.canary())?.status?.release).not.toHaveProperty('scaler');
    },
  );

  it('I18: a scaler that leaves the spec and comes back was deleted by no one else', async () => {
    const lab = await initialized(anHpa());
    for (const spec of [{ autoscalerRef: null }, refTo(hpaRef)]) {
      lab.server.patch(canaryRef, { spec });
      await lab.pass(20_000);
    }
    expect([lab.server.find(ofPrimary(hpaRef)) !== undefined, eventsOf(lab, 'DriftCorrected')]).toEqual([true, []]);
  });

  it('a former scaler that is not ours stays', async () => {
    const lab = await initialized(anHpa());
    lab.server.delete(ofPrimary(hpaRef));
    lab.server.create(anHpa(`${APP}-primary`));
    lab.server.patch(canaryRef, { spec: { autoscalerRef: null } });
    await lab.pass(20_000);
    expect(lab.server.find(ofPrimary(hpaRef))).toBeDefined();
  });
});

it.each([
  { asks: 6, gets: 6 },
  { asks: 2, gets: 2 },
])('without a scaler the primary has the $gets pods of the target after a promotion', async ({ asks, gets }) => {
  const lab = await aLab();
  lab.server.create(aModelCanary(plan));
  lab.start();
  await idleIn(lab, 'Initialized');
  expect(replicas(lab, primaryRef)).toBe(4);
  lab.server.patch(targetRef, { spec: { replicas: asks } });
  lab.push('2');
  expect(await idleIn(lab, 'Succeeded')).toBe('Succeeded');
  expect([replicas(lab, primaryRef), lab.lost]).toEqual([gets, []]);
});
