import { adoptAnnotation } from '../../api/adopt-annotation.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { madeForAnnotation, ownerAnnotation } from '../../api/names.ts';
import { originalConfig } from '../../api/tracking-metadata.ts';

const MARKS = [ownerAnnotation, madeForAnnotation, originalConfig, adoptAnnotation];
const MAKERS = ['Canary', 'ControllerRevision'];

/**
 * Whether a route is the user's: neither Serin nor Flagger has made it or taken it over whole, and it was not handed over. Of such a route only the
 * backends that name the application are Serin's (I17).
 */
export function isUsersRoute({ metadata: { annotations = {}, ownerReferences = [] } }: KubeObject): boolean {
  return !MARKS.some((mark) => annotations[mark] !== undefined) && !ownerReferences.some(({ kind }) => MAKERS.includes(kind));
}

/** Whether what is to be written is a part of a route of the user's: it is merged into the version that it was rendered from, never applied. */
export function isPartOfRoute(wanted: KubeObject, live: KubeObject | undefined): boolean {
  return live !== undefined && wanted.kind !== 'Service' && isUsersRoute(live) && Object.keys(wanted.metadata).length === 2;
}
