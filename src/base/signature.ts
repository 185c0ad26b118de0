import { createHmac } from 'node:crypto';

/** Header of a signed call: `sha256=` and the HMAC-SHA256 of its body, byte for byte, in hex. */
export const signatureHeader = 'X-Serin-Signature-256';
/** Key of a Secret that holds what calls are signed with. */
export const signingKeyName = 'signingKey';

/** Headers that sign one attempt of a call, so that it cannot be repeated or sent elsewhere. */
export const attemptHeaders = {
  /** Seconds of the epoch. */
  timestamp: 'X-Serin-Timestamp',
  /** Another one for each attempt. */
  id: 'X-Serin-Request-Id',
  signature: 'X-Serin-Request-Signature-256',
} as const;

/** One attempt of a signed call. */
export interface SignedAttempt {
  timestamp: string;
  id: string;
  /** Path and query of a POST, as the receiver sees them. */
  path: string;
  body: string;
}

/** HMAC-SHA-256 of the body, as a header has it. */
export function signatureOf(body: string, key: string): string {
  return `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
}

/** Signs `TIMESTAMP.ID.POST PATH`, a line end, and the body. */
export function attemptSignatureOf({ timestamp, id, path, body }: SignedAttempt, key: string): string {
  return signatureOf(`${timestamp}.${id}.POST ${path}\n${body}`, key);
}
