import { DEFAULT_PRIORITY, type Priority } from './priority.ts';

/**
 * Requests without an answer yet, of all lines: more than a busy API server works on at once would wait there, until their time is over, and be sent again
 * while it still works for the first ones. Enough for `--kubeconfig-qps` 400 with answers that take 0.08 s; each holds a socket.
 */
export const MOST_UNDER_WAY = 32;
/** Limit of upkeep, and of initialization, so that a busy API server answers releases sooner. */
export const MOST_OF_UPKEEP = 8;
/** Limit of one line, so that another one begins at once. */
export const MOST_OF_LINE = 24;

const IN_NAMESPACE = /^\/(?:api|apis\/[^/]+)\/[^/]+\/namespaces\/([^/?]+)/;
const OF_GROUP = /^\/apis\/([^/]+)\//;

interface LineCall {
  verb: string;
  path: string;
  priority?: Priority | undefined;
}

/**
 * The line of a request: that of its namespace, or of no namespace. Streams open in lines of their own, so that neither delays the other, and so does each
 * priority.
 */
export function lineOf({ verb, path, priority = DEFAULT_PRIORITY }: LineCall): string {
  const namespace = IN_NAMESPACE.exec(path)?.[1] ?? '';
  const line = verb === 'watch' ? `watch/${namespace}` : namespace;
  return priority === DEFAULT_PRIORITY ? line : `${priority}/${line}`;
}

/** The resource of a call as `kubectl` names it: `services`, `deployments.apps`. */
export function resourceOfCall({ resource, path }: { resource: string; path: string }): string {
  const group = OF_GROUP.exec(path)?.[1];
  return group === undefined ? resource : `${resource}.${group}`;
}
