import { expect, it } from 'vitest';
import { type Raw, raw } from '../../../test/fakes/raw.ts';
import { aCanary } from '../../../test/fakes/world.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { isIntroduction } from '../../routers/introduction.ts';
import { ControllerConfig } from '../config.ts';
import { type DeletionDeps, moveTraffic } from './move-traffic.ts';

const NAMESPACE = 'test';
const service = (name: string, app: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: NAMESPACE, uid: name, resourceVersion: '1' },
  spec: { selector: { app }, ports: [{ name: 'http', port: 80 }] },
});

it("I19: a user's HTTPProxy that a tool put back leads to the kept primary of a core Service, once proxies know the primary", async () => {
  const canary = aCanary(
    {},
    { provider: 'contour', targetRef: { apiVersion: 'v1', kind: 'Service', name: 'podinfo' }, service: { port: 80 } },
  );
  const proxy: KubeObject = {
    apiVersion: 'projectcontour.io/v1',
    kind: 'HTTPProxy',
    metadata: { name: 'podinfo', namespace: NAMESPACE, resourceVersion: '1' },
    spec: {
      virtualhost: { fqdn: 'shop.example.org' },
      routes: [{ conditions: [{ prefix: '/' }], services: [{ name: 'podinfo', port: 80 }] }],
    },
  };
  const primary = service('podinfo-primary', 'stable');
  const objects = [proxy, primary, service('podinfo', 'new')];
  const specs: Raw[] = [];
  const find = ({ kind, name }: ObjectRef) => objects.find((object) => object.kind === kind && object.metadata.name === name);
  const cluster = {
    get: async (ref: ObjectRef) => find(ref),
    patch: async (ref: ObjectRef, patch: object) => {
      const object = find(ref);
      if (ref.kind === 'HTTPProxy' && object && 'spec' in patch) specs.push(raw(Object.assign(object, { spec: patch.spec })).spec);
      return object;
    },
  };
  const sleeps: number[] = [];
  const deps = {
    cluster: cluster as unknown as Cluster,
    view: { find: (ref: ObjectRef) => ({ object: find(ref) }), learn: () => {} },
    config: ControllerConfig.parse({}),
    clock: {
      setTimer: (ms: number, fn: () => void) => {
        sleeps.push(ms);
        fn();
        return () => {};
      },
    },
    signal: new AbortController().signal,
  } as unknown as DeletionDeps;

  await moveTraffic(canary, primary, { side: 'primary', anchor: { ...primary, kind: 'ControllerRevision' } }, deps);

  const [announced, moved] = specs;
  expect([announced?.routes.some(isIntroduction), moved?.routes.some(isIntroduction), sleeps]).toEqual([true, false, [2_000]]);
  expect(moved?.routes[0].services).toMatchObject([
    { name: 'podinfo-primary', weight: 100 },
    { weight: 0 },
    { name: 'podinfo', weight: 0 },
  ]);
});
