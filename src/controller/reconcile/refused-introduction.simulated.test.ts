import { expect, it, vi } from 'vitest';
import { initialize } from '../../../test/fakes/model/initialize.ts';
import { APP, aModelCanary, canaryRef, NAMESPACE, primaryRef } from '../../../test/fakes/model/lab.ts';
import { labWithApp } from '../../../test/fakes/model/life.ts';
import { raw } from '../../../test/fakes/raw.ts';
import { ApiError } from '../../kube/errors.ts';
import { INTRODUCTION } from '../../routers/introduction.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const proxyRef = { apiVersion: 'projectcontour.io/v1', kind: 'HTTPProxy', name: APP, namespace: NAMESPACE };

it('DF650: routes are taken over and restored without the rule that no request matches, if a policy refuses it', async () => {
  const lab = await labWithApp();
  const { name, namespace } = proxyRef;
  const spec = { routes: [{ services: [{ name: APP, port: 80 }] }] };
  lab.server.create({ apiVersion: proxyRef.apiVersion, kind: proxyRef.kind, metadata: { name, namespace }, spec });
  let refused = 0;
  lab.refuse = ({ body }) => {
    if (!JSON.stringify(body).includes(INTRODUCTION)) return;
    refused += 1;
    throw new ApiError('admission webhook denied the request', { status: 403, reason: 'Forbidden' });
  };
  await initialize(lab, aModelCanary({ stepWeight: 25, maxWeight: 50 }, { provider: 'contour' }));
  const services = () => raw(lab.server.find(proxyRef))?.spec.routes[0].services.map((each: { name: string }) => each.name);
  expect(services()).toContain(`${APP}-primary`);
  const atTakeover = refused;
  expect(atTakeover).toBeGreaterThan(0);
  lab.server.delete(canaryRef);
  expect(await lab.passUntil(() => lab.server.find(primaryRef) === undefined, 120_000)).toBe(true);
  expect(services()).toEqual([APP]);
  expect(refused).toBeGreaterThan(atTakeover);
});
