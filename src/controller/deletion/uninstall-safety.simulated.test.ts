import { expect, it, vi } from 'vitest';
import { anchorRef } from '../../../test/fakes/model/damage.ts';
import { aDeployment, aModelCanary, canaryRef, primaryRef } from '../../../test/fakes/model/lab.ts';
import { GRACE_MS, left, makers, manifests, plan, promoted } from '../../../test/fakes/model/uninstalling.ts';
import { uninstallSinceAnnotation } from '../../api/names.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

it('I7: a target that came back while Serin was down and goes again has a whole grace', async () => {
  const lab = await promoted();
  manifests.canary(lab);
  manifests.target(lab);
  await lab.pass(60_000);
  lab.kill();
  makers.target(lab);
  await lab.pass(GRACE_MS);
  lab.start();
  const isRecorded = () => lab.server.find(anchorRef)?.metadata.annotations?.[uninstallSinceAnnotation] !== undefined;
  for (let passed = 0; isRecorded() && passed < 50; passed += 1) await lab.pass(100);
  expect(isRecorded(), 'Serin has seen that it is back').toBe(false);
  manifests.target(lab);
  await lab.pass(GRACE_MS - 30_000);
  expect(lab.answering()).toEqual([primaryRef.name]);
  await lab.pass(60_000);
  expect(left(lab)).toEqual(['Service/podinfo']);
});

it('I7: the grace of an anchor that was restored from a backup begins when it is found', async () => {
  const lab = await promoted();
  manifests.canary(lab);
  manifests.target(lab);
  await lab.pass(60_000);
  lab.kill();
  const { uid: _, resourceVersion: _v, creationTimestamp: _t, ...metadata } = lab.server.find(anchorRef)?.metadata ?? { name: '' };
  const anchor = { ...lab.server.find(anchorRef), apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata };
  // A tool restores it without uid and owners.
  lab.server.patch(primaryRef, { metadata: { ownerReferences: null } });
  lab.server.delete(anchorRef);
  await lab.pass(GRACE_MS);
  lab.server.create(anchor);
  expect(lab.server.find(anchorRef)?.metadata.annotations).toHaveProperty('serin.dev/uninstall-since');
  lab.start();
  await lab.pass(GRACE_MS - 30_000);
  expect(lab.server.find(anchorRef)).toBeDefined();
  await lab.pass(60_000);
  expect(lab.server.find(anchorRef)).toBeUndefined();
});

it('I7: a target that is just being replaced when Serin comes back after the grace keeps its primary', async () => {
  const lab = await promoted();
  manifests.canary(lab);
  manifests.target(lab);
  await lab.pass(60_000);
  lab.kill();
  await lab.pass(GRACE_MS);
  lab.start();
  await lab.pass(15_000);
  expect(lab.answering()).toEqual([primaryRef.name]);
  makers.target(lab);
  await lab.pass(120_000);
  expect(left(lab)).toEqual(['Deployment/podinfo', 'Service/podinfo']);
});

it('I7: a Canary of another name on the same target keeps the primary until it is also deleted', async () => {
  const lab = await promoted();
  const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'podinfo' };
  manifests.target(lab);
  manifests.canary(lab);
  lab.server.create(aModelCanary(plan, { targetRef, service: { name: 'podinfo', port: 80, targetPort: 'http' } }, 'other'));
  await lab.pass(2 * GRACE_MS);
  expect(lab.answering()).toEqual([primaryRef.name]);
  lab.server.delete({ ...canaryRef, name: 'other' });
  await lab.pass(GRACE_MS - 30_000);
  expect(lab.answering()).toEqual([primaryRef.name]);
  await lab.pass(60_000);
  expect(left(lab)).toEqual(['Service/podinfo']);
});

it('I7: a Canary whose target was edited is none that was deleted while Serin was down', async () => {
  const lab = await promoted();
  lab.kill();
  lab.server.create(aDeployment('7', 'next'));
  lab.server.patch(canaryRef, {
    spec: { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'next' }, service: { name: 'podinfo' } },
  });
  manifests.target(lab);
  lab.start();
  await lab.pass(2 * GRACE_MS);
  expect(lab.server.find(primaryRef)).toBeDefined();
});
