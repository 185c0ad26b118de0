import { describe, expect, it } from 'vitest';
import type { ObjectRef } from '../../src/api/kube-object.ts';
import { raw } from '../fakes/raw.ts';
import { startController } from '../scenarios/controller.ts';
import { anEnvironment } from '../scenarios/environment.ts';
import { startRemoteMeshEnvironment } from '../scenarios/remote-mesh.ts';
import { APP, Scenario } from '../scenarios/scenario.ts';
import { until } from '../scenarios/until.ts';
import { enterVirtual } from '../scenarios/world.ts';

enterVirtual(47);

const route = (namespace: string): ObjectRef => ({
  apiVersion: 'networking.istio.io/v1beta1',
  kind: 'VirtualService',
  name: APP,
  namespace,
});
const METRICS = { metrics: [{ name: 'request-success-rate', interval: '5s', thresholdRange: { min: 99 } }] };

describe('routes in another cluster (--kubeconfig-service-mesh)', () => {
  const environment = anEnvironment(startRemoteMeshEnvironment);

  it('a release moves the weights there, heals them there, has no owners there, and leaves nothing there when its Canary goes', async () => {
    const { remote, remoteKubeconfigFile, remoteRequestCounts, requestCounts, cluster } = environment();
    const controller = startController(environment(), { 'kubeconfig-service-mesh': remoteKubeconfigFile });
    const namespace = 'remote-mesh';
    await remote.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const scenario = await Scenario.begin(environment(), controller, namespace);
    const { given, when, then, hooks } = scenario;
    try {
      await given.aDeployment();
      given.users();
      hooks.answers('finish', 403);
      await given.aCanary({
        stepWeights: [30],
        webhooks: [{ name: 'finish', type: 'confirm-promotion', url: hooks.url('finish') }],
        ...METRICS,
      });
      await when.imageChanges('2');
      await then.canaryIs('WaitingPromotion');
      const held = await remote.get(route(namespace));
      expect(raw(held)?.spec.http[0].route.map(({ weight }: { weight: number }) => weight)).toEqual([70, 30]);
      expect(held?.metadata.ownerReferences).toBeUndefined();
      // Its watch also runs: drift is seen.
      const sides = raw(held)?.spec.http[0].route.map((side: object) => ({ ...side, weight: 50 }));
      await remote.patch(route(namespace), { spec: { http: [{ ...raw(held)?.spec.http[0], route: sides }] } });
      await until(remote, route(namespace), 'has its weights again', (now) => raw(now)?.spec.http[0]?.route[1]?.weight === 30);
      when.gateOpens('finish');
      await then.releaseEnds('Succeeded');
      await then.everyoneGets('2');

      await when.canaryIsDeleted();
      await then.isGone('apps/v1', 'Deployment', `${APP}-primary`);
      await then.everyoneGets('2');
      then.nothingWasLost();
      for (const kind of ['VirtualService', 'DestinationRule'])
        expect((await remote.list({ apiVersion: route(namespace).apiVersion, kind, namespace })).items).toEqual([]);
      expect(Object.keys(requestCounts()).filter((request) => /virtualservice|destinationrule/.test(request))).toEqual([]);
      expect(
        Object.keys(remoteRequestCounts()).filter((request) => !/virtualservices|destinationrules|^get \/apis(\/|$)/.test(request)),
      ).toEqual([]);
    } finally {
      await scenario.end();
      await controller.stop();
    }
    expect(await cluster.get({ apiVersion: 'v1', kind: 'Service', name: APP, namespace })).toBeDefined();
  });

  it('routes there go with their namespace here', async () => {
    const { remote, remoteKubeconfigFile, cluster } = environment();
    const controller = startController(environment(), { 'kubeconfig-service-mesh': remoteKubeconfigFile });
    const namespace = 'remote-mesh-gone';
    await remote.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const scenario = await Scenario.begin(environment(), controller, namespace);
    try {
      await scenario.given.aDeployment();
      await scenario.given.aCanary({ stepWeight: 50 });
      await until(remote, route(namespace), 'is there', (now) => now !== undefined);
      await cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
      await until(remote, route(namespace), 'is gone', (now) => now === undefined);
    } finally {
      await scenario.end();
      await controller.stop();
    }
  });
});
