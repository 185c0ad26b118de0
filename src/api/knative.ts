import { createHash } from 'node:crypto';
import type { Release } from './canary-status.ts';
import type { Slim } from './kube-object.ts';

export const knativeApiVersion = 'serving.knative.dev/v1';
/** On the Knative Service: the name of the revision that has been promoted. */
export const primaryRevisionAnnotation = 'flagger.app/primary-revision';

/** A Service of Knative, in any version of its API. */
export function isKnative({ apiVersion, kind }: { apiVersion?: string; kind: string }): boolean {
  return kind === 'Service' && apiVersion === knativeApiVersion;
}

/** On a Knative Service that was deleted and made again under its Canary: its uid. Its Revisions have the names of the former Service's. */
export const madeAgainAnnotation = 'serin.dev/made-again';

/** A Knative Service that was made again, by its uid; `undefined` if no former Service of its name is known. */
export type MadeAgain = string | undefined;

/**
 * Tells if a Service was made again: by its mark, and before that is written by the record of the release, if this is of a Service with another uid and no primary
 * is named. A restored backup names one.
 */
export function madeAgainOf({ metadata: { uid, annotations = {} } }: Slim, release?: Pick<Release, 'targetUid' | 'revision'>): MadeAgain {
  const marked = annotations[madeAgainAnnotation];
  // A mark of another Service came with a manifest or a backup.
  if (marked !== undefined && (uid === undefined || uid === marked)) return marked;
  if (uid === undefined || !release?.targetUid || annotations[primaryRevisionAnnotation]) return undefined;
  return release.targetUid !== uid || release.revision.startsWith(idOf(uid).slice(0, SERVICE_PART)) ? uid : undefined;
}

/**
 * The Revision that a release is pinned to: Revisions never change, so that the name is enough. A Service that was made again gives its Revisions former
 * names: there the first digits are of its uid.
 */
export function knativeRevisionId(revisionName: string, service: MadeAgain): string {
  const id = idOf(revisionName);
  return service === undefined ? id : `${idOf(service).slice(0, SERVICE_PART)}${id.slice(SERVICE_PART)}`;
}

const SERVICE_PART = 's1:'.length + 16;
const idOf = (text: string): string => `s1:${createHash('sha256').update(text).digest('hex')}`;
