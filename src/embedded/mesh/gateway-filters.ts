import type { KubeObject } from '../../api/kube-object.ts';
import { type BackendRef, backendProblem, type RouteSurroundings } from '../gateway-api/backend-problem.ts';
import { withPrefixReplaced } from './gateway-match.ts';
import type { Destination } from './request.ts';
import { type MeshRequest, requestPath } from './request.ts';
import type { DirectResponse, HeaderChanges, ResolvedRoute } from './resolved-route.ts';

interface HeaderModifier {
  set?: { name: string; value: string }[];
  add?: { name: string; value: string }[];
  remove?: string[];
}
/** One filter of a rule or of a backend. */
export interface GatewayFilter {
  type: string;
  requestHeaderModifier?: HeaderModifier;
  responseHeaderModifier?: HeaderModifier;
  requestMirror?: { backendRef: BackendRef; percent?: number; fraction?: { numerator: number; denominator?: number } };
  requestRedirect?: { statusCode?: number };
  urlRewrite?: { hostname?: string; path?: { type: string; replaceFullPath?: string; replacePrefixMatch?: string } };
}
export type Filtered = Pick<ResolvedRoute, 'mirrors' | 'requestHeaders' | 'responseHeaders' | 'rewrite'>;

/** The changes that the filters of a matched rule make to a request. `prefix`: the path that matched, where that was a prefix. */
export function applyFilters(
  filters: readonly GatewayFilter[],
  { route, prefix, around }: { route: KubeObject; prefix: string; around: RouteSurroundings },
  request: MeshRequest,
  random: () => number,
): Filtered | DirectResponse {
  const done: Filtered = { mirrors: [], requestHeaders: [], responseHeaders: [] };
  for (const filter of filters) {
    const { requestHeaderModifier, responseHeaderModifier, requestMirror, requestRedirect, urlRewrite } = filter;
    if (requestHeaderModifier) done.requestHeaders.push(changesOf(requestHeaderModifier));
    else if (responseHeaderModifier) done.responseHeaders.push(changesOf(responseHeaderModifier));
    else if (requestRedirect) return { status: requestRedirect.statusCode ?? 302, reason: 'redirected' };
    else if (urlRewrite) done.rewrite = rewriteOf(urlRewrite, prefix, request);
    else if (requestMirror) {
      const { backendRef, percent, fraction } = requestMirror;
      const part = fraction ? (100 * fraction.numerator) / (fraction.denominator ?? 100) : (percent ?? 100);
      if (random() * 100 < part && backendProblem(backendRef, route, around) === undefined)
        done.mirrors.push(destinationOf(backendRef, route));
    }
    // An unknown filter must not be passed over; CORS concerns only browsers.
    else if (filter.type !== 'CORS') return { status: 500, reason: `filter ${filter.type} is not known here` };
  }
  return done;
}

export function destinationOf({ name, namespace }: BackendRef, route: KubeObject): Destination {
  return { name, namespace: namespace ?? route.metadata.namespace ?? '' };
}

function changesOf({ set = [], add = [], remove = [] }: HeaderModifier): HeaderChanges {
  const map = (list: { name: string; value: string }[]) => Object.fromEntries(list.map(({ name, value }) => [name, value]));
  return { set: map(set), add: map(add), remove };
}

function rewriteOf(
  { hostname, path }: NonNullable<GatewayFilter['urlRewrite']>,
  prefix: string,
  { url }: MeshRequest,
): NonNullable<ResolvedRoute['rewrite']> {
  const asked = requestPath(url);
  const next =
    path?.replaceFullPath ??
    (path?.replacePrefixMatch === undefined ? undefined : withPrefixReplaced(asked, prefix, path.replacePrefixMatch));
  return { ...(hostname ? { authority: hostname } : {}), ...(next === undefined ? {} : { url: (next || '/') + url.slice(asked.length) }) };
}
