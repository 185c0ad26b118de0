import type { KubeObject } from '../../src/api/kube-object.ts';
import { type Raw, raw } from '../fakes/raw.ts';

/** A kind of route that Serin never writes. Its worlds are those of HTTPProxies, as far as it can say the same. */
export interface UnwrittenKind {
  /** In titles. */
  name: string;
  provider: string;
  /** Whom a release can be for. */
  cohorts: readonly string[];
  /** The part of an HTTPProxy that its routes can say. */
  saidOf(proxy: KubeObject): KubeObject;
  /** The objects for it; `isFirst`: users of the release come by this route. */
  written(proxy: KubeObject, isFirst: boolean): KubeObject[];
  /** Fields of the Canary; `first`: the name of the first route. */
  specOf(first: string): object;
}

const APP = 'shop';
const HOST = (proxy: KubeObject): string => raw(proxy).spec.virtualhost.fqdn;
const prefixOf = ({ conditions = [] }: Raw): string => conditions.find(({ prefix }: Raw) => prefix)?.prefix ?? '/';
const headersOf = ({ conditions = [] }: Raw): Raw[] => conditions.flatMap(({ header }: Raw) => header ?? []);
const traefikIo = 'traefik.io/v1alpha1';

/** Traefik: IngressRoutes, of which the first leads to the TraefikService of the application, and all others past it. */
export const ingressRoutes: UnwrittenKind = {
  name: 'IngressRoute',
  provider: 'traefik',
  cohorts: ['all'],
  saidOf: (proxy) => proxy,
  written(proxy, isFirst) {
    const { name, namespace = '' } = proxy.metadata;
    const routes: Raw[] = raw(proxy).spec.routes;
    const serviceOf = ({ name: service, port, weight }: Raw) => ({
      ...(isFirst && service === APP && port === 80 ? { kind: 'TraefikService', name: service } : { name: service, port }),
      ...(weight !== undefined && { weight }),
    });
    const middlewares = routes.flatMap(({ requestHeadersPolicy }, index): KubeObject[] => {
      const [header] = requestHeadersPolicy?.set ?? [];
      const spec = { headers: { customRequestHeaders: { [header?.name]: header?.value } } };
      return header ? [{ apiVersion: traefikIo, kind: 'Middleware', metadata: { name: `${name}-${index}`, namespace }, spec }] : [];
    });
    const rules = routes.map((route, index) => {
      const [path, headers] = [prefixOf(route), headersOf(route)];
      const conditions = headers.map((header) => `Header(\`${header.name}\`, \`${header.exact}\`)`);
      return {
        kind: 'Rule',
        match: [`Host(\`${HOST(proxy)}\`)`, `PathPrefix(\`${path}\`)`, ...conditions].join(' && '),
        // As Contour chooses: the longest prefix, then the most header conditions.
        priority: path.length * 10 + headers.length + 1,
        ...(route.requestHeadersPolicy && { middlewares: [{ name: `${name}-${index}` }] }),
        services: route.services.map(serviceOf),
      };
    });
    const weighted = { services: [{ name: APP, port: 80 }] };
    return [
      ...(isFirst ? [{ apiVersion: traefikIo, kind: 'TraefikService', metadata: { name: APP, namespace }, spec: { weighted } }] : []),
      ...middlewares,
      { apiVersion: traefikIo, kind: 'IngressRoute', metadata: { name, namespace }, spec: { entryPoints: ['web'], routes: rules } },
    ];
  },
  specOf: () => ({}),
};

/** ingress-nginx: Ingresses, of which the Canary names the first. A path leads to one Service, and knows no header. */
export const ingresses: UnwrittenKind = {
  name: 'Ingress',
  provider: 'nginx',
  cohorts: ['all', 'header'],
  saidOf(proxy) {
    const routes = raw(proxy)
      .spec.routes.filter((route: Raw) => headersOf(route).length === 0)
      .map(({ conditions, services: [{ weight: _, ...service }] }: Raw) => ({ conditions, services: [service] }));
    return { ...proxy, spec: { ...raw(proxy).spec, routes } };
  },
  written(proxy) {
    const { name, namespace = '' } = proxy.metadata;
    const paths = raw(proxy).spec.routes.map((route: Raw) => ({
      path: prefixOf(route),
      pathType: 'Prefix',
      backend: { service: { name: route.services[0].name, port: { number: route.services[0].port } } },
    }));
    const spec = { ingressClassName: 'nginx', rules: [{ host: HOST(proxy), http: { paths } }] };
    return [{ apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name, namespace }, spec }];
  },
  specOf: (first) => ({ ingressRef: { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: first } }),
};
