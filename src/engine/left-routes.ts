import { isDeepStrictEqual } from 'node:util';
import { type Canary, RoutedSpec } from '../api/canary.ts';
import type { Release, RoutedFor } from '../api/canary-status.ts';
import { sendsAllToPrimary } from '../api/routes.ts';
import type { Facts } from './facts.ts';

/** Maximum of remembered edits: more edits of the provider in one release are a loop; the oldest is forgotten. */
const MOST_LEFT = 5;

/**
 * Remembers the spec for which the routes were written, as long as they can send requests to the canary: an edit of the provider, of the Service's name or of
 * the routed object leaves them in the cluster unchanged, and they must follow the release to its end (E113).
 */
export function withLeftRoutes(
  { routedFor, leftRoutes = [], ...release }: Release,
  recorded: Release | undefined,
  { canary, provider, converged }: Facts,
): Release {
  // The cluster has converged to the previous record.
  if (converged && sendsAllToPrimary(release.routes) && recorded && sendsAllToPrimary(recorded.routes)) return release;
  const now: RoutedFor = { provider, spec: routedSpecOf(canary.spec) };
  const isEdited = routedFor !== undefined && !isSame(routedFor, now);
  const others = leftRoutes.filter((one) => !isSame(one, now));
  const left = isEdited ? [...others, routedFor].slice(-MOST_LEFT) : others;
  const held = sendsAllToPrimary(release.routes) && (routedFor === undefined || isEdited) ? undefined : now;
  return { ...release, ...(held && { routedFor: held }), ...(left.length > 0 && { leftRoutes: left }) };
}

/** Cached by the whole spec: a release takes many steps with the same spec. */
const routedSpecs = new WeakMap<Canary['spec'], RoutedFor['spec']>();

function routedSpecOf(spec: Canary['spec']): RoutedFor['spec'] {
  const routed = routedSpecs.get(spec) ?? RoutedSpec.parse(spec);
  routedSpecs.set(spec, routed);
  return routed;
}

const RoutedPart = RoutedSpec.partial();

/** The routes are in the same objects. */
function isSame(one: RoutedFor, other: RoutedFor): boolean {
  return (one.spec === other.spec && one.provider === other.provider) || isDeepStrictEqual(placeOf(one), placeOf(other));
}

function placeOf({ provider, spec }: RoutedFor): unknown {
  const { service, ingressRef, routeRef } = RoutedPart.safeParse(spec).data ?? {};
  return [provider, service?.name, ingressRef?.name, routeRef?.name];
}
