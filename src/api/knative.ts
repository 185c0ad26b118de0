import { createHash } from 'node:crypto';

export const knativeApiVersion = 'serving.knative.dev/v1';
/** On the Knative Service: the name of the revision that has been promoted (03-K-T2). */
export const primaryRevisionAnnotation = 'flagger.app/primary-revision';

/** A Service of Knative, in any version of its API. */
export function isKnative({ apiVersion, kind }: { apiVersion?: string; kind: string }): boolean {
  return kind === 'Service' && apiVersion === knativeApiVersion;
}

/** The Revision that a release is pinned to: Revisions never change, so that the name is enough (03-K-T7). */
export function knativeRevisionId(revisionName: string): string {
  return `s1:${createHash('sha256').update(revisionName).digest('hex')}`;
}
