import type { IncomingMessage } from 'node:http';
import type { Priority } from './priority.ts';

export type ApiVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'apply' | 'patch' | 'delete' | 'raw';

/** One call of the API server, in the form that is counted and sent. */
export interface ApiCall {
  verb: ApiVerb;
  /** Plural resource name, for metrics. */
  resource: string;
  subresource?: string | undefined;
  method: string;
  /** Below the connection's baseUrl, with query. */
  path: string;
  accept?: string;
  contentType?: string;
  body?: unknown;
  signal?: AbortSignal | undefined;
  /** More urgent requests go first. Default: `release`. */
  priority?: Priority | undefined;
  /** Reads a good answer while it arrives. Its result is the answer's text. */
  read?: ((response: IncomingMessage) => Promise<string>) | undefined;
}

export interface ApiResponse {
  status: number;
  text: string;
  retryAfterMs?: number;
}

/** See `TransportOptions`. */
export type BeforeSend = (call: Pick<ApiCall, 'verb' | 'resource'>) => AbortSignal | undefined;

const READS: ReadonlySet<ApiVerb> = new Set<ApiVerb>(['get', 'list', 'watch']);

/** True if the call can change something, judged by its verb. */
export const isWrite = ({ verb }: Pick<ApiCall, 'verb'>): boolean => !READS.has(verb);
