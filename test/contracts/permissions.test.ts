import { describe, expect, it } from 'vitest';
import { type Provider, providers } from '../../src/api/canary.ts';
import { type KubeObject, type ObjectRef, refKey, refOf } from '../../src/api/kube-object.ts';
import type { Permission } from '../../src/api/permission.ts';
import { type Routes, weight } from '../../src/api/routes.ts';
import { type Features, permissionsFor, providerPermissions } from '../../src/controller/permissions.ts';
import { routerFor } from '../../src/routers/index.ts';
import { groupOf } from '../../src/routers/mesh-kinds.ts';
import type { Router } from '../../src/routers/router.ts';
import { routerCases } from './routers/index.ts';
import { aCanary, anApex } from './routers-cases.ts';

const pluralOf = (kind: string): string => `${kind.toLowerCase()}${/[xys]$/.test(kind) ? 'es' : 's'}`.replace(/yes$/, 'ies');
const kindOf = ({ apiVersion, kind }: ObjectRef): string =>
  `${groupOf(apiVersion)}/${kind === 'HTTPProxy' ? 'httpproxies' : pluralOf(kind)}`;
const granted = (permissions: readonly Permission[], verb: Permission['verbs'][number]): string[] =>
  permissions.flatMap(({ group, resources, verbs }) => (verbs.includes(verb) ? resources.map((one) => `${group}/${one}`) : [])).sort();
const distinct = (refs: readonly ObjectRef[]): string[] => [...new Set(refs.map(kindOf))].sort();

function routerOf(provider: Provider): Router {
  const router = routerFor(provider);
  if ('unsupported' in router) throw new Error(router.unsupported);
  return router;
}

/** What a release through it watches, writes and removes: by weights, by match and mirrored, and when the Canary goes. */
function conductOf(provider: Provider): { watched: string[]; removed: string[] } {
  const router = routerOf(provider);
  const known = routerCases[provider];
  const { headerMatch, mirroring } = router.supports;
  const match = [{ headers: { 'x-user': { exact: 'insider' } } }];
  const asCanary = (service: object, analysis: object) =>
    aCanary({ ...known?.spec, service: { ...known?.service, ...service }, analysis: { interval: '1m', threshold: 5, ...analysis } });
  const weighted = asCanary({}, { stepWeight: 10 });
  const played: { canary: ReturnType<typeof asCanary>; routes: Routes }[] = [
    ...(headerMatch ? [{ canary: asCanary({}, { iterations: 2, match }), routes: { kind: 'matched', match } as const }] : []),
    ...(mirroring ? [{ canary: weighted, routes: { kind: 'mirrored', share: weight(100) } as const }] : []),
    { canary: weighted, routes: { kind: 'weighted', canary: weight(50) } },
  ];
  let current: KubeObject[] = [...(known?.inPlace ?? [])];
  const [watched, removed]: [ObjectRef[], ObjectRef[]] = [[], []];
  const holds = (objects: readonly KubeObject[]) => {
    const written = new Set(objects.map((object) => refKey(refOf(object))));
    current = [...current.filter((object) => !written.has(refKey(refOf(object)))), ...objects];
  };
  for (const { canary, routes } of played) {
    watched.push(...router.watches(canary), ...(router.prepare?.(canary, anApex) ?? []).map(refOf));
    holds(router.prepare?.(canary, anApex) ?? []);
    if (router.supports.weights) {
      const change = router.render(canary, anApex, routes, current);
      holds(change.write);
      removed.push(...change.remove);
    }
    removed.push(...router.finalize(canary, current).remove);
  }
  // A GRPCRoute takes the place of an HTTPRoute.
  if (provider.startsWith('gatewayapi')) watched.push(...router.watches(asCanary({ appProtocol: 'grpc' }, { stepWeight: 10 })));
  return { watched: distinct(watched), removed: distinct(removed) };
}

describe('the role of the controller', () => {
  it.each(providers)('06-F11: %s has the kinds that its router works with, and may delete those that it removes', (provider) => {
    const permissions = providerPermissions(provider);
    const { watched, removed } = conductOf(provider);
    // A Knative Service is the target, too, whose revisions are watched.
    const alone = permissions.flatMap(({ resources }) => (resources.includes('revisions') ? ['serving.knative.dev/revisions'] : []));
    for (const verb of ['list', 'watch'] as const) expect(granted(permissions, verb)).toEqual([...watched, ...alone].sort());
    expect(granted(permissions, 'delete')).toEqual(removed);
  });

  const features: Features = { providers: [], configTracking: true, secretsMode: 'watch', scalers: [], metricBackends: [] };
  const verbsOn = (resource: string, changed: Partial<Features>): readonly string[] =>
    permissionsFor({ ...features, ...changed }).flatMap(({ resources, verbs }) => (resources.includes(resource) ? verbs : []));

  it.each([
    { secretsMode: 'watch', configTracking: true, verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
    { secretsMode: 'get', configTracking: true, verbs: ['get', 'create', 'patch', 'delete'] },
    { secretsMode: 'off', configTracking: true, verbs: ['get'] },
    { secretsMode: 'watch', configTracking: false, verbs: ['get'] },
  ] as const)('06-RB20: with secrets $secretsMode and tracking $configTracking it may $verbs Secrets', ({ verbs, ...changed }) => {
    expect(verbsOn('secrets', changed)).toEqual(verbs);
    expect(verbsOn('configmaps', changed).length > 0).toBe(changed.configTracking);
  });

  it('06-RB1: nothing is granted on a wildcard of groups or verbs, and no workload, event or lease may be deleted', () => {
    const everything = permissionsFor({
      ...features,
      providers,
      scalers: ['HorizontalPodAutoscaler', 'ScaledObject'],
      metricBackends: ['keptn', 'externalmetrics'],
    });
    for (const { group, verbs } of everything) expect([group, ...verbs]).not.toContain('*');
    const deletable = granted(everything, 'delete');
    for (const kept of ['apps/deployments', 'apps/daemonsets', '/services', '/events', 'flagger.app/canaries'])
      expect(deletable).not.toContain(kept);
    expect(granted(everything, 'update')).toEqual([]);
  });
});
