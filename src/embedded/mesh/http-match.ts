import { headerOf, type MeshRequest, requestPath } from './request.ts';

const HTTP = 80;

export type IstioText = { exact?: string; prefix?: string; regex?: string };
/** One entry of a VirtualService's `http[].match`; all that it names must hold. */
export interface VirtualServiceMatch {
  uri?: IstioText;
  method?: IstioText;
  authority?: IstioText;
  scheme?: IstioText;
  headers?: Record<string, IstioText>;
  withoutHeaders?: Record<string, IstioText>;
  queryParams?: Record<string, IstioText>;
  sourceLabels?: Record<string, string>;
  sourceNamespace?: string;
  /** Port of the Service that the client addresses. */
  port?: number;
  gateways?: string[];
  ignoreUriCase?: boolean;
}

/** A regex matches the whole text, as Envoy's RE2 full match does. An empty condition requires only presence. */
export function matchesText(condition: IstioText, text: string): boolean {
  if (condition.exact !== undefined) return text === condition.exact;
  if (condition.prefix !== undefined) return text.startsWith(condition.prefix);
  if (condition.regex !== undefined) return new RegExp(`^(?:${condition.regex})$`, 's').test(text);
  return true;
}

/** Alternatives; none at all matches every request. */
export function matchesAny(matches: readonly VirtualServiceMatch[] | undefined, request: MeshRequest): boolean {
  return !matches?.length || matches.some((match) => matchesOne(match, request));
}

function matchesOne(match: VirtualServiceMatch, request: MeshRequest): boolean {
  const path = requestPath(request.url);
  const hasText = (condition: IstioText, text: string | undefined): boolean => text !== undefined && matchesText(condition, text);
  const lower = (condition: IstioText): IstioText =>
    Object.fromEntries(Object.entries(condition).map(([form, text]) => [form, text.toLowerCase()]));
  // A regex says itself what it makes of upper and lower case.
  const isAnyCase = (uri: IstioText): boolean => match.ignoreUriCase === true && uri.regex === undefined;
  const matchesUri = (uri: IstioText): boolean => (isAnyCase(uri) ? matchesText(lower(uri), path.toLowerCase()) : matchesText(uri, path));
  return (
    (!match.uri || matchesUri(match.uri)) &&
    (!match.method || matchesText(match.method, request.method)) &&
    (!match.authority || matchesText(match.authority, request.host.text)) &&
    (!match.scheme || matchesText(match.scheme, 'http')) &&
    Object.entries(match.headers ?? {}).every(([name, condition]) => hasText(condition, headerOf(request, name))) &&
    // A missing header counts as an empty one.
    !Object.entries(match.withoutHeaders ?? {}).some(([name, condition]) => matchesText(condition, headerOf(request, name) ?? '')) &&
    Object.entries(match.queryParams ?? {}).every(([name, condition]) => hasText(condition, escapedQueryOf(request, name))) &&
    isFor(match, request)
  );
}

/** The first value of a query parameter, with its escapes: Envoy does not decode them. */
export function escapedQueryOf({ url }: MeshRequest, name: string): string | undefined {
  const pairs = (url.split('?')[1] ?? '').split('&').map((pair) => [pair.split('=')[0], pair.split('=').slice(1).join('=')] as const);
  return pairs.find(([key]) => key === name)?.[1];
}

/**
 * Tests if a condition is for this client at all: istiod leaves it out of the routes of other clients. If gateways are named, labels and namespace of the
 * client say nothing. Source: Istio, pilot route.go sourceMatchHTTP.
 */
export function isFor({ gateways, port, sourceLabels = {}, sourceNamespace }: VirtualServiceMatch, request: MeshRequest): boolean {
  if (port !== undefined && port !== (request.host.port ?? HTTP)) return false;
  if (gateways?.length) return gateways.includes(request.gateway);
  return (
    Object.entries(sourceLabels).every(([name, value]) => request.sourceLabels[name] === value) &&
    (sourceNamespace === undefined || sourceNamespace === request.sourceNamespace)
  );
}

export interface SmiMatch {
  name?: string;
  pathRegex?: string;
  methods?: string[];
  headers?: Record<string, string> | Record<string, string>[];
}

/** One entry of an HTTPRouteGroup: the path regex is anchored at its start. Source: SMI traffic-specs v1alpha4. */
export function matchesSmi(match: SmiMatch, request: MeshRequest): boolean {
  const headers: Record<string, string> = Array.isArray(match.headers) ? Object.assign({}, ...match.headers) : (match.headers ?? {});
  return (
    (match.pathRegex === undefined || new RegExp(`^(?:${match.pathRegex})`).test(requestPath(request.url))) &&
    (!match.methods?.length || match.methods.includes('*') || match.methods.includes(request.method)) &&
    Object.entries(headers).every(([name, regex]) => {
      const value = headerOf(request, name);
      return value !== undefined && new RegExp(regex).test(value);
    })
  );
}
