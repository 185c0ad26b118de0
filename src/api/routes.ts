import * as z from 'zod';
import { mapOf, ShortText } from './limits.ts';
import { StringMatch } from './string-match.ts';

/** Percent of requests. */
export const Weight = z.int().min(0).max(100).brand<'Weight'>();
export type Weight = z.infer<typeof Weight>;
/** Checks that a number is a weight: 0–100, in percent. */
export const weight = (value: number): Weight => Weight.parse(value);

/** A condition on requests, for A/B releases. All fields of one entry must match; entries are alternatives. */
export const HttpMatch = z.object({
  headers: mapOf(StringMatch).optional(),
  queryParams: mapOf(StringMatch).optional(),
  sourceLabels: mapOf(ShortText).optional(),
});
export type HttpMatch = z.infer<typeof HttpMatch>;

/** Other writers of a status could break out of the header: such a cookie counts as absent. */
const CookiePair = z
  .string()
  .regex(/^[^;\p{Cc}]*$/u)
  .optional()
  .catch(undefined);

/** Cookies that keep a user on one side; `previous` is being removed from browsers. Each is `name=value`. */
export const Affinity = z.object({ canary: CookiePair, primary: CookiePair, previous: CookiePair });
export type Affinity = z.infer<typeof Affinity>;

/** The desired routes as recorded, in the same form for every traffic provider. */
export const Routes = z.discriminatedUnion('kind', [
  /** The canary gets `canary` percent, the primary the rest; with `match`, only inside the matched segment. */
  z.object({ kind: z.literal('weighted'), canary: Weight, affinity: Affinity.optional(), match: z.array(HttpMatch).optional() }),
  /** Requests that match go to the canary, all others to the primary. */
  z.object({ kind: z.literal('matched'), match: z.array(HttpMatch).min(1), affinity: Affinity.optional() }),
  /** The primary answers all requests; a copy of `share` percent of them goes to the canary. */
  z.object({ kind: z.literal('mirrored'), share: Weight }),
]);
export type Routes = z.infer<typeof Routes>;

/** Reason for which the objects of a traffic provider express no routes, as a clause for a message. */
export interface UnreadableRoutes {
  unreadable: string;
}

/** The primary receives all traffic. */
export const allToPrimary: Routes = { kind: 'weighted', canary: weight(0) };

/** The canary can answer a request under these routes. A mirrored copy does not count. */
export function reachesCanary(routes: Routes): boolean {
  return routes.kind === 'matched' || (routes.kind === 'weighted' && routes.canary > 0);
}

/** All traffic goes to the primary, and none of it is copied to the canary. */
export const sendsAllToPrimary = (routes: Routes): boolean => !reachesCanary(routes) && routes.kind !== 'mirrored';
