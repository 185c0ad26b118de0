import { expect, it, vi } from 'vitest';
import { APP, aModelCanary, canaryRef, NAMESPACE, primaryRef, targetRef } from '../../../test/fakes/model/lab.ts';
import { labWithApp } from '../../../test/fakes/model/life.ts';
import { raw } from '../../../test/fakes/raw.ts';

vi.setConfig({ testTimeout: 60_000 });

const virtualService = { apiVersion: 'networking.istio.io/v1beta1', kind: 'VirtualService', name: APP, namespace: NAMESPACE };
const route = { destination: { host: APP } };

const cells = [true, false].flatMap((isFound) => ['while idle', 'in a release'].map((when) => ({ isFound, when })));

it.each(cells)(
  'E113, I7: a Canary that is deleted after an edit of its provider $when leaves no route to its sides (VirtualService found in place: $isFound)',
  async ({ isFound, when }) => {
    const lab = await labWithApp();
    const backend = { service: { name: APP, port: { number: 80 } } };
    lab.server.create({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'shop', namespace: NAMESPACE },
      spec: { rules: [{ http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }] },
    });
    if (isFound)
      lab.server.create({
        ...virtualService,
        metadata: { name: APP, namespace: NAMESPACE },
        spec: { hosts: [APP], http: [{ route: [route] }] },
      });
    lab.server.create(aModelCanary({ stepWeight: 25, maxWeight: 50 }, { provider: 'istio' }));
    lab.start();
    await lab.passUntil(() => lab.phase() === 'Initialized' && raw(lab.server.find(targetRef))?.spec.replicas === 0, 120_000);
    if (when === 'in a release') {
      lab.push('2');
      expect(await lab.passUntil(() => raw(lab.canary())?.status?.canaryWeight === 25, 120_000)).toBe(true);
    }
    const ingressRef = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'shop' };
    lab.server.patch(canaryRef, { spec: { provider: 'nginx', ingressRef } });
    await lab.pass(15_000);
    lab.server.delete(canaryRef);
    await lab.pass(120_000);
    if (when === 'in a release') {
      expect([lab.answering(), lab.lost]).toEqual([[primaryRef.name], []]); // I19
      lab.push('1');
      await lab.pass(120_000);
    }
    const left = raw(lab.server.find(virtualService))?.spec.http[0].route;
    expect([left, lab.answering(), lab.lost]).toEqual([isFound ? [route] : undefined, [APP], []]);
  },
);

it('E113: a release goes on by its new provider when the routes of the one before are deleted by hand', async () => {
  const lab = await labWithApp();
  const backend = { service: { name: APP, port: { number: 80 } } };
  lab.server.create({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'shop', namespace: NAMESPACE },
    spec: { rules: [{ http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }] },
  });
  lab.server.create(aModelCanary({ stepWeight: 25, maxWeight: 50 }, { provider: 'istio' }));
  lab.start();
  await lab.passUntil(() => lab.phase() === 'Initialized' && raw(lab.server.find(targetRef))?.spec.replicas === 0, 120_000);
  lab.push('2');
  expect(await lab.passUntil(() => raw(lab.canary())?.status?.canaryWeight === 25, 120_000)).toBe(true);
  const ingressRef = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'shop' };
  lab.server.patch(canaryRef, { spec: { provider: 'nginx', ingressRef } });
  await lab.pass(5_000);
  expect(raw(lab.canary())?.status?.release?.leftRoutes).toMatchObject([{ provider: 'istio' }]);
  lab.server.delete(virtualService);
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
  expect([lab.server.find(virtualService), lab.lost]).toEqual([undefined, []]);
});
