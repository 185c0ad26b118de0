import { expect, it, vi } from 'vitest';
import { APP, aDeployment, aModelCanary, canaryRef, type ModelLab } from '../../test/fakes/model/lab.ts';
import { labWithApp } from '../../test/fakes/model/life.ts';
import { raw } from '../../test/fakes/raw.ts';
import { reasonOfStaleness } from './readiness.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const OTHER = 'other';

function unready({ controller }: ModelLab): string | undefined {
  return controller && reasonOfStaleness([{ controller, hasRead: true }]);
}

/** A Canary that serves, beside one of a provider whose CRD is missing. */
async function besideMissingKind(): Promise<ModelLab> {
  const lab = await labWithApp(3);
  lab.server.delete({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: 'httpproxies.projectcontour.io' });
  lab.server.create(aDeployment('1', OTHER));
  lab.server.create(aModelCanary({ stepWeight: 50 }));
  lab.server.create(aModelCanary({ stepWeight: 50 }, { provider: 'contour' }, OTHER));
  lab.start();
  await lab.pass(600_000);
  return lab;
}

it('a missing kind is a condition of its Canary, and does not make the controller unready', async () => {
  const lab = await besideMissingKind();
  expect([unready(lab), lab.phase()]).toEqual([undefined, 'Initialized']);
  expect(raw(lab.canary(OTHER))?.status?.conditions[0].message).toContain('HTTPProxy');
});

it('with the last Canary that wants a kind its watch ends', async () => {
  const lab = await besideMissingKind();
  const asked = () => lab.lookedFor.filter((kind) => kind === 'HTTPProxy').length;
  lab.server.delete({ ...canaryRef, name: OTHER });
  await lab.pass(600_000);
  const before = asked();
  expect(before).toBeGreaterThan(0);
  await lab.pass(600_000);
  expect([unready(lab), asked()]).toEqual([undefined, before]);
  // Another Canary of the kind opens it again.
  lab.server.create(aModelCanary({ stepWeight: 50 }, { provider: 'contour' }, OTHER));
  await lab.pass(60_000);
  expect(asked()).toBeGreaterThan(before);
});

it('an edit of the provider also ends the watch of the former provider', async () => {
  const lab = await besideMissingKind();
  lab.server.patch({ ...canaryRef, name: OTHER }, { spec: { provider: 'istio' } });
  expect(await lab.passUntil(() => lab.phase(OTHER) === 'Initialized', 120_000)).toBe(true);
  await lab.pass(120_000);
  const before = lab.lookedFor.length;
  await lab.pass(600_000);
  expect([unready(lab), lab.lookedFor.length]).toEqual([undefined, before]);
});

it('a watch that is open and silent makes it unready', async () => {
  const lab = await besideMissingKind();
  expect(lab.controller?.staleWatches(0)).toEqual([]);
  lab.isSilent = (kind) => kind === 'VirtualService';
  expect(unready(lab)).toMatch(/the watch of .*VirtualService has been silent for \d+ s/);
  // Its Canary is gone, and with it the watch.
  lab.server.delete(canaryRef);
  expect(await lab.passUntil(() => unready(lab) === undefined, 300_000)).toBe(true);
  expect(lab.canary(APP)).toBeUndefined();
});
