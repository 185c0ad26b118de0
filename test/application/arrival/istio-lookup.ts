import type { KubeObject } from '../../../src/api/kube-object.ts';
import { type Raw, raw } from '../../fakes/raw.ts';

/** Namespace of rules for the whole mesh. */
export const ROOT_NAMESPACE = 'istio-system';
const DOMAIN = 'svc.cluster.local';

/** A short name is one of the rule's own namespace. */
export function hostOf(host: string, namespace: string): string {
  if (host.includes('*')) return host;
  const [name = '', of, svc] = host.split('.');
  if (of === undefined) return `${name}.${namespace}.${DOMAIN}`;
  return svc === undefined || svc === 'svc' ? `${name}.${of}.${DOMAIN}` : host;
}

const covers = (pattern: string, host: string): boolean => pattern === host || (pattern.startsWith('*') && host.endsWith(pattern.slice(1)));

/**
 * Rules that apply to a client of a namespace (istio.io: "DestinationRule lookup path"): rules of the client's namespace, then of the Service's, then of the
 * root namespace. Within a namespace the most specific host counts, and rules of the same host are merged, the oldest first.
 */
export function rulesFor(all: readonly KubeObject[], host: string, client: string, service: string): KubeObject[] {
  for (const namespace of new Set([client, service, ROOT_NAMESPACE])) {
    const found = all.filter((rule) => {
      if (rule.metadata.namespace !== namespace || raw(rule).spec?.workloadSelector) return false;
      const isExported = namespace === client || isVisible(raw(rule).spec.exportTo, namespace, client);
      return isExported && covers(hostOf(raw(rule).spec?.host ?? '', namespace), host);
    });
    const hosts = found.map((rule) => hostOf(raw(rule).spec.host, namespace));
    const [best] = hosts.toSorted((a, b) => Number(a.startsWith('*')) - Number(b.startsWith('*')) || b.length - a.length);
    if (best !== undefined) return found.filter((_, index) => hosts[index] === best).toSorted(byAge);
  }
  return [];
}

const isVisible = (exportTo: readonly string[] | undefined, own: string, client: string): boolean =>
  !exportTo?.length || exportTo.includes('*') || exportTo.includes(client) || (exportTo.includes('.') && own === client);

function byAge(a: KubeObject, b: KubeObject): number {
  const key = ({ metadata }: KubeObject) => `${metadata.creationTimestamp ?? ''}/${metadata.name}`;
  return key(a) < key(b) ? -1 : 1;
}

export interface TrafficPolicy {
  /** Policy of the port, with the settings of a subset over those of the rule. */
  policy: Raw;
  /** Undefined where the subset is not defined. */
  subset: Record<string, string> | undefined;
}

/** Settings of a port replace the rule's; settings of a subset replace the same settings of the rule. */
export function trafficPolicyFor(rules: readonly KubeObject[], port: number, subsetName: string | undefined): TrafficPolicy {
  const own = rules.map((rule) => raw(rule).spec.trafficPolicy).find((one) => one !== undefined && one !== null) ?? {};
  const subset = rules.flatMap((rule) => raw(rule).spec.subsets ?? []).find(({ name }: Raw) => name === subsetName);
  return {
    policy: { ...ofPort(own, port), ...ofPort(subset?.trafficPolicy ?? {}, port) },
    subset: subsetName === undefined ? {} : subset?.labels,
  };
}

function ofPort({ portLevelSettings, ...rest }: Raw, port: number): Raw {
  const own = (portLevelSettings ?? []).find(({ port: of }: Raw) => of?.number === port);
  if (own === undefined) return rest;
  const { port: _, ...settings } = own;
  return settings;
}

/** The protocol that a port declares, by `appProtocol` or by the beginning of its name. `undefined` if it is detected. */
export function protocolOf({ name = '', appProtocol }: Raw): string | undefined {
  if (appProtocol) return appProtocol;
  const known = /^(http2|https|http|grpc-web|grpc|tcp|tls|mongo|mysql|redis|udp)(-|$)/.exec(name);
  return known?.[1];
}

export interface RoutedTo {
  host: string;
  subset?: string;
  port?: number;
}

const HTTP = /^(http|http2|https|grpc|grpc-web)$/;

/**
 * Destinations of a port of a host in the mesh: each destination with a weight, of every rule. `http` rules apply to ports that speak HTTP or declare nothing,
 * `tcp` and `tls` rules to the others.
 * `undefined` if no rule applies to the port, and requests go straight to the Service.
 */
export function meshRoutes(
  virtualServices: readonly KubeObject[],
  { host, namespace, port, protocol = 'http' }: { host: string; namespace: string; port: number; protocol: string | undefined },
): RoutedTo[] | undefined {
  const found = virtualServices.filter((one) => {
    const { hosts = [], gateways } = raw(one).spec ?? {};
    const isMesh = !gateways?.length || gateways.includes('mesh');
    return isMesh && one.metadata.namespace === namespace && hosts.some((of: string) => covers(hostOf(of, namespace), host));
  });
  const [virtual] = found.toSorted(byAge);
  if (virtual === undefined) return undefined;
  const { http, tcp, tls } = raw(virtual).spec;
  const rules: Raw[] = HTTP.test(protocol) ? (http ?? []) : [...(tcp ?? []), ...(tls ?? [])];
  const isMatched = ({ match }: Raw): boolean =>
    !match?.length || match.some((one: Raw) => (one.port ?? port) === port && (!one.gateways?.length || one.gateways.includes('mesh')));
  const routes: Raw[] = rules.filter(isMatched).flatMap((rule: Raw) => rule.route ?? []);
  if (routes.length === 0) return undefined;
  return routes
    .filter(({ weight }) => weight === undefined || weight > 0)
    .map(({ destination }) => ({
      host: hostOf(destination.host, namespace),
      ...(destination.subset && { subset: destination.subset }),
      ...(destination.port?.number && { port: destination.port.number }),
    }));
}
