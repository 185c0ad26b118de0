import { randomUUID } from 'node:crypto';
import { idempotencyHeader } from '../base/idempotency-key.ts';
import { headerProblem } from '../base/request-header.ts';
import { attemptHeaders, attemptSignatureOf, signatureHeader, signatureOf, signingKeyName } from '../base/signature.ts';

const HEADER_PREFIX = 'header.';
/** Set by us: a Secret does not change what the body is. */
const OURS = new Set([
  ...['content-type', idempotencyHeader, signatureHeader, ...Object.values(attemptHeaders)].map((name) => name.toLowerCase()),
]);

export interface HookCredentials {
  /** Headers of one attempt to send the body there. */
  headers(body: string, url: URL, nowMs: number): Record<string, string>;
  /** Texts that must not be shown anywhere. */
  secrets: readonly string[];
}

/**
 * A Secret's additions to a call: `signingKey` signs the body, and each key `header.NAME` is the value of the header NAME. Line ends at the end
 * of a value are not part of it.
 */
export function hookCredentials(secret: Readonly<Record<string, string>>): HookCredentials | { problem: string } {
  const key = secret[signingKeyName]?.trim();
  const own = Object.entries(secret).flatMap(([name, value]) =>
    name.startsWith(HEADER_PREFIX) ? [[name.slice(HEADER_PREFIX.length), value.trim()] as const] : [],
  );
  for (const [name, value] of own) {
    const problem = OURS.has(name.toLowerCase()) ? 'is set by Serin: leave it out' : headerProblem(name, [value]);
    if (problem !== undefined)
      return { problem: `its key ${HEADER_PREFIX}${name.slice(0, 80)} makes no header that can be sent: it ${problem}` };
  }
  if (!key && own.length === 0) return { problem: `it has neither ${signingKeyName} nor a key ${HEADER_PREFIX}NAME` };
  return {
    headers: (body, url, nowMs) => ({ ...Object.fromEntries(own), ...(key ? signed({ body, url, nowMs }, key) : {}) }),
    secrets: [key, ...own.flatMap(([, value]) => [value, value.replace(/^(Basic|Bearer)\s+/i, '')])].filter(
      (text): text is string => text !== undefined && text !== '',
    ),
  };
}

function signed({ body, url, nowMs }: { body: string; url: URL; nowMs: number }, key: string): Record<string, string> {
  const attempt = { timestamp: String(Math.floor(nowMs / 1000)), id: randomUUID(), path: `${url.pathname}${url.search}`, body };
  return {
    [signatureHeader]: signatureOf(body, key),
    [attemptHeaders.timestamp]: attempt.timestamp,
    [attemptHeaders.id]: attempt.id,
    [attemptHeaders.signature]: attemptSignatureOf(attempt, key),
  };
}
