import type { Canary } from '../api/canary.ts';
import { findObject, type KubeObject, type ObjectRef } from '../api/kube-object.ts';
import { type Routes, reachesCanary } from '../api/routes.ts';
import type { Router } from './router.ts';
import type { RoutingError } from './routing-error.ts';
import { ownAmong } from './taken-names.ts';

/** The user's object and the copy beside it that holds the canary's share; both are absent where the Canary names none. */
export interface CopyRefs {
  sourceRef?: ObjectRef;
  copyRef?: ObjectRef;
}

export const noRoutes = { write: [], remove: [] };

/** Both objects, where they are found. */
export function foundOf({ sourceRef, copyRef }: CopyRefs, current: readonly KubeObject[]) {
  return { source: sourceRef && findObject(current, sourceRef), copy: copyRef && findObject(current, copyRef) };
}

/** Throws if the routes need an object and none can be copied. */
export function nothingRendered(canary: Canary, routes: Routes, why: RoutingError): typeof noRoutes {
  if (needsObject(canary, routes)) throw why;
  return noRoutes;
}

/** Verbs shared by routers that copy an object. */
export function copyVerbs(refsOf: (canary: Canary) => CopyRefs): Pick<Router, 'watches' | 'finalize' | 'afterDeletion'> {
  return {
    watches: (canary) => Object.values(refsOf(canary)),
    finalize(canary, current) {
      const { copyRef } = refsOf(canary);
      return { write: [], remove: ownAmong(canary, copyRef ? [copyRef] : [], current) };
    },
    // The user's object leads to the apex Service by itself.
    afterDeletion: () => 'goes',
  };
}

/**
 * Tests if these routes need an object of ours to hold them. Routes with all traffic at the primary do not: routing to the primary must not fail because an
 * object was deleted meanwhile. At the first initialization a missing object is reported all the same.
 */
function needsObject(canary: Canary, routes: Routes): boolean {
  return reachesCanary(routes) || (canary.status?.phase || 'Initializing') === 'Initializing';
}
