import { describe, expect, it } from 'vitest';
import { APP, aModelCanary, canaryRef, primaryRef, targetRef } from '../../../test/fakes/model/lab.ts';
import {
  aLab,
  anHpa,
  aScaledObject,
  hpaRef,
  idleIn,
  initialized,
  kedaCrd,
  messagesOf,
  ofPrimary,
  plan,
  refTo,
  replicas,
  soRef,
} from '../../../test/fakes/model/scaled.ts';
import { raw } from '../../../test/fakes/raw.ts';

describe('missing and forbidden scalers', () => {
  it('a scaler that does not exist is named, the application goes on, and so does Serin when it comes', async () => {
    const lab = await aLab();
    lab.server.create(aModelCanary(plan, refTo(hpaRef)));
    lab.start();
    await lab.pass(120_000);
    expect(messagesOf(lab)).toContain('spec.autoscalerRef: HorizontalPodAutoscaler podinfo does not exist');
    expect([lab.answering(), replicas(lab)]).toEqual([[APP], 4]);
    lab.server.create(anHpa());
    expect(await idleIn(lab, 'Initialized')).toBe('Initialized');
    expect([lab.answering(), lab.lost]).toEqual([[primaryRef.name], []]);
  });

  it('without KEDA in the cluster the same, until its CRD is installed', async () => {
    const lab = await aLab({ keda: false });
    lab.server.create(aModelCanary(plan, refTo(soRef)));
    lab.start();
    await lab.pass(60_000);
    expect(messagesOf(lab)).toContain('the cluster has no ScaledObject in keda.sh/v1alpha1: install its CRD');
    expect([lab.answering(), replicas(lab)]).toEqual([[APP], 4]);
    lab.server.create(kedaCrd);
    lab.server.create(aScaledObject());
    await lab.pass(120_000);
    expect(await idleIn(lab, 'Initialized')).toBe('Initialized');
  });

  it('a scaler that is deleted in the middle of a release does not keep it from being rolled back', async () => {
    const lab = await initialized(anHpa(), {}, { threshold: 1, metrics: [{ name: 'request-success-rate', thresholdRange: { min: 99 } }] });
    lab.push('2');
    await lab.passUntil(() => raw(lab.canary())?.status?.canaryWeight === 50, 60_000);
    lab.server.delete(hpaRef);
    lab.server.patch(targetRef, {
      spec: { template: { spec: { containers: [{ name: 'web', image: '1', ports: [{ name: 'http', containerPort: 9898 }] }] } } },
    });
    await lab.pass(60_000);
    expect([raw(lab.canary())?.status?.canaryWeight, lab.answering()]).toEqual([0, [primaryRef.name]]);
    expect(messagesOf(lab)).toContain('HorizontalPodAutoscaler podinfo does not exist');
  });

  it('a scaler of the user with the name of ours is refused, unless it is handed over', async () => {
    const lab = await aLab();
    lab.server.create(anHpa());
    const theirs = anHpa(`${APP}-primary`, { minReplicas: 7 });
    lab.server.create(theirs);
    lab.server.create(aModelCanary(plan, refTo(hpaRef)));
    lab.start();
    await lab.pass(60_000);
    expect(messagesOf(lab)).toContain('HorizontalPodAutoscaler podinfo-primary exists and is not ours');
    expect([raw(lab.server.find(ofPrimary(hpaRef)))?.spec.minReplicas, lab.answering()]).toEqual([7, [APP]]);
    lab.server.patch(ofPrimary(hpaRef), { metadata: { annotations: { 'serin.dev/adopt': 'true' } } });
    expect(await idleIn(lab, 'Initialized')).toBe('Initialized');
    lab.push('2');
    expect(await idleIn(lab, 'Succeeded')).toBe('Succeeded');
    expect(lab.server.find(ofPrimary(hpaRef))?.spec).toMatchObject({ minReplicas: 2, scaleTargetRef: { name: primaryRef.name } });
  });

  it('a query that was not rewritten is reported by a condition, which ends with its cause', async () => {
    const triggers = [{ type: 'prometheus', metadata: { query: 'rq{app="cart"}', threshold: '5' } }];
    const lab = await initialized(aScaledObject({}, { triggers }));
    const warning = () => raw(lab.canary())?.status?.conditions?.find(({ type }: { type: string }) => type === 'ScalerWarning');
    expect(warning()).toMatchObject({ status: 'True', message: expect.stringContaining('does not name podinfo') });
    lab.server.patch(canaryRef, { spec: { autoscalerRef: { primaryScalerQueries: {} } } });
    await lab.pass(10_000);
    expect(warning()).toBeUndefined();
  });
});
