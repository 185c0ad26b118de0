import type { Canary } from '../../src/api/canary.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { names } from '../../src/api/names.ts';
import { type Routes, weight } from '../../src/api/routes.ts';
import { type LaggedView, laggedView } from '../../src/embedded/mesh/lagged-view.ts';
import { parseHost } from '../../src/embedded/mesh/request.ts';
import type { ResolvedRoute } from '../../src/embedded/mesh/resolved-route.ts';
import { resolvers } from '../../src/embedded/mesh/resolvers.ts';
import { routerFor } from '../../src/routers/index.ts';
import type { ProviderFixture } from '../scenarios/providers/provider-fixture.ts';
import { anApex } from './routers-cases.ts';

export const namespace = 'prod';
/** The application by its apex Service, which its users know; the workload can have another name. */
export const appOf = (canary: Canary) => ({ name: names(canary).apexService, namespace });
/** Two ready sides behind their Services, the second of the workload that is under analysis. */
function sides(canary: Canary): KubeObject[] {
  const { apexService, primaryService, canaryService, primary, target } = names(canary);
  return [
    { service: apexService, workload: primary, label: 'shop-primary' },
    { service: primaryService, workload: primary, label: 'shop-primary' },
    { service: canaryService, workload: target, label: 'shop' },
  ].flatMap(({ service, label }, index): KubeObject[] => [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: service, namespace: namespace },
      spec: { selector: { app: label }, ports: [{ name: 'http', port: canary.spec.service.port, targetPort: 8080 }] },
    },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: `${service}-1`, namespace: namespace, labels: { 'kubernetes.io/service-name': service } },
      endpoints: [{ addresses: [`10.0.0.${index + 1}`], conditions: { ready: true } }],
      ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    },
  ]);
}

export const podOf = (workload: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: `${workload}-5d4f8c7b9-x2x2x`,
    namespace: namespace,
    labels: { 'pod-template-hash': '5d4f8c7b9' },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `${workload}-5d4f8c7b9`, uid: 'r', controller: true }],
  },
});

/** Objects of the user and of the router for this canary weight, as a proxy sees them. */
export function viewOf(fixture: ProviderFixture, canary: Canary, share: number): LaggedView {
  const router = routerFor(fixture.provider);
  if ('unsupported' in router) throw new Error(router.unsupported);
  const user = fixture.objects?.(appOf(canary)) ?? [];
  const routes: Routes = { kind: 'weighted', canary: weight(share) };
  const view = laggedView(() => 0);
  for (const next of [...sides(canary), ...user, ...router.render(canary, anApex, routes, user).write]) {
    const kinds = resolvers.flatMap((resolver) => resolver.kinds);
    const known = kinds.find(({ apiVersion, kind }) => apiVersion === next.apiVersion && kind === next.kind);
    view.hear(known?.knownAs ?? next.kind, { next });
  }
  return view;
}

export function resolve(fixture: ProviderFixture, canary: Canary, view: LaggedView, random: () => number = () => 0.5): ResolvedRoute {
  const app = appOf(canary);
  const headers = fixture.headers?.(app) ?? {};
  const gateway = headers['x-serin-gateway'] ?? 'mesh';
  const request = { method: 'GET', url: '/', headers, host: parseHost(fixture.host(app), namespace), gateway, sourceLabels: {} };
  for (const resolver of resolvers) {
    const route = resolver.resolve(view, request)?.(random);
    if (route && 'reason' in route) throw new Error(`${route.status}: ${route.reason}`);
    if (route) return route;
  }
  throw new Error(`no object of ${fixture.provider} speaks of ${fixture.host(app)}`);
}
