import type { Canary } from '../../api/canary.ts';
import { names } from '../../api/names.ts';
import type { Affinity, Routes } from '../../api/routes.ts';
import type { JsonRecord } from '../../base/json.ts';
import { cookiePattern, cookiesSet, type SideCookies, setCookie } from '../cookie.ts';
import { ALL, affinityOf, canaryWeight, matchOf, primaryWeight } from '../weights.ts';
import { type IstioMatch, mergeMatch, namesPort, routedMatch, routedTcpMatch, toIstio, withHeader } from './match.ts';

/**
 * `spec.http`, the first match winning: cookie of the canary, cookie of the primary, cookie to be deleted, all requests of the segment, and (with a match) all
 * other requests to the primary. Every rule that names the canary has the A/B condition.
 */
export function renderHttp(canary: Canary, routes: Routes): JsonRecord[] {
  const { canaryService } = names(canary);
  const service = routedMatch(canary);
  const segment = matchOf(routes);
  const within = segment ? mergeMatch(segment, service) : service;
  const share = canaryWeight(routes);
  const affinity = affinityOf(routes);

  const main = istioRule(canary, within, both(canary, share, share > 0 ? cookiesSet(canary, affinity) : {}));
  if (routes.kind === 'mirrored') {
    main.mirror = destination(canary, canaryService);
    if (routes.share < ALL) main.mirrorPercentage = { value: routes.share };
  }
  return [
    ...stickyRules(canary, within, affinity, share),
    main,
    ...(segment ? [istioRule(canary, service, [{ destination: destination(canary, names(canary).primaryService), weight: ALL }])] : []),
  ];
}

/** `spec.tcp`: weights only, on the ports of `service.match`. */
export function renderTcp(canary: Canary, share: number): JsonRecord[] {
  return [tcpRule(canary, both(canary, share, {}))];
}

export function tcpRule(canary: Canary, route: JsonRecord[]): JsonRecord {
  const match = routedTcpMatch(canary);
  return { ...(match.length > 0 ? { match } : {}), route };
}

function stickyRules(canary: Canary, within: readonly IstioMatch[], affinity: Affinity, share: number): JsonRecord[] {
  const rules: JsonRecord[] = [];
  const holding = (pair: string) => withHeader(within, 'Cookie', { regex: cookiePattern(pair) });
  // At weight 0 the canary might be unable to serve: its users are kept apart but answered by the primary.
  if (affinity.canary) rules.push(istioRule(canary, holding(affinity.canary), both(canary, share > 0 ? ALL : 0, {})));
  if (affinity.primary) rules.push(istioRule(canary, holding(affinity.primary), both(canary, 0, {})));
  if (affinity.previous) rules.push(deletionRule(canary, holding(affinity.previous), affinity, share));
  return rules;
}

/** With the attributes that the cookie was set with, or browsers keep it. */
function deletionRule(canary: Canary, holding: readonly IstioMatch[], affinity: Affinity, share: number): JsonRecord {
  const text = setCookie(canary, affinity.previous ?? '', -1);
  const add = canary.spec.service.headers?.response?.add ?? {};
  const isTaken = Object.keys(add).some((name) => name.toLowerCase() === 'set-cookie');
  if (share > 0 || isTaken) {
    // On the primary's side only: the canary's answer sets the new cookie, which has the same name.
    const cookies = share > 0 ? cookiesSet(canary, affinity) : {};
    return istioRule(canary, holding, both(canary, share, { ...cookies, primary: text }));
  }
  const deletion = istioRule(canary, holding, both(canary, share, {}));
  const headers = structuredClone(canary.spec.service.headers ?? {});
  deletion.headers = { ...headers, response: { ...headers.response, add: { ...add, 'Set-Cookie': text } } };
  return deletion;
}

/** Fields common to every http rule, and to the single rule that deletion leaves behind. */
export function istioRule(canary: Canary, match: readonly IstioMatch[], route: JsonRecord[]): JsonRecord {
  const { rewrite, timeout, retries, corsPolicy, headers } = canary.spec.service;
  const origins = corsPolicy?.allowOrigins?.map((origin) => toIstio(origin));
  // Empty values mean nothing: dropping them must not look like drift.
  const said = filled({
    match,
    rewrite: rewrite && withoutType(rewrite),
    timeout: timeout || undefined,
    retries,
    corsPolicy: { ...corsPolicy, ...(origins ? { allowOrigins: origins } : {}) },
    headers,
  });
  return {
    ...said,
    route,
  };
}

/** A copy without what is empty, at any depth. */
function filled(fields: object): JsonRecord {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) => {
      const kept = Array.isArray(value) ? structuredClone(value) : typeof value === 'object' && value !== null ? filled(value) : value;
      const isEmpty = kept === undefined || (typeof kept === 'object' && Object.keys(kept ?? {}).length === 0);
      return isEmpty ? [] : [[key, kept]];
    }),
  );
}

/** `rewrite.type` belongs to the Gateway API. */
function withoutType({ uri, authority }: { uri?: string | undefined; authority?: string | undefined }): JsonRecord {
  return { ...(uri === undefined ? {} : { uri }), ...(authority === undefined ? {} : { authority }) };
}

function both(canary: Canary, share: number, cookies: SideCookies): JsonRecord[] {
  const { primaryService, canaryService } = names(canary);
  const side = (host: string, weight: number, cookie: string | undefined) => ({
    destination: destination(canary, host),
    weight,
    ...(cookie === undefined ? {} : { headers: { response: { add: { 'Set-Cookie': cookie } } } }),
  });
  return [side(primaryService, primaryWeight(share), cookies.primary), side(canaryService, share, cookies.canary)];
}

export function destination(canary: Canary, host: string): JsonRecord {
  return { host, ...(namesPort(canary) ? { port: { number: canary.spec.service.port } } : {}) };
}
