import * as z from 'zod';
import type { KubeObject } from '../../api/kube-object.ts';
import { listedRoutesAnnotation } from '../../api/names.ts';
import { RouteRef } from '../../api/route-ref.ts';
import { parseJson, valueAt } from '../../base/json.ts';

/** Those of a spec, and those that were taken out of it and are not given back yet. */
const MOST_LISTED = 32;

const ListedRoutes = z.array(RouteRef).max(MOST_LISTED);

/** Routes that are split, as the anchor's annotation has them, or else its data; what cannot be read is not there. */
export function listedIn({ metadata, data }: KubeObject): RouteRef[] | undefined {
  const text = metadata.annotations?.[listedRoutesAnnotation];
  const known = text === undefined ? undefined : ListedRoutes.safeParse(parseJson(text)).data;
  return known ?? ListedRoutes.safeParse(valueAt(data, ['canary', 'spec', 'routeRefs'])).data;
}
