import { isDeepStrictEqual } from 'node:util';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { isRecord, type JsonRecord, recordsIn, textsIn } from '../../base/json.ts';
import { isOlder } from '../split/alternative.ts';
import { hostGroups, sharedHost, type Taken, type WrittenRoute } from '../split/split-form.ts';
import { MESH } from './match.ts';

/**
 * A gateway joins the VirtualServices of a host, the oldest first, and moves rules that take every request to the end: there any condition takes requests of an
 * older route. Of rules with equal conditions those of the older route come first. Clients of the mesh read only the oldest.
 * Source: Istio, pilot/pkg/networking/core/gateway.go and route.SortVHostRoutes.
 */
export function takes({ now, found, before }: WrittenRoute, others: readonly KubeObject[]): Taken[] {
  const edges = gatewaysOf(now);
  const shared = others.flatMap((on) => {
    const gateways = gatewaysOf(on).filter((one) => edges.includes(one));
    // A delegate has no hosts: a VirtualService with hosts includes it.
    if (gateways.length === 0 || hostsOf(now).length === 0 || hostsOf(on).length === 0) return [];
    return hostGroups(hostsOf(now), before && hostsOf(before)).flatMap(({ hosts, isNew }) => {
      const host = sharedHost(hosts, hostsOf(on));
      return host ? [{ ...host, on, gateways, isNew }] : [];
    });
  });
  return shared.flatMap(({ on, host, isSame, gateways, isNew }): Taken[] => {
    if (!isSame)
      return !isNew || shared.some((one) => one.isSame && one.host === host)
        ? []
        : [{ on, requests: `all requests for ${host} that no other route answers`, isByHost: true }];
    const isTaken = gateways.some((gateway) => {
      const stood = !isNew && before && gatewaysOf(before).includes(gateway) ? before : undefined;
      return gateway === MESH ? !stood && isOlder(found, on) : takesAt(gateway, { now, found, before: stood }, on);
    });
    return isTaken ? [{ on, requests: `all requests for ${host} that no more specific rule matches` }] : [];
  });
}

interface AtGateway {
  now: KubeObject;
  found: KubeObject | undefined;
  before: KubeObject | undefined;
}

function takesAt(gateway: string, { now, found, before }: AtGateway, other: KubeObject): boolean {
  const isFirst = isOlder(found, other);
  const own = before ? matchesAt(gateway, before) : [];
  const isOurs = (match: JsonRecord) => own.some((one) => holds(match, one) && (!takesAll(one) || isFirst));
  const comesFirst = (match: JsonRecord, theirs: JsonRecord): boolean => {
    if (takesAll(theirs)) return !takesAll(match) || isFirst;
    // Two conditions are not known to meet in one request, unless one includes all of the other.
    return isFirst && !takesAll(match) && holds(theirs, match);
  };
  return matchesAt(gateway, other).some((theirs) =>
    matchesAt(gateway, now).some((match) => comesFirst(match, theirs) && sharePort(match, theirs) && !isOurs(match)),
  );
}

/** Alternatives of the HTTP rules that hold at a gateway. */
function matchesAt(gateway: string, route: KubeObject): JsonRecord[] {
  const { namespace = '' } = route.metadata;
  const all = recordsIn(specOf<JsonRecord>(route).http).flatMap(({ match }) => (recordsIn(match).length > 0 ? recordsIn(match) : [{}]));
  return all.filter(({ gateways }) => textsIn(gateways).length === 0 || fullGateways(textsIn(gateways), namespace).includes(gateway));
}

/** Fields of a match that are not a condition on a client's request to a gateway. */
const NO_CONDITION = new Set(['name', 'gateways', 'port', 'statPrefix', 'ignoreUriCase', 'sourceLabels', 'sourceNamespace']);

function takesAll(match: JsonRecord): boolean {
  return Object.entries(match).every(
    ([field, value]) =>
      NO_CONDITION.has(field) ||
      (field === 'uri' && isRecord(value) && value.prefix === '/') ||
      (isRecord(value) && Object.keys(value).length === 0),
  );
}

const sharePort = ({ port }: JsonRecord, other: JsonRecord): boolean =>
  port === undefined || other.port === undefined || port === other.port;

/** Tests if `whole` contains everything in `part`. */
export function holds(whole: unknown, part: unknown): boolean {
  if (!isRecord(part)) return isDeepStrictEqual(whole, part);
  return isRecord(whole) && Object.entries(part).every(([field, value]) => holds(whole[field], value));
}

/** A name without a dot is one of the namespace. */
export function fullHosts(named: readonly string[], namespace: string): string[] {
  return named.map((host) => (/[.*]/.test(host) ? host : `${host}.${namespace}.svc.cluster.local`));
}

/** `namespace/name` of each; without any, those of the mesh. */
export function fullGateways(named: readonly string[], namespace: string): string[] {
  if (named.length === 0) return [MESH];
  return named.map((gateway) => {
    if (gateway === MESH) return gateway;
    return gateway.includes('/') ? gateway.replace(/^\.\//, `${namespace}/`) : `${namespace}/${gateway}`;
  });
}

const hostsOf = ({ metadata, spec }: KubeObject): string[] =>
  fullHosts(textsIn(isRecord(spec) ? spec.hosts : []), metadata.namespace ?? '');
const gatewaysOf = ({ metadata, spec }: KubeObject): string[] =>
  fullGateways(textsIn(isRecord(spec) ? spec.gateways : []), metadata.namespace ?? '');
