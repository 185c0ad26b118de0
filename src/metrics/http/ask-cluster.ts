import type { AskOptions, BackendResponse } from './send-request.ts';
import { withinTimeout } from './within-timeout.ts';

/** One request to the API server of the cluster. */
export interface ClusterRequest {
  /** Default: GET. */
  method?: 'GET' | 'POST' | 'DELETE';
  /** Path with its query; each part from users is encoded and never `.` or `..`. */
  path: string;
  body?: object;
}

/**
 * Sends a request to the API server with the identity of the controller, whose permissions limit the visible objects. It goes nowhere else: an address that a
 * template names never sees the controller's credentials. Any status is a response; throws without a response.
 */
export type AskCluster = (request: ClusterRequest, signal: AbortSignal) => Promise<{ status: number; body: string }>;

interface ClusterAsker {
  ask?(method: string, path: string, options: { body?: object; signal: AbortSignal }): ReturnType<AskCluster>;
}

/** Undefined if no request to the cluster is possible. */
export function askerOf({ ask }: ClusterAsker): AskCluster | undefined {
  return ask && (({ method = 'GET', path, body }, signal) => ask(method, path, { ...(body && { body }), signal }));
}

/** Sends one request, within the time of a check. Never throws. */
export function askCluster(ask: AskCluster | undefined, request: ClusterRequest, options: AskOptions): Promise<BackendResponse> {
  if (!ask) return Promise.resolve({ kind: 'error', reason: `${options.who} is queried through a cluster, and none is connected` });
  return withinTimeout((signal) => ask(request, signal), options);
}
