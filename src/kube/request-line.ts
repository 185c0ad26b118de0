/**
 * Requests without an answer yet, of all lines: more than a busy API server works on at once would wait there, until their time is over, and be sent again
 * while it still works for the first ones. Enough for `--kubeconfig-qps` 100 with answers that take 0.3 s; each holds a socket.
 */
export const MOST_UNDER_WAY = 32;
/** Limit of upkeep, so that a busy API server answers releases sooner. */
export const MOST_OF_UPKEEP = 8;
/** Limit of one line, so that another one begins at once. */
export const MOST_OF_LINE = 24;

const IN_NAMESPACE = /^\/(?:api|apis\/[^/]+)\/[^/]+\/namespaces\/([^/?]+)/;

/**
 * The line of a request: that of its namespace, or of no namespace. Streams open in lines of their own, so
 * that neither holds up the other, and so does upkeep.
 */
export function lineOf({ verb, path, isUpkeep }: { verb: string; path: string; isUpkeep?: boolean | undefined }): string {
  const namespace = IN_NAMESPACE.exec(path)?.[1] ?? '';
  const line = verb === 'watch' ? `watch/${namespace}` : namespace;
  return isUpkeep ? `upkeep/${line}` : line;
}
