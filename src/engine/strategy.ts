import type { Canary, HookType } from '../api/canary.ts';
import type { Release } from '../api/canary-status.ts';
import { type Affinity, allToPrimary, type HttpMatch, type Routes, weight } from '../api/routes.ts';
import type { Facts } from './facts.ts';
import { nextWeight } from './next-weight.ts';

export type Strategy = 'canary' | 'a/b' | 'blue/green';
/** Next move after a passed check. `gated`: confirm-promotion is called first. */
export type Move = { kind: 'step'; routes: Routes; iterations: number; gated: boolean } | { kind: 'promote'; gated: boolean };
type Abilities = Pick<Facts, 'supports' | 'cookieWord'>;

/** A provider without weights can only count iterations (rule E13). */
export function strategyOf(canary: Canary, supports: Facts['supports']): Strategy {
  const { match, iterations = 0 } = canary.spec.analysis;
  if (iterations > 0 && match !== undefined && match.length > 0 && supports.headerMatch) return 'a/b';
  return iterations > 0 || !supports.weights ? 'blue/green' : 'canary';
}

/** `analysis.iterations`; 10 if the provider has no weights and none are given. */
export function iterationsOf(canary: Canary): number {
  const { iterations = 0 } = canary.spec.analysis;
  return iterations > 0 ? iterations : 10;
}

/** The step after a passed check under these recorded routes and counters (rules E10–E17). */
export function nextMove(release: Release, canary: Canary, abilities: Abilities): Move {
  switch (strategyOf(canary, abilities.supports)) {
    case 'canary':
      return nextCanaryMove(release, canary, abilities);
    case 'a/b':
      return nextMatchedMove(release, canary, abilities);
    case 'blue/green':
      return nextBlueGreenMove(release, canary, abilities);
  }
}

/** Percentage of all requests that the canary answers; matched and mirrored routes have none. */
export function weightOf(routes: Routes): number {
  return routes.kind === 'weighted' ? routes.canary : 0;
}

/** The same routes with another canary weight; makes cookies when it rises and retires them at 0 (rules E18, E19). */
export function withWeight(routes: Routes, percent: number, canary: Canary, abilities: Abilities): Routes {
  const match = percent > 0 ? segmentOf(canary, abilities) : undefined;
  // A user who stayed on the primary is assigned again when the weight moves.
  const known = percent === weightOf(routes) ? routes : withoutPrimaryCookie(routes);
  const affinity = percent > 0 ? cookiesFor(known, canary, abilities) : retired(routes);
  return {
    kind: 'weighted',
    canary: weight(percent),
    ...(affinity ? { affinity } : {}),
    ...(match ? { match } : {}),
  };
}

/** All traffic to the primary, with the cookie of this release marked for removal from browsers. */
export function routesToPrimary(routes: Routes): Routes {
  const affinity = retired(routes);
  return affinity ? { kind: 'weighted', canary: weight(0), affinity } : allToPrimary;
}

export function hasHooks(canary: Canary, type: HookType): boolean {
  const webhooks = canary.spec.analysis.webhooks ?? [];
  return webhooks.some((one) => (one.type ?? 'rollout') === type || (type === 'rollout' && one.type === ''));
}

function nextCanaryMove(release: Release, canary: Canary, abilities: Abilities): Move {
  const { analysis } = canary.spec;
  const current = weightOf(release.routes);
  const isMirrorDue = analysis.mirror === true && abilities.supports.mirroring && release.routes.kind === 'weighted' && current === 0;
  if (isMirrorDue) return { kind: 'step', routes: mirrored(canary), iterations: 0, gated: false };
  const next = nextWeight(analysis, current);
  if (next === undefined) return { kind: 'promote', gated: true };
  return { kind: 'step', routes: withWeight(release.routes, next, canary, abilities), iterations: 0, gated: false };
}

function nextMatchedMove(release: Release, canary: Canary, abilities: Abilities): Move {
  if (release.iterations >= iterationsOf(canary)) return { kind: 'promote', gated: true };
  const affinity = cookiesFor(release.routes, canary, abilities);
  const match = canary.spec.analysis.match ?? [];
  const routes: Routes = { kind: 'matched', match, ...(affinity ? { affinity } : {}) };
  return { kind: 'step', routes, iterations: release.iterations + 1, gated: false };
}

/**
 * The gate is called once, before live traffic goes to the canary; a count above N records that it was open. If the provider cannot route by match, the canary
 * gets no live traffic until it is promoted: the spec does not want all users to get it.
 */
function nextBlueGreenMove(release: Release, canary: Canary, abilities: Abilities): Move {
  const wanted = iterationsOf(canary);
  const { analysis } = canary.spec;
  if (release.iterations < wanted) {
    const routes = analysis.mirror === true && abilities.supports.mirroring ? mirrored(canary) : release.routes;
    return { kind: 'step', routes, iterations: release.iterations + 1, gated: false };
  }
  const switchesTraffic = abilities.supports.weights && (analysis.match ?? []).length === 0;
  if (switchesTraffic && weightOf(release.routes) < 100) {
    return { kind: 'step', routes: withWeight(release.routes, 100, canary, abilities), iterations: wanted + 1, gated: true };
  }
  return { kind: 'promote', gated: release.iterations <= wanted };
}

function mirrored(canary: Canary): Routes {
  const share = canary.spec.analysis.mirrorWeight ?? 0;
  return { kind: 'mirrored', share: weight(share > 0 ? Math.min(100, share) : 100) };
}

function segmentOf(canary: Canary, { supports }: Abilities): HttpMatch[] | undefined {
  const { match = [], iterations = 0 } = canary.spec.analysis;
  return match.length > 0 && iterations <= 0 && supports.headerMatch ? match : undefined;
}

function affinityOf(routes: Routes): Affinity | undefined {
  return routes.kind === 'mirrored' ? undefined : routes.affinity;
}

function cookiesFor(routes: Routes, canary: Canary, { supports, cookieWord }: Abilities): Affinity | undefined {
  const wanted = canary.spec.analysis.sessionAffinity;
  if (!wanted || !supports.sessionAffinity) return undefined;
  const now = affinityOf(routes);
  return {
    canary: now?.canary ?? `${wanted.cookieName}=${cookieWord}`,
    ...(wanted.primaryCookieName ? { primary: now?.primary ?? `${wanted.primaryCookieName}=${cookieWord}` } : {}),
  };
}

function withoutPrimaryCookie(routes: Routes): Routes {
  if (routes.kind === 'mirrored' || routes.affinity === undefined) return routes;
  const { primary: _, ...affinity } = routes.affinity;
  return { ...routes, affinity };
}

function retired(routes: Routes): Affinity | undefined {
  const now = affinityOf(routes);
  const previous = now?.canary ?? now?.previous;
  return previous === undefined ? undefined : { previous };
}
