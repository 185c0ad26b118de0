import { isDeepStrictEqual } from 'node:util';
import type { Canary } from '../../api/canary.ts';
import { names } from '../../api/names.ts';
import { type Routes, reachesCanary } from '../../api/routes.ts';
import type { JsonRecord } from '../../base/json.ts';
import { RoutingError } from '../routing-error.ts';
import { ALL, canaryWeight, primaryWeight } from '../weights.ts';
import { type Conditions, expressibleConditions, mergeConditions, serviceConditions } from './conditions.ts';
import { routePolicies } from './route-policies.ts';

/** `spec.routes`: the canary's part of each condition, and with an A/B condition all other requests to the primary. */
export function renderRoutes(canary: Canary, routes: Routes): JsonRecord[] {
  const { match } = canary.spec.service;
  const isStrict = reachesCanary(routes) || routes.kind === 'mirrored';
  const service = isStrict ? serviceConditions(match) : expressibleConditions(match);
  const policies = routePolicies(canary, isStrict);
  const rule = (conditions: Conditions, services: JsonRecord[]): JsonRecord => ({
    conditions: structuredClone(conditions),
    ...policies,
    services,
  });
  if (routes.kind === 'mirrored') return service.map((conditions) => rule(conditions, mirrored(canary, routes.share)));
  const share = canaryWeight(routes);
  if (!routes.match?.length) return service.map((conditions) => rule(conditions, split(canary, share)));
  const segment = mergeConditions(routes.match, service);
  // Two routes of the same conditions are one to Contour, and the later one wins.
  const others = service.filter((conditions) => !segment.some((within) => isDeepStrictEqual(within, conditions)));
  return [
    ...segment.map((conditions) => rule(conditions, split(canary, share))),
    ...others.map((conditions) => rule(conditions, [weightedService(canary, names(canary).primaryService, ALL)])),
  ];
}

/** The routes that deletion leaves behind. */
export function routesToApex(canary: Canary): JsonRecord[] {
  const services = [weightedService(canary, names(canary).apexService, ALL)];
  return expressibleConditions(canary.spec.service.match).map((conditions) => ({ conditions, ...routePolicies(canary, false), services }));
}

function split(canary: Canary, share: number): JsonRecord[] {
  const { primaryService, canaryService } = names(canary);
  return [weightedService(canary, primaryService, primaryWeight(share)), weightedService(canary, canaryService, share)];
}

function mirrored(canary: Canary, share: number): JsonRecord[] {
  if (share === 0) throw new RoutingError('Contour takes a mirror of 0 percent for one of 100');
  const { primaryService, canaryService } = names(canary);
  return [weightedService(canary, primaryService, ALL), { ...weightedService(canary, canaryService, share), mirror: true }];
}

/** The header names the Service for a Linkerd proxy behind Contour. */
function weightedService(canary: Canary, name: string, weight: number): JsonRecord {
  const { port } = canary.spec.service;
  const value = `${name}.${canary.metadata.namespace}.svc.cluster.local:${port}`;
  return { name, port, weight, requestHeadersPolicy: { set: [{ name: 'l5d-dst-override', value }] } };
}
