import type { Canary } from '../../api/canary.ts';
import type { HttpMatch, Routes } from '../../api/routes.ts';
import { cookiesSet, type SideCookies, setCookie } from '../cookie.ts';
import { ALL, affinityOf, canaryWeight, matchOf } from '../weights.ts';

/** Effect of one of the rules that replace a rule of the user's while its backends are split. */
export interface Part {
  /** It takes requests that fulfil one of these, of the requests of the user's rule; absent for all of them. */
  match?: readonly HttpMatch[];
  /** And that hold this cookie, `name=value`. */
  cookie?: string;
  /** Percent for the canary. */
  share: number;
  /** `Set-Cookie` of the answers of either side. */
  cookies: SideCookies;
  /** Percent of requests that are copied to the canary. */
  mirror?: number;
}

/** The user's rule itself, and the copies of it that precede it, in this order. */
export interface Parts {
  copies: readonly Part[];
  own: Part;
}

/** The parts by which these routes are expressed in a rule of any provider. */
export function partsOf(canary: Canary, routes: Routes): Parts {
  const match = matchOf(routes);
  const within = match && { match };
  const share = canaryWeight(routes);
  const affinity = affinityOf(routes);
  const cookies = share > 0 ? cookiesSet(canary, affinity) : {};
  const copies: Part[] = [];
  // At weight 0 the canary might be unable to serve: its users are kept apart but answered by the primary.
  if (affinity.canary) copies.push({ ...within, cookie: affinity.canary, share: share > 0 ? ALL : 0, cookies: {} });
  if (affinity.primary) copies.push({ ...within, cookie: affinity.primary, share: 0, cookies: {} });
  // On the primary's side only: the canary's answer sets the new cookie, which has the same name.
  const { previous } = affinity;
  if (previous) copies.push({ ...within, cookie: previous, share, cookies: { ...cookies, primary: setCookie(canary, previous, -1) } });
  const mirror = routes.kind === 'mirrored' && { mirror: routes.share };
  if (!match) return { copies, own: { share, cookies, ...mirror } };
  return { copies: [...copies, { match, share, cookies }], own: { share: 0, cookies: {} } };
}
