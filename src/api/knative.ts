import { createHash } from 'node:crypto';
import type { Slim } from './kube-object.ts';

export const knativeApiVersion = 'serving.knative.dev/v1';
/** On the Knative Service: the name of the revision that has been promoted (03-K-T2). */
export const primaryRevisionAnnotation = 'flagger.app/primary-revision';

/** A Service of Knative, in any version of its API. */
export function isKnative({ apiVersion, kind }: { apiVersion?: string; kind: string }): boolean {
  return kind === 'Service' && apiVersion === knativeApiVersion;
}

/** On a Knative Service that was deleted and made again under its Canary: its uid. Its Revisions have the names of the former Service's. */
export const madeAgainAnnotation = 'serin.dev/made-again';

/** The uid by which Revisions of this Service differ from those of a former Service of its name; undefined if no former one is known. */
export function madeAgainAs({ metadata: { uid, annotations = {} } }: Slim): string | undefined {
  const marked = annotations[madeAgainAnnotation];
  // A mark of another Service came with a manifest or a backup.
  return marked !== undefined && (uid === undefined || uid === marked) ? marked : undefined;
}

/**
 * The Revision that a release is pinned to: Revisions never change, so that the name is enough (03-K-T7). A Service that was made again gives its Revisions former
 * names: there the first digits are of its uid.
 */
export function knativeRevisionId(revisionName: string, serviceUid?: string): string {
  const ofName = sha256(revisionName);
  return serviceUid === undefined ? `s1:${ofName}` : `${idsOf(serviceUid)}${ofName.slice(UID_DIGITS)}`;
}

/** Tests if it is the id of a Revision of this Service, which was made again. */
export const isOfMadeAgain = (revision: string, serviceUid: string): boolean => revision.startsWith(idsOf(serviceUid));

const UID_DIGITS = 16;
const idsOf = (serviceUid: string): string => `s1:${sha256(serviceUid).slice(0, UID_DIGITS)}`;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
