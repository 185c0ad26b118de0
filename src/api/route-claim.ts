import { isLabel, isName } from '../base/host-name.ts';
import type { Canary, Provider } from './canary.ts';
import { names } from './names.ts';

/** Hosts and gateways that the routes of a Canary name, each with its field. */
export interface RouteClaim {
  /** `*` for a route for every host of its gateways. */
  hosts: { path: string; host: string }[];
  /** `namespace/name`, `undefined` if the text names no Gateway that Istio or the Gateway API would find. */
  gateways: { path: string; gateway: string | undefined; written: string }[];
  /** Requests from inside the mesh are routed. */
  isInMesh: boolean;
  isOnGateway: boolean;
  /** A host of one label means the Service of that name in the namespace. */
  areNamesServices: boolean;
}

/** Undefined if the provider reads neither hosts nor gateways, and its routes are in the namespace or are found in place. */
export function claimOf(canary: Canary, provider: Provider): RouteClaim | undefined {
  if (provider === 'istio') return istioClaim(canary);
  if (provider.startsWith('smi:') || provider === 'linkerd' || provider === 'osm') return { ...istioClaim(canary), isInMesh: true };
  if (provider.startsWith('appmesh'))
    return { hosts: hostsOf(canary), gateways: [], isInMesh: false, isOnGateway: true, areNamesServices: false };
  return provider.startsWith('gatewayapi') ? gatewayApiClaim(canary) : undefined;
}

const hostsOf = ({ spec }: Canary): RouteClaim['hosts'] =>
  (spec.service.hosts ?? []).map((host, index) => ({ path: `spec.service.hosts[${index}]`, host }));

function istioClaim(canary: Canary): RouteClaim {
  const { gateways = [], match = [], name } = canary.spec.service;
  const { namespace } = canary.metadata;
  const written = [
    ...gateways.map((text, index) => [`spec.service.gateways[${index}]`, text] as const),
    ...match.flatMap((one, at) =>
      (one.gateways ?? []).map((text, index) => [`spec.service.match[${at}].gateways[${index}]`, text] as const),
    ),
  ];
  const outer = written.filter(([, text]) => text !== 'mesh');
  const { apexService } = names(canary);
  // The name of a Service has one label. A name with several labels is a host outside the namespace.
  const apex = apexService.includes('.') ? [{ path: name ? 'spec.service.name' : 'spec.targetRef.name', host: apexService }] : [];
  return {
    hosts: [...hostsOf(canary), ...apex],
    gateways: outer.map(([path, text]) => ({ path, gateway: istioGateway(text, namespace), written: text })),
    isInMesh: gateways.length === 0 || outer.length < written.length,
    isOnGateway: outer.length > 0,
    areNamesServices: true,
  };
}

/** Resolved as by Istio: `name`, `./name`, `namespace/name`, or `name.namespace` with any domain behind it. */
function istioGateway(text: string, home: string): string | undefined {
  const slash = text.indexOf('/');
  const [short = '', inNamespace = home] = text.split('.');
  const [namespace, name] = slash < 0 ? [inNamespace, short] : [text.slice(0, slash), text.slice(slash + 1)];
  const resolved = namespace === '.' ? home : namespace;
  return isLabel(resolved) && isName(name) ? `${resolved}/${name}` : undefined;
}

/** Kinds whose objects `--allowed-gateways` can name. */
const NAMED: ReadonlySet<string> = new Set(['Gateway', 'ListenerSet', 'XListenerSet']);

function gatewayApiClaim(canary: Canary): RouteClaim {
  const home = canary.metadata.namespace;
  const refs = (canary.spec.service.gatewayRefs ?? []).map(({ kind = 'Gateway', namespace = home, name }, index) => ({
    ...{ path: `spec.service.gatewayRefs[${index}]`, kind, namespace, name },
  }));
  const services = refs.filter(({ kind }) => kind === 'Service');
  const gateways = refs.filter(({ kind }) => kind !== 'Service');
  const hosts = hostsOf(canary);
  const every = hosts.find(({ host }) => host === '*') ?? (hosts.length === 0 ? { path: 'spec.service.hosts', host: '*' } : undefined);
  return {
    hosts: [
      // A route matches every host if it names none; Services as parents have no hosts.
      ...(every ? (gateways.length > 0 ? [every] : []) : hosts),
      ...services.map(({ path, namespace, name }) => ({ path, host: `${name}.${namespace}.svc.cluster.local` })),
    ],
    gateways: gateways.map(({ path, kind, namespace, name }) => {
      const isNamed = (NAMED.has(kind) || namespace === home) && isLabel(namespace) && isName(name);
      return { path, gateway: isNamed ? `${namespace}/${name}` : undefined, written: `${kind} ${namespace}/${name}` };
    }),
    isInMesh: services.length > 0,
    isOnGateway: gateways.length > 0,
    areNamesServices: gateways.length === 0,
  };
}
