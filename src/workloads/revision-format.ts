/** Marks our own revisions, so that one of another controller (or of a later format) is never taken for ours. */
export const REVISION_FORMAT = 's1:';

/** The mark, when it is a revision of ours. */
export function ownRevision(mark: unknown): string | undefined {
  return typeof mark === 'string' && mark.startsWith(REVISION_FORMAT) ? mark : undefined;
}
