import type { Canary } from '../../api/canary.ts';
import { parseDuration } from '../../api/duration.ts';
import { names } from '../../api/names.ts';
import { beginsMirrored } from '../../api/provider-capabilities.ts';
import type { HttpMatch, Routes } from '../../api/routes.ts';
import type { JsonRecord } from '../../base/json.ts';
import { RoutingError } from '../routing-error.ts';
import { ALL, canaryWeight, matchOf, primaryWeight } from '../weights.ts';
import type { Dialect } from './dialect.ts';
import { renderHeaders } from './header-match.ts';

const RETRY_EVENTS: readonly string[] = ['server-error', 'gateway-error', 'client-error', 'stream-error'];

const DEFAULT_RETRY = { attempts: 1, perTryMs: 250, events: ['gateway-error'] } as const;

/** Below the priority of the route for all other requests: so many alternatives fit above it. */
const FIRST_PRIORITY = 10;

const LAST_PRIORITY = 20;

const MOST_ALTERNATIVES = LAST_PRIORITY - FIRST_PRIORITY;

/**
 * The routes of the apex: one for all requests, or one for each alternative of the condition and a last one to the primary. The first is named as in Flagger,
 * which put all alternatives into one and so required all of them at once.
 */
export function renderMeshRoutes(canary: Canary, routes: Routes, dialect: Dialect): JsonRecord[] {
  const { apexService, primaryService, canaryService } = names(canary);
  if (routes.kind === 'mirrored')
    throw new RoutingError('App Mesh cannot mirror requests: set analysis.mirror to false', 'analysis.mirror');
  const share = canaryWeight(routes);
  const match = matchOf(routes);
  const targets = [target(dialect, canaryService, share), target(dialect, primaryService, primaryWeight(share))];
  if (!match) return [route(canary, dialect, { name: apexService }, {}, targets)];
  return [
    ...alternatives(match).map((headers, index) => {
      const named = { name: index === 0 ? `${apexService}-a` : `${apexService}-a-${index + 1}`, priority: FIRST_PRIORITY + index };
      return route(canary, dialect, named, { headers }, targets);
    }),
    route(canary, dialect, { name: `${apexService}-b`, priority: LAST_PRIORITY }, {}, [target(dialect, primaryService, ALL)]),
  ];
}

/** The route by which tests reach only the canary. */
export function renderCanaryRoute(canary: Canary, dialect: Dialect): JsonRecord {
  const { primaryService, canaryService } = names(canary);
  const targets = [target(dialect, canaryService, ALL), target(dialect, primaryService, 0)];
  return route(canary, dialect, { name: canaryService }, {}, targets);
}

/** Requests of the spec that these routes cannot hold; routing to the primary is rendered all the same. */
export function checkMeshSpec(canary: Canary): void {
  const { analysis, service } = canary.spec;
  if (beginsMirrored(canary)) throw new RoutingError('App Mesh cannot mirror requests: set analysis.mirror to false', 'analysis.mirror');
  if (analysis.match?.length) alternatives(analysis.match);
  for (const event of retryWords(service.retries?.retryOn))
    if (!RETRY_EVENTS.includes(event))
      throw RoutingError.at('service.retries.retryOn', `has ${JSON.stringify(event)}: App Mesh knows ${RETRY_EVENTS.join(', ')}`);
}

/** The prefix of the first `service.match`, as in Flagger; nothing else of it has a place in App Mesh. */
function prefixOf({ spec: { service } }: Canary): string {
  const uri = service.match?.[0]?.uri;
  return uri && 'prefix' in uri ? uri.prefix : '/';
}

/** One route. `named`: its name and priority; `match`: conditions beside the path prefix. */
export function route(canary: Canary, dialect: Dialect, named: JsonRecord, match: JsonRecord, weightedTargets: object[]): JsonRecord {
  const timeoutMs = requestTimeoutMs(canary);
  return {
    ...named,
    [dialect.http]: {
      match: { prefix: prefixOf(canary), ...match },
      ...(timeoutMs === undefined ? {} : dialect.timeout(timeoutMs)),
      ...retryPolicy(canary, dialect),
      action: { weightedTargets },
    },
  };
}

/** Whole milliseconds, the only unit that all of it can be said in; 0 turns the limit off, absent is App Mesh's own 15 s. */
export function requestTimeoutMs({ spec: { service } }: Canary): number | undefined {
  const ms = parseDuration(service.timeout ?? '');
  return ms === undefined ? undefined : Math.round(ms);
}

function retryPolicy({ spec: { service } }: Canary, dialect: Dialect): JsonRecord {
  const { retries } = service;
  if (!retries) return {};
  const known = retryWords(retries.retryOn).filter((event) => RETRY_EVENTS.includes(event));
  return {
    retryPolicy: {
      ...dialect.perRetryTimeout(Math.round(parseDuration(retries.perTryTimeout ?? '') || DEFAULT_RETRY.perTryMs)),
      maxRetries: retries.attempts ?? DEFAULT_RETRY.attempts,
      httpRetryEvents: known.length > 0 ? known : [...DEFAULT_RETRY.events],
    },
  };
}

function retryWords(text = ''): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

function alternatives(match: readonly HttpMatch[]) {
  if (match.length > MOST_ALTERNATIVES)
    throw RoutingError.at('analysis.match', `has ${match.length} entries: App Mesh has room for ${MOST_ALTERNATIVES}`);
  return match.map(renderHeaders);
}

const target = (dialect: Dialect, virtualNode: string, weight: number): object => ({ ...dialect.target(virtualNode), weight });
