import * as z from 'zod';
import { ShortText } from './limits.ts';

/** One entry of spec.routeRefs. */
export const RouteRef = z.object({
  apiVersion: ShortText.describe('API version of the route.'),
  kind: ShortText.describe('Kind of the route.'),
  name: ShortText.describe('Name of the route, in the namespace of the Canary.'),
});
export type RouteRef = z.infer<typeof RouteRef>;
