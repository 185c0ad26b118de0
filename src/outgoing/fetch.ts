import { call, type OutgoingSettings } from './call.ts';

interface FetchInit {
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: unknown;
  signal?: AbortSignal | undefined;
}

/**
 * A `fetch` for libraries that bring no client of their own, under the rules of `call`: redirects are answers, and the body is whole when it resolves. Its
 * errors name neither the address nor a header.
 */
export function outgoingFetch(settings: Omit<OutgoingSettings, 'signal'>): (url: string, init: FetchInit) => Promise<Response> {
  return async (address, { method, headers, body, signal = NEVER }) => {
    const answer = await call(
      { url: new URL(address), method: method === 'GET' ? 'GET' : 'POST', headers, body: textOf(body) },
      { ...settings, signal, redirects: 'manual', secrets: [headers.authorization, textOf(body)] },
    );
    if ('failed' in answer) {
      if (answer.failed === 'cancelled') signal.throwIfAborted();
      throw new Error(answer.failed === 'late' ? `no answer within ${settings.timeoutMs} ms` : answer.why);
    }
    const { status } = answer;
    const named = Object.entries(answer.headers).flatMap(([name, value]): [string, string][] =>
      value === undefined || UNPACKED.has(name) ? [] : [[name, String(value)]],
    );
    return new Response(WITHOUT_BODY.has(status) ? null : answer.body, { status, headers: named });
  };
}

const NEVER = new AbortController().signal;
/** The body comes unpacked. */
const UNPACKED = new Set(['content-encoding', 'content-length', 'transfer-encoding']);
const WITHOUT_BODY = new Set([204, 205, 304]);

function textOf(body: unknown): string | undefined {
  if (body === undefined || body === null) return undefined;
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : String(body);
}
