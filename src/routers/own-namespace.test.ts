import { expect, it } from 'vitest';
import { parsedCanary } from '../../test/fakes/parsed-canary.ts';
import { type Canary, providers } from '../api/canary.ts';
import type { KubeObject, ObjectRef } from '../api/kube-object.ts';
import { refOf } from '../api/kube-object.ts';
import { weight } from '../api/routes.ts';
import { routerFor } from './index.ts';
import { originalConfig } from './original-spec.ts';

const HOSTILE = 'hostile';
const names = ['podinfo', 'podinfo.test', 'test/podinfo', 'podinfo-primary_test_svc_80', '../../test/x', '..'];

const canary = (provider: string, name: string): Canary =>
  parsedCanary(
    {
      provider,
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
      ingressRef: { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name },
      routeRef: { apiVersion: 'apisix.apache.org/v2', kind: 'ApisixRoute', name },
      upstreamRef: { apiVersion: 'gloo.solo.io/v1', kind: 'Upstream', name, namespace: 'test' },
      service: { name, gatewayRefs: [{ name, namespace: 'test' }], hosts: [`${name}.test`], gateways: [`test/${name}`] },
      analysis: { stepWeight: 10 },
    },
    { namespace: HOSTILE, uid: 'own' },
  );

/** An object in a state in which its owner could have left it: labels and originals that name another namespace. */
const found = ({ apiVersion, kind, name, namespace }: ObjectRef): KubeObject => ({
  apiVersion,
  kind,
  metadata: {
    name,
    ...(namespace !== undefined && { namespace }),
    annotations: {
      'serin.dev/canary-uid': 'neighbour',
      [originalConfig]: JSON.stringify({ metadata: { name: 'podinfo', namespace: 'test' }, namespace: 'test', kind: 'Secret' }),
    },
  },
  spec: { namespace: 'test', http: [], rules: [], backends: [], routes: [] },
});

it.each(providers.flatMap((provider) => names.map((name) => ({ provider, name }))))(
  '$provider writes and removes nothing of another namespace for a Canary whose names are $name',
  ({ provider, name }) => {
    const router = routerFor(provider);
    if ('unsupported' in router) throw new Error(router.unsupported);
    const one = canary(provider, name);
    const current = router.watches(one).map(found);
    const changes = [
      () => router.finalize(one, current),
      () =>
        router.render(
          one,
          { selector: { key: 'app', target: 'x', primary: 'x-primary' }, ports: [] },
          { kind: 'weighted', canary: weight(10) },
          current,
        ),
      () =>
        router.render(
          one,
          { selector: { key: 'app', target: 'x', primary: 'x-primary' }, ports: [] },
          { kind: 'weighted', canary: weight(0) },
          [],
        ),
    ].flatMap((change) => {
      try {
        return [change()];
      } catch {
        // Refused: nothing is written.
        return [];
      }
    });
    const touched = changes.flatMap(({ write, remove }) => [...write.map(refOf), ...remove]);
    const elsewhere = touched.filter((ref) =>
      ref.namespace === undefined ? !ref.name.endsWith(`.${HOSTILE}`) : ref.namespace !== HOSTILE,
    );
    expect(elsewhere).toEqual([]);
  },
);
