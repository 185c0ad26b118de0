import { expect, it } from 'vitest';
import { parsedCanary } from '../../test/fakes/parsed-canary.ts';
import { type Canary, providers } from '../api/canary.ts';
import { findings } from '../api/findings.ts';
import { weight } from '../api/routes.ts';
import { routerFor } from './index.ts';
import { originalConfig } from './original-spec.ts';

const planted = { hosts: ['api.other'], virtualhost: { fqdn: 'api.other' }, hostnames: ['api.other'] };
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
const annotations = { [originalConfig]: JSON.stringify(planted), [lastApplied]: JSON.stringify({ spec: planted }), mine: 'kept' };

const canary = (provider: string): Canary =>
  parsedCanary(
    {
      provider,
      ingressRef: { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'podinfo' },
      routeRef: { apiVersion: 'apisix.apache.org/v2', kind: 'ApisixRoute', name: 'podinfo' },
      service: { meshName: 'm', gatewayRefs: [{ name: 'edge' }], apex: { annotations } },
      analysis: { stepWeight: 10 },
    },
    { uid: 'own' },
  );

it.each(providers)('DF615: %s restores no spec on deletion that service.apex planted in annotations', (provider) => {
  const router = routerFor(provider);
  if ('unsupported' in router) throw new Error(router.unsupported);
  const one = canary(provider);
  const apex = { selector: { key: 'app', target: 'podinfo', primary: 'podinfo-primary' }, ports: [] };
  let made: ReturnType<typeof router.render>['write'] = [];
  try {
    made = router.render(one, apex, { kind: 'weighted', canary: weight(10) }, []).write;
  } catch {
    // It needs an object of the user's, whose annotations are no part of the Canary.
  }
  expect(JSON.stringify(router.finalize(one, made))).not.toContain('api.other');
  expect(JSON.stringify(made)).not.toContain('api.other');
});

it('DF615: an annotation that is left out is named', () => {
  const found = findings(canary('istio'), { provider: 'istio' }).filter(({ path }) => path.startsWith('spec.service.apex'));
  expect(found.map(({ severity, isIgnored, path }) => ({ severity, isIgnored, path }))).toEqual(
    [originalConfig, lastApplied].map((key) => ({ severity: 'warning', isIgnored: true, path: `spec.service.apex.annotations["${key}"]` })),
  );
});
