import { Readable } from 'node:stream';
import { parseJson } from '../../base/json.ts';
import { sendRequest } from '../http/send-request.ts';
import { UnansweredError } from '../http/within-timeout.ts';
import type { BackendTransport } from './backend.ts';

/** Time of one attempt of the client; the check's own time limit is shorter and ends all attempts. */
const ATTEMPT_TIMEOUT_MS = 30_000;

/** The client's request, including fields that its own types lack. */
interface Sent {
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  method: string;
  headers: Record<string, string>;
  body?: unknown;
}

/**
 * Sends the requests of AWS' client within the same limits as all others: length of the response, time, and no other address by a redirect. `transport` applies
 * to each request.
 */
export function askingHandler(who: string, transport: () => Partial<BackendTransport> | undefined) {
  return {
    async handle({ protocol, hostname, port, path, method, headers, body }: Sent, { abortSignal }: { abortSignal?: unknown } = {}) {
      const url = new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`);
      const signal = abortSignal instanceof AbortSignal ? abortSignal : new AbortController().signal;
      const request = { url, method: method === 'GET' ? ('GET' as const) : ('POST' as const), headers, body: textOf(body) };
      const response = await sendRequest(request, {
        ...transport(),
        who,
        // The client has its own retries.
        retries: 0,
        timeoutMs: ATTEMPT_TIMEOUT_MS,
        secrets: Object.values(headers),
        signal,
      });
      if ('kind' in response) throw new UnansweredError(response.reason);
      const { status } = response;
      // For an error in another form, such as a proxy's page, the client would only report that it cannot be read.
      const text = status >= 300 && typeof parseJson(response.body) !== 'object' ? '{}' : response.body;
      return { response: { statusCode: status, headers: {}, body: Readable.from([Buffer.from(text)]) } };
    },
    updateHttpClientConfig: () => undefined,
    httpHandlerConfigs: () => ({}),
  };
}

function textOf(body: unknown): string {
  // Without Buffer, which calls toString first: the client warns of that.
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  return typeof body === 'string' ? body : '';
}
