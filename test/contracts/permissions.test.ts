import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type Provider, providers } from '../../src/api/canary.ts';
import { groupOf, type KubeObject, type ObjectRef, refKey, refOf } from '../../src/api/kube-object.ts';
import type { Permission, RbacVerb } from '../../src/api/permission.ts';
import { type Routes, weight } from '../../src/api/routes.ts';
import { readKinds } from '../../src/arrival/kinds.ts';
import {
  dashboardPermissions,
  everyFeature,
  type Features,
  permissionsFor,
  providerPermissions,
} from '../../src/controller/permissions.ts';
import { routerFor } from '../../src/routers/index.ts';

import type { Router } from '../../src/routers/router.ts';
import { renderTemplateRevision } from '../../src/workloads/anchor.ts';
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

/** Objects that a release through it watches, writes and removes: by weights, by match and mirrored, and on deletion. */
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

const VERBS: readonly RbacVerb[] = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];

describe('the role of the controller', () => {
  it.each(providers)('%s has the kinds that its router works with, and may delete those that it removes', (provider) => {
    const permissions = providerPermissions(provider);
    const { watched, removed } = conductOf(provider);
    // A Knative Service can also be the target, and its revisions are watched.
    const alone = permissions.flatMap(({ resources }) => (resources.includes('revisions') ? ['serving.knative.dev/revisions'] : []));
    expect(granted(permissions, 'watch')).toEqual([...watched, ...alone].sort());
    // Objects that arrival reads only for this provider are listed.
    const looked = readKinds.filter((one) => one.providers?.includes(provider)).map(({ group, resource }) => `${group}/${resource}`);
    expect(granted(permissions, 'list')).toEqual([...new Set([...watched, ...alone, ...looked])].sort());
    expect(granted(permissions, 'delete')).toEqual(removed);
  });

  const features: Features = { ...everyFeature, providers: [], scalers: [], metricBackends: [] };
  const verbsOn = (resource: string, changed: Partial<Features>): readonly string[] =>
    permissionsFor({ ...features, ...changed }).flatMap(({ resources, verbs }) => (resources.includes(resource) ? verbs : []));

  it.each([
    { secretsMode: 'watch', configTracking: true, verbs: ['get', 'list', 'watch', 'create', 'delete', 'patch'] },
    { secretsMode: 'watch', configTracking: true, takeOver: false, verbs: ['get', 'list', 'watch', 'create', 'delete'] },
    { secretsMode: 'get', configTracking: true, verbs: ['get', 'create', 'delete', 'patch'] },
    { secretsMode: 'get', configTracking: true, takeOver: false, verbs: ['get', 'create', 'delete'] },
    { secretsMode: 'off', configTracking: true, verbs: ['get'] },
    { secretsMode: 'off', configTracking: true, secretsReferences: false, verbs: [] },
    { secretsMode: 'watch', configTracking: false, verbs: ['get'] },
  ] as const)('with secrets $secretsMode and tracking $configTracking it may $verbs Secrets', ({ verbs, ...changed }) => {
    expect(verbsOn('secrets', changed)).toEqual(verbs);
    expect(verbsOn('configmaps', changed).length > 0).toBe(changed.configTracking);
  });

  it.each([
    { secretsMode: 'watch', rules: ['db: get list watch', 'db-primary: get', 'db-primary: patch', 'all: create'] },
    { secretsMode: 'get', rules: ['db: get', 'db-primary: get', 'db-primary: patch', 'all: create'] },
    { secretsMode: 'off', rules: ['db: get'] },
  ] as const)(
    'with Secrets limited by name, in mode $secretsMode no other Secret can be read, changed or deleted',
    ({ secretsMode, rules }) => {
      const onSecrets = permissionsFor({ ...features, secretsMode, secretsNames: ['db'] }).filter(({ resources }) =>
        resources.includes('secrets'),
      );
      expect(onSecrets.map(({ names = ['all'], verbs }) => `${names.join(' ')}: ${verbs.join(' ')}`)).toEqual(rules);
    },
  );

  it.each([
    // Arrival lists the workloads of a namespace, for all target kinds.
    { kinds: [], resources: { deployments: 'list watch', daemonsets: 'list' } },
    { kinds: ['Deployment'], resources: { deployments: 'list watch get create patch', 'deployments/scale': 'patch', daemonsets: 'list' } },
    { kinds: ['DaemonSet'], resources: { deployments: 'list watch', daemonsets: 'list get watch create patch' } },
  ] as const)('targets of kinds $kinds: no pod template of another kind can be written', ({ kinds, resources }) => {
    const onKinds = ['deployments', 'deployments/scale', 'daemonsets'].flatMap((resource) => {
      const verbs = [...new Set(verbsOn(resource, { kinds }))];
      return verbs.length > 0 ? [[resource, verbs.join(' ')]] : [];
    });
    expect(Object.fromEntries(onKinds)).toEqual(resources);
  });

  const all = permissionsFor(everyFeature);
  /** Those of every rule that has it. */
  const verbsOf = (group: string, resource: string): string =>
    [...new Set(all.filter((rule) => rule.group === group && rule.resources.includes(resource)).flatMap(({ verbs }) => verbs))]
      .toSorted((a, b) => VERBS.indexOf(a) - VERBS.indexOf(b))
      .join(' ');
  const written = 'get list watch create patch';

  const hasVerbs = ({ group, resources, verbs }: { group: string; resources: string[]; verbs: string }): void => {
    for (const resource of resources) expect(verbsOf(group, resource), resource).toBe(verbs);
  };

  // Each of them grants every verb where Flagger is installed. That each of ours is needed: test/e2e/rules.test.ts.
  it.each([
    { group: 'apps', resources: ['deployments', 'daemonsets'], verbs: written },
    { group: 'apps', resources: ['deployments/scale'], verbs: 'patch' },
    { group: 'autoscaling', resources: ['horizontalpodautoscalers'], verbs: `${written} delete` },
    { group: 'networking.k8s.io', resources: ['ingresses'], verbs: `${written} delete` },
    { group: 'extensions', resources: ['ingresses'], verbs: '' },
    { group: 'flagger.app', resources: ['canaries'], verbs: 'get list watch patch' },
    {
      group: 'flagger.app',
      resources: ['canaries/status', 'metrictemplates/status', 'alertproviders/status'],
      verbs: 'patch',
    },
    { group: 'flagger.app', resources: ['metrictemplates'], verbs: 'list watch' },
    { group: 'flagger.app', resources: ['alertproviders'], verbs: 'get' },
    { group: 'networking.istio.io', resources: ['virtualservices'], verbs: written },
    { group: 'networking.istio.io', resources: ['destinationrules'], verbs: `${written} delete` },
    {
      group: 'appmesh.k8s.aws',
      resources: ['virtualnodes', 'virtualrouters', 'virtualservices'],
      verbs: `${written} delete`,
    },
    { group: 'split.smi-spec.io', resources: ['trafficsplits'], verbs: `${written} delete` },
    { group: 'specs.smi-spec.io', resources: ['httproutegroups'], verbs: `${written} delete` },
    { group: 'gloo.solo.io', resources: ['upstreams'], verbs: written },
    { group: 'gateway.solo.io', resources: ['routetables'], verbs: written },
    { group: 'projectcontour.io', resources: ['httpproxies'], verbs: written },
    { group: 'kuma.io', resources: ['trafficroutes'], verbs: `${written} delete` },
    { group: 'gateway.networking.k8s.io', resources: ['httproutes', 'grpcroutes'], verbs: written },
    { group: 'traefik.io', resources: ['traefikservices'], verbs: `${written} delete` },
    { group: 'apisix.apache.org', resources: ['apisixroutes'], verbs: `${written} delete` },
    { group: 'keda.sh', resources: ['scaledobjects'], verbs: `${written} delete` },
    { group: 'metrics.keptn.sh', resources: ['keptnmetrics'], verbs: 'get' },
    { group: 'metrics.keptn.sh', resources: ['analyses'], verbs: 'get create delete' },
    { group: 'serving.knative.dev', resources: ['services'], verbs: 'get list watch patch' },
    { group: 'serving.knative.dev', resources: ['revisions'], verbs: 'list watch' },
    { group: 'external.metrics.k8s.io', resources: ['*'], verbs: 'list' },
  ])('its verbs on $resources of $group are: $verbs', hasVerbs);

  it.each([
    { group: 'policy', resources: ['poddisruptionbudgets'], verbs: `${written} delete` },
    { group: 'networking.k8s.io', resources: ['networkpolicies'], verbs: `${written} delete` },
    { group: 'autoscaling.k8s.io', resources: ['verticalpodautoscalers'], verbs: `${written} delete` },
  ])('I17: its verbs on $resources of $group, which get companions, are: $verbs', hasVerbs);

  it('external metrics can also be read without the chart', () => {
    const text = readFileSync(join(import.meta.dirname, '..', '..', 'kustomize', 'base', 'serin.yaml'), 'utf8');
    const roles = parseAllDocuments(text).map((document): { kind?: string; rules?: { apiGroups: string[]; verbs: string[] }[] } =>
      document.toJS(),
    );
    const rules = roles.filter(({ kind }) => kind === 'ClusterRole').flatMap(({ rules = [] }) => rules);
    expect(rules.filter(({ apiGroups }) => apiGroups.includes('external.metrics.k8s.io')).flatMap(({ verbs }) => verbs)).toContain('list');
  });

  it('no rule on finalizers is needed: its objects do not block the deletion of an owner', () => {
    expect(all.flatMap(({ resources }) => resources).filter((resource) => resource.endsWith('/finalizers'))).toEqual([]);
    const anchor = { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name: 'shop-serin-anchor', uid: 'a' } };
    const { ownerReferences } = renderTemplateRevision(aCanary(), { template: { spec: { containers: [] } } }, 's1:a', 1, anchor).metadata;
    expect(ownerReferences).toMatchObject([{ uid: 'a', controller: true, blockOwnerDeletion: false }]);
  });

  it('the role has no wildcard of groups or verbs, and cannot delete a workload, event or lease', () => {
    for (const { group, verbs } of all) expect([group, ...verbs]).not.toContain('*');
    const deletable = granted(all, 'delete');
    for (const kept of ['apps/deployments', 'apps/daemonsets', '/services', '/events', 'flagger.app/canaries'])
      expect(deletable).not.toContain(kept);
    expect(granted(all, 'update')).toEqual([]);
  });
});

it('the dashboard reads pods, events and what is kept where its users may, and has their rights reviewed in no namespace', () => {
  const rights = (permissions: readonly Permission[]) =>
    permissions.flatMap(({ group, resources, verbs, names }) => resources.map((one) => `${verbs} ${group}/${one} ${names ?? ''}`.trim()));
  expect(rights(dashboardPermissions.views)).toEqual(['list,watch /pods', 'list,watch /events', 'list,watch apps/controllerrevisions']);
  expect(rights(dashboardPermissions.reviews)).toEqual([
    'create authentication.k8s.io/tokenreviews',
    'create authorization.k8s.io/subjectaccessreviews',
  ]);
});
