import got, { RequestError } from 'got';
import type { AlertMessage, Notifier, SendOutcome } from './notifier.ts';

/** Total time of one alert, in milliseconds (05 A40). */
const TIMEOUT_MS = 5000;

/** POSTs each alert as JSON to one address; `Idempotency-Key` lets the receiver drop a repeat. */
export function webhookNotifier({ url, timeoutMs = TIMEOUT_MS }: { url: string; timeoutMs?: number }): Notifier {
  const address = URL.parse(url);
  const isUsable = address?.protocol === 'http:' || address?.protocol === 'https:';
  return {
    async send(message, signal): Promise<SendOutcome> {
      signal.throwIfAborted();
      if (!address || !isUsable) return { ok: false, reason: 'the address is not an http or https address', retry: false };
      return post(address, message, timeoutMs, signal);
    },
  };
}

async function post(url: URL, message: AlertMessage, timeoutMs: number, signal: AbortSignal): Promise<SendOutcome> {
  // A stream, destroyed once the status is known: the body of an unknown server is of no use and of any length.
  const request = got.stream.post(url, {
    json: bodyOf(message),
    headers: { 'idempotency-key': message.key },
    timeout: { request: timeoutMs },
    retry: { limit: 0 },
    throwHttpErrors: false,
    methodRewriting: true,
    signal,
  });
  try {
    const status = await new Promise<number>((resolve, reject) => {
      request.once('response', ({ statusCode }: { statusCode: number }) => resolve(statusCode));
      request.on('error', reject);
    });
    if (status >= 200 && status < 300) return { ok: true };
    return { ok: false, reason: `HTTP ${status} from ${url.host}`, retry: status === 429 || (status >= 500 && status !== 501) };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof RequestError)) throw error;
    // The code alone: messages may quote the address, whose path is often the secret.
    return { ok: false, reason: `no answer from ${url.host}: ${error.code}`, retry: true };
  } finally {
    request.destroy();
  }
}

function bodyOf({ key, canary, severity, text, fields }: AlertMessage): object {
  return { key, name: canary.name, namespace: canary.namespace, severity, message: text, fields };
}
