import * as z from 'zod';
import type { KubeObject } from '../../api/kube-object.ts';
import { listedRoutesAnnotation } from '../../api/names.ts';
import { RouteRef } from '../../api/route-ref.ts';
import { parseJson, valueAt } from '../../base/json.ts';

/** Routes of a spec, and routes that were removed from it and are not restored yet. */
const MOST_LISTED = 32;

const ListedRoutes = z.array(RouteRef).max(MOST_LISTED);

/** Split routes, from the annotation of the anchor, or else from its data; entries that cannot be read are left out. */
export function listedIn({ metadata, data }: KubeObject): RouteRef[] | undefined {
  const text = metadata.annotations?.[listedRoutesAnnotation];
  const known = text === undefined ? undefined : ListedRoutes.safeParse(parseJson(text)).data;
  return known ?? ListedRoutes.safeParse(valueAt(data, ['canary', 'spec', 'routeRefs'])).data;
}
