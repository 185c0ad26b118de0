import { adoptAnnotation } from '../../api/adopt-annotation.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { madeForAnnotation, ownerAnnotation } from '../../api/names.ts';
import { originalConfig } from '../../api/tracking-metadata.ts';

const MARKS = [ownerAnnotation, madeForAnnotation, originalConfig];
const MAKERS = ['Canary', 'ControllerRevision'];

/**
 * Whether a route is the user's: neither Serin nor Flagger has made it or taken it over whole, and it was not handed over. Of such a route only the
 * backends that name the application are Serin's (I17).
 */
export function isUsersRoute({ metadata: { annotations = {}, ownerReferences = [] } }: KubeObject): boolean {
  if (annotations[adoptAnnotation] === 'true') return false;
  return !MARKS.some((mark) => annotations[mark] !== undefined) && !ownerReferences.some(({ kind }) => MAKERS.includes(kind));
}
