import { expect, it } from 'vitest';
import { Canary } from '../../api/canary.ts';
import { type KubeObject, type ObjectRef, refKey, refOf } from '../../api/kube-object.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { ControllerConfig } from '../config.ts';
import { removeRoutesElsewhere } from './restore-routes.ts';

const canary = (spec: object): Canary =>
  Canary.parse({
    apiVersion: 'flagger.app/v1beta1',
    kind: 'Canary',
    metadata: { name: 'podinfo', namespace: 'hostile', uid: 'own', generation: 1, resourceVersion: '1' },
    spec: {
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'podinfo' },
      analysis: { interval: '10s', threshold: 1 },
      service: { port: 80 },
      ...spec,
    },
  });
const kuma = (name: string, uid: string, side = 'podinfo-primary_test_svc_80'): KubeObject => ({
  apiVersion: 'kuma.io/v1alpha1',
  kind: 'TrafficRoute',
  metadata: { name, annotations: { 'serin.dev/canary-uid': uid } },
  spec: { conf: { split: [{ weight: 100, destination: { 'kuma.io/service': side } }] } },
});
const upstream = (namespace: string): KubeObject => ({
  apiVersion: 'gloo.solo.io/v1',
  kind: 'Upstream',
  metadata: { name: 'test-podinfo-primaryupstream-80', namespace, annotations: { 'serin.dev/canary-uid': 'neighbour' } },
});

/** The objects left when the Canary's namespace goes, and the writes. */
async function after(spec: object, objects: readonly KubeObject[]): Promise<{ left: string[]; written: string[] }> {
  const held = new Map(objects.map((object) => [refKey(refOf(object)), object]));
  const written: string[] = [];
  const cluster = {
    get: async (ref: ObjectRef) => held.get(refKey(ref)),
    delete: async (ref: ObjectRef) => void held.delete(refKey(ref)),
    apply: async (object: KubeObject) => {
      written.push(refKey(refOf(object)));
      return object;
    },
  } as unknown as Cluster;
  const config = ControllerConfig.parse({ remoteRoutes: true });
  await removeRoutesElsewhere(canary(spec), { cluster, config, signal: new AbortController().signal });
  return { left: [...held.values()].map(({ metadata }) => metadata.name), written };
}

it.each([
  { what: 'of another uid', uid: 'neighbour' },
  // A uid is not secret, and a forged anchor can hold any.
  { what: 'with a uid that was copied', uid: 'own' },
])("a service.name that spells a neighbour's TrafficRoute, $what, takes it from no one", async ({ uid }) => {
  const route = kuma('podinfo.test', uid);
  expect(await after({ provider: 'kuma', service: { name: 'podinfo.test', port: 80 } }, [route])).toEqual({
    left: ['podinfo.test'],
    written: [],
  });
});

it("an upstreamRef that names a neighbour's generated Upstream takes it from no one", async () => {
  const upstreamRef = { apiVersion: 'gloo.solo.io/v1', kind: 'Upstream', name: 'test-podinfo-primaryupstream-80', namespace: 'test' };
  expect(await after({ provider: 'gloo', upstreamRef }, [upstream('test')])).toEqual({
    left: ['test-podinfo-primaryupstream-80'],
    written: [],
  });
});

it.each([
  { what: 'leads to our Services', side: 'podinfo-primary_hostile_svc_80', uid: 'own' },
  { what: 'was edited to lead elsewhere', side: 'elsewhere', uid: 'own' },
  { what: 'was made for the Canary of this name before', side: 'elsewhere', uid: 'earlier' },
])('our own TrafficRoute that $what goes', async ({ side, uid }) => {
  expect(await after({ provider: 'kuma' }, [kuma('podinfo.hostile', uid, side)])).toEqual({ left: [], written: [] });
});
