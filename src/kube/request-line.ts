import type { ApiCall } from './transport.ts';

/**
 * Requests without an answer yet, of all lines: more than a busy API server works on at once would wait there, until their time is over, and be sent again
 * while it still works for the first ones. Enough for `--kubeconfig-qps` 100 with answers that take 0.3 s; each holds a socket.
 */
export const MOST_UNDER_WAY = 32;
/** Of one line, so that another one begins at once. */
export const MOST_OF_LINE = 24;

const IN_NAMESPACE = /^\/(?:api|apis\/[^/]+)\/[^/]+\/namespaces\/([^/?]+)/;

/**
 * Where a request waits for its turn: with those of its namespace, or with those of no namespace. Streams open in lines of their own, so
 * that neither holds up the other.
 */
export function lineOf({ verb, path }: Pick<ApiCall, 'verb' | 'path'>): string {
  const namespace = IN_NAMESPACE.exec(path)?.[1] ?? '';
  return verb === 'watch' ? `watch/${namespace}` : namespace;
}
