import { createHmac } from 'node:crypto';

/** Header of a signed call: `sha256=` and the HMAC-SHA256 of its body, byte for byte, in hex. */
export const signatureHeader = 'X-Serin-Signature-256';
/** Key of a Secret that holds what calls are signed with. */
export const signingKeyName = 'signingKey';

export function signatureOf(body: string, key: string): string {
  return `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
}
