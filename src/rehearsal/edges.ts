import type { Canary } from '../api/canary.ts';
import type { IngressRule } from '../api/kinds/ingress.ts';
import { specOf } from '../api/kinds/spec-of.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { names } from '../api/names.ts';
import type { ApisixRule } from '../embedded/mesh/apisix-route.ts';
import type { HttpProxy } from '../embedded/mesh/http-proxy.ts';
import type { GlooVirtualService } from '../embedded/mesh/route-table.ts';

/** The user's object by which requests from outside reach an application. */
export interface Edge {
  apiVersion: string;
  kind: string;
  /** This object of the kind leads to the application. */
  leads(object: KubeObject, canary: Canary): boolean;
  wayIn(object: KubeObject, canary: Canary): { host: string; path: string; gateway?: string };
  /** Makes an edge if the manifests have none. */
  make(canary: Canary, host: string): { name: string; spec: object };
}

interface IngressRoute {
  routes: { match?: unknown; services?: { name?: string }[] }[];
}
interface IstioVirtualService {
  hosts: string[];
  gateways: string[];
  http: { delegate?: { name?: string } }[];
}

const ingressOf = (ingressClassName: string): Edge => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  leads: ({ metadata }, { spec }) => metadata.name === spec.ingressRef?.name,
  wayIn(ingress, canary) {
    const rules = specOf<{ rules: IngressRule[] }>(ingress).rules ?? [];
    const places = rules.flatMap(({ host = '', http }) => (http?.paths ?? []).map(({ path = '/', backend }) => ({ host, path, backend })));
    const { host = '', path = '/' } = places.find(({ backend }) => backend?.service?.name === names(canary).apexService) ?? places[0] ?? {};
    return { host, path };
  },
  make(canary, host) {
    const { apexService } = names(canary);
    const backend = { service: { name: apexService, port: { number: portOf(canary) } } };
    const rules = [{ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }];
    return { name: canary.spec.ingressRef?.name ?? apexService, spec: { ingressClassName, rules } };
  },
});

/** Edges by traffic provider. With any other provider, users call the apex Service or a Gateway. */
export const edges: Readonly<Record<string, Edge>> = {
  nginx: ingressOf('nginx'),
  skipper: ingressOf('skipper'),
  apisix: {
    apiVersion: 'apisix.apache.org/v2',
    kind: 'ApisixRoute',
    leads: ({ metadata }, { spec }) => metadata.name === spec.routeRef?.name,
    wayIn(route, canary) {
      const rules = specOf<{ http: ApisixRule[] }>(route).http ?? [];
      const rule = rules.find(({ backends }) => backends?.some(({ serviceName }) => serviceName === names(canary).apexService)) ?? rules[0];
      return { host: rule?.match?.hosts?.[0] ?? '', path: (rule?.match?.paths?.[0] ?? '/').replace(/\*$/, '') };
    },
    make(canary, host) {
      const { apexService } = names(canary);
      const plugins = [{ name: 'prometheus', enable: true, config: { prefer_name: true } }];
      const backends = [{ serviceName: apexService, servicePort: portOf(canary) }];
      const http = [{ name: 'main', match: { hosts: [host], paths: ['/*'] }, backends, plugins }];
      return { name: canary.spec.routeRef?.name ?? apexService, spec: { http } };
    },
  },
  contour: {
    apiVersion: 'projectcontour.io/v1',
    kind: 'HTTPProxy',
    leads: (proxy, canary) => (specOf<HttpProxy>(proxy).includes ?? []).some(({ name }) => name === names(canary).apexService),
    wayIn: (proxy) => ({ host: specOf<HttpProxy>(proxy).virtualhost?.fqdn ?? '', path: '/' }),
    make: (canary, host) => ({
      name: `${names(canary).apexService}-root`,
      spec: { virtualhost: { fqdn: host }, includes: [{ name: names(canary).apexService, conditions: [{ prefix: '/' }] }] },
    }),
  },
  gloo: {
    apiVersion: 'gateway.solo.io/v1',
    kind: 'VirtualService',
    leads: (service, canary) =>
      (specOf<GlooVirtualService>(service).virtualHost?.routes ?? []).some(
        ({ delegateAction }) => (delegateAction?.ref?.name ?? delegateAction?.name) === names(canary).apexService,
      ),
    wayIn: (service) => ({ host: specOf<GlooVirtualService>(service).virtualHost?.domains?.[0] ?? '', path: '/' }),
    make(canary, host) {
      const ref = { name: names(canary).apexService, namespace: canary.metadata.namespace };
      return {
        name: ref.name,
        spec: { virtualHost: { domains: [host], routes: [{ matchers: [{ prefix: '/' }], delegateAction: { ref } }] } },
      };
    },
  },
  traefik: {
    apiVersion: 'traefik.io/v1alpha1',
    kind: 'IngressRoute',
    leads: (route, canary) =>
      (specOf<IngressRoute>(route).routes ?? []).some(({ services = [] }) =>
        services.some(({ name }) => name === names(canary).apexService),
      ),
    wayIn(route) {
      const match = String(specOf<IngressRoute>(route).routes?.[0]?.match ?? '');
      return { host: /Host\(`([^`]+)`/.exec(match)?.[1] ?? '', path: /PathPrefix\(`([^`]+)`/.exec(match)?.[1] ?? '/' };
    },
    make(canary, host) {
      const { apexService } = names(canary);
      const services = [{ kind: 'TraefikService', name: apexService, namespace: canary.metadata.namespace }];
      return {
        name: apexService,
        spec: { entryPoints: ['web'], routes: [{ kind: 'Rule', match: `Host(\`${host}\`) && PathPrefix(\`/\`)`, services }] },
      };
    },
  },
};

/** Istio: the VirtualService that delegates to that of the apex. */
const delegating: Edge = {
  apiVersion: 'networking.istio.io/v1beta1',
  kind: 'VirtualService',
  leads: (service, canary) =>
    (specOf<IstioVirtualService>(service).http ?? []).some(({ delegate }) => delegate?.name === names(canary).apexService),
  wayIn(service) {
    const { hosts, gateways } = specOf<IstioVirtualService>(service);
    const [gateway = 'mesh'] = gateways ?? [];
    const isOwn = gateway !== 'mesh' && !gateway.includes('/');
    return { host: hosts?.[0] ?? '', path: '/', gateway: isOwn ? `${service.metadata.namespace}/${gateway}` : gateway };
  },
  make(canary, host) {
    const { apexService } = names(canary);
    const delegate = { name: apexService, namespace: canary.metadata.namespace };
    return { name: `${apexService}-root`, spec: { hosts: [host], http: [{ delegate }] } };
  },
};

export function edgeOf({ spec }: Canary): Edge | undefined {
  if (spec.provider === 'istio') return spec.service.delegation ? delegating : undefined;
  return edges[spec.provider ?? ''];
}

/** The edge of an application among objects of its namespace. */
export function findEdge(canary: Canary, objects: readonly KubeObject[]): KubeObject | undefined {
  const edge = edgeOf(canary);
  const { namespace } = canary.metadata;
  return objects.find(
    (object) =>
      object.kind === edge?.kind &&
      object.apiVersion.split('/')[0] === edge.apiVersion.split('/')[0] &&
      (object.metadata.namespace ?? namespace) === namespace &&
      edge.leads(object, canary),
  );
}

export function makeEdge(canary: Canary): KubeObject | undefined {
  const edge = edgeOf(canary);
  if (edge === undefined) return undefined;
  const { namespace } = canary.metadata;
  const [named = ''] = canary.spec.service.hosts ?? [];
  const host = named === '' || named.includes('*') ? `${names(canary).apexService}.${namespace}.example` : named;
  const { name, spec } = edge.make(canary, host);
  return { apiVersion: edge.apiVersion, kind: edge.kind, metadata: { name, namespace }, spec };
}

/** The name of a class differs between clusters; in a rehearsal the class of the provider is the only one. */
export function withClass(canary: Canary, object: KubeObject): KubeObject {
  const { provider } = canary.spec;
  if (object.kind !== 'Ingress' || (provider !== 'nginx' && provider !== 'skipper') || !edgeOf(canary)?.leads(object, canary))
    return object;
  return { ...object, spec: { ...specOf(object), ingressClassName: provider } };
}

const portOf = ({ spec }: Canary): number => spec.service.port ?? 80;
