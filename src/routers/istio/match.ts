import { isDeepStrictEqual } from 'node:util';
import type { Canary } from '../../api/canary.ts';
import type { HttpMatch } from '../../api/routes.ts';
import type { HttpMatchRequest } from '../../api/service-spec.ts';
import type { StringMatch } from '../../api/string-match.ts';
import type { JsonRecord } from '../../base/json.ts';
import { askedMatch, splitMerged } from '../asked-match.ts';
import { escapeRegex } from '../regex-text.ts';
import { RoutingError } from '../routing-error.ts';

/** One HTTPMatchRequest of a VirtualService, as raw JSON. */
export type IstioMatch = Record<string, unknown>;

/** The gateway name for clients inside the mesh. */
export const MESH = 'mesh';
const CONDITION_MAPS = ['headers', 'queryParams', 'sourceLabels'] as const;

/**
 * Requests that the routes of a Canary are for. A named port is that of every destination, whichever port a client of the mesh addresses: at other ports
 * than the Canary's it stays with the apex Service (DF633).
 */
export function routedMatch(canary: Canary): IstioMatch[] {
  const match = serviceMatch(canary.spec.service.match);
  return isPerGateway(canary) ? perGateway(canary, match) : match;
}

/** The same for TCP, of whose conditions it knows the port. */
export function routedTcpMatch(canary: Canary): IstioMatch[] {
  const ports = (canary.spec.service.match ?? []).flatMap(({ port }) => (port === undefined ? [] : [{ port }]));
  return isPerGateway(canary) ? perGateway(canary, ports) : ports;
}

type GatewayMatch = IstioMatch & { gateways?: string[] };

function perGateway({ spec: { service } }: Canary, match: readonly GatewayMatch[]): IstioMatch[] {
  const separate = (match.length === 0 ? [{}] : match).flatMap((entry: GatewayMatch): IstioMatch[] => {
    const isAtPort = entry.port === undefined || entry.port === service.port;
    // Istio reads labels and namespaces of clients where no gateway is named.
    if (!entry.gateways?.length && asksForClients(entry)) return isAtPort ? [{ ...entry, port: service.port }] : [];
    const own = entry.gateways?.length ? entry.gateways : (service.gateways ?? []);
    const edges = own.filter((each) => each !== MESH);
    return [
      ...(edges.length > 0 ? [{ ...entry, gateways: edges }] : []),
      ...(own.includes(MESH) && isAtPort ? [{ ...entry, gateways: [MESH], port: service.port }] : []),
    ];
  });
  // No condition at all would let every request through.
  return separate.length > 0 ? separate : [...match];
}

/** A port is named only where Istio cannot infer it: several ports (`withSeveralPorts`) behind a gateway or a delegate. */
export function namesPort(canary: Canary): boolean {
  const { portDiscovery, gateways = [MESH], delegation } = canary.spec.service;
  return portDiscovery === true && (delegation === true || (gateways[0] ?? MESH) !== MESH);
}

/**
 * The Canary of Services with several ports, discovered or found in place. A user who turns discovery on decides by the order of the gateways which clients
 * have every port routed; otherwise the gateways come first, which need a named port.
 */
export function withSeveralPorts(canary: Canary): Canary {
  const { gateways, portDiscovery } = canary.spec.service;
  if (portDiscovery) return canary;
  const edgesFirst = gateways && { gateways: gateways.toSorted((a, b) => Number(a === MESH) - Number(b === MESH)) };
  return { ...canary, spec: { ...canary.spec, service: { ...canary.spec.service, ...edgesFirst, portDiscovery: true } } };
}

function isPerGateway(canary: Canary): boolean {
  return namesPort(canary) && canary.spec.service.gateways?.includes(MESH) === true;
}

/** The Canary in the rendering of earlier versions, which did not separate conditions by gateway; `undefined` if they are not separate now either. */
export function withOneGateway(canary: Canary): Canary | undefined {
  if (!isPerGateway(canary)) return undefined;
  const { spec } = canary;
  return { ...canary, spec: { ...spec, service: { ...spec.service, gateways: spec.service.gateways?.filter((each) => each !== MESH) } } };
}

const asksForClients = ({ sourceLabels, sourceNamespace }: IstioMatch): boolean =>
  hasKeys(sourceLabels as JsonRecord | undefined) || Boolean(sourceNamespace);

/**
 * Conditions of the service for conditions on labels of clients: of conditions that are separate for each gateway, those of the mesh, since only its clients
 * have labels.
 */
function ofClients(service: readonly IstioMatch[]): readonly IstioMatch[] {
  const ofMesh = service.filter(({ gateways, port }) => isDeepStrictEqual(gateways, [MESH]) && port !== undefined);
  return ofMesh.length === 0
    ? service
    : [...service.filter(({ gateways }) => gateways === undefined), ...ofMesh.map(({ gateways: _, ...rest }) => rest)];
}

/** `service.match` in Istio's words; Istio knows no suffix. */
function serviceMatch(entries: readonly HttpMatchRequest[] | undefined): IstioMatch[] {
  return (entries ?? []).map((entry) => {
    const match: IstioMatch = structuredClone(entry);
    for (const field of ['uri', 'scheme', 'method', 'authority'] as const) {
      const condition = entry[field];
      const isAnyCase = field === 'uri' && entry.ignoreUriCase === true;
      if (condition) match[field] = toIstio(condition, isAnyCase);
    }
    if (entry.headers) match.headers = mapConditions(entry.headers, (each) => toIstio(each));
    if (entry.withoutHeaders) match.withoutHeaders = mapConditions(entry.withoutHeaders, (each) => toIstio(each));
    if (entry.queryParams) match.queryParams = mapConditions(entry.queryParams, toIstioQuery);
    return match;
  });
}

/**
 * `analysis.match` within `service.match`: every pair, analysis outer, both conditions holding (Flagger's replacement of the service's headers would let
 * through requests that the service does not take). An entry that says nothing would match every request, so it is refused.
 */
export function mergeMatch(analysis: readonly HttpMatch[], service: readonly IstioMatch[]): IstioMatch[] {
  return analysis.flatMap((entry, index) => {
    const segment = segmentOf(entry);
    if (Object.keys(segment).length === 0)
      throw RoutingError.at(`analysis.match[${index}]`, 'names no header, query parameter or source label: it would match every request');
    const base = segment.sourceLabels === undefined ? service : ofClients(service);
    if (segment.sourceLabels !== undefined && base.some(({ gateways }) => Array.isArray(gateways) && gateways.length > 0))
      throw RoutingError.at(
        `analysis.match[${index}].sourceLabels`,
        'mean nothing to Istio beside service.match[].gateways, and every client would get the canary',
        'remove one of the two',
      );
    return base.length === 0 ? [segment] : base.map((one) => join(one, segment, `analysis.match[${index}]`));
  });
}

/** Adds a condition on one header to every alternative, or to an empty one if there are no alternatives. */
export function withHeader(matches: readonly IstioMatch[], header: string, condition: unknown): IstioMatch[] {
  const extra = { headers: { [header]: condition } };
  return matches.length === 0 ? [extra] : matches.map((match) => join(match, extra, header));
}

/** The reverse of `mergeMatch`; undefined when an alternative says nothing of its own. */
export function splitMatch(
  merged: readonly IstioMatch[],
  service: readonly IstioMatch[],
  likely?: readonly HttpMatch[],
): HttpMatch[] | undefined {
  return askedMatch(likely, merged, (match) => mergeMatch(match, service)) ?? splitMerged(merged, service, subtract);
}

function segmentOf(entry: HttpMatch): IstioMatch {
  const segment: IstioMatch = {};
  if (hasKeys(entry.headers)) segment.headers = mapConditions(entry.headers, (each) => toIstio(each));
  if (hasKeys(entry.queryParams)) segment.queryParams = mapConditions(entry.queryParams, toIstioQuery);
  if (hasKeys(entry.sourceLabels)) segment.sourceLabels = { ...entry.sourceLabels };
  return segment;
}

function join(base: IstioMatch, extra: IstioMatch, field: string): IstioMatch {
  const joined: IstioMatch = structuredClone(base);
  for (const kind of CONDITION_MAPS) {
    if (extra[kind] === undefined) continue;
    const conditions: JsonRecord = { ...(base[kind] as JsonRecord | undefined) };
    for (const [key, condition] of Object.entries(extra[kind] as JsonRecord)) {
      const clashes = key in conditions && !isDeepStrictEqual(conditions[key], condition);
      conditions[clashes ? secondKey(kind, key, conditions, field) : key] = condition;
    }
    joined[kind] = conditions;
  }
  return joined;
}

/** Header names ignore case but keys of the map do not: two spellings are how Istio ANDs two conditions on one header. */
function secondKey(kind: string, key: string, taken: JsonRecord, field: string): string {
  const spellings =
    kind === 'headers' ? [key.toLowerCase(), key.toUpperCase(), key.charAt(0).toUpperCase() + key.slice(1).toLowerCase()] : [];
  const free = spellings.find((spelling) => !(spelling in taken));
  if (free === undefined) throw RoutingError.at(field, `and service.match both constrain ${kind} ${key}, which Istio cannot combine`);
  return free;
}

function subtract(match: IstioMatch, base: IstioMatch): HttpMatch {
  const left: Record<string, JsonRecord> = {};
  for (const kind of CONDITION_MAPS) {
    const known = (base[kind] ?? {}) as JsonRecord;
    const own = Object.entries((match[kind] ?? {}) as JsonRecord).filter(([key, condition]) => !isDeepStrictEqual(known[key], condition));
    if (own.length > 0) left[kind] = Object.fromEntries(own);
  }
  return left as HttpMatch;
}

function hasKeys<T extends object>(map: T | undefined): map is T {
  return map !== undefined && Object.keys(map).length > 0;
}

function mapConditions(
  map: Readonly<Record<string, StringMatch>>,
  change: (condition: StringMatch) => StringMatch,
): Record<string, StringMatch> {
  return Object.fromEntries(Object.entries(map).map(([key, condition]) => [key, change(condition)]));
}

/** Istio's regex is RE2 over the whole value, and the only form to which `ignoreUriCase` does not apply. */
export function toIstio(condition: StringMatch, isAnyCase = false): StringMatch {
  if (!('suffix' in condition)) return { ...condition };
  const regex = `.*${escapeRegex(condition.suffix)}`;
  return { regex: isAnyCase ? `(?i:${regex})` : regex };
}

/** Istio compares query parameters exactly or by regex only. */
function toIstioQuery(condition: StringMatch): StringMatch {
  return 'prefix' in condition ? { regex: `${escapeRegex(condition.prefix)}.*` } : toIstio(condition);
}
