import { GoogleAuth, JWT } from 'google-auth-library';
import type { AskOptions } from '../http/send-request.ts';
import { UnansweredError, withinTimeout } from '../http/within-timeout.ts';
import type { ServiceAccountKey } from './service-account-key.ts';

const SCOPES = ['https://www.googleapis.com/auth/monitoring.read'];

/** The controller's own identity, which keeps its token until it expires. */
let own: GoogleAuth | undefined;

/**
 * A token for reading metrics: signed here with the key, without a request; or, without a key, of the controller's own identity. Load this module only when it
 * is used: the library is larger than most of the other backends.
 */
export function googleToken(
  key: ServiceAccountKey | undefined,
  options: AskOptions,
): Promise<{ token: string } | { kind: 'error'; reason: string }> {
  return withinTimeout(async () => {
    if (!key) {
      own ??= new GoogleAuth({ scopes: SCOPES });
      const token = await own.getAccessToken();
      if (!token) throw new UnansweredError('Serin has no Google credentials of its own, and the Secret has no serviceAccountKey');
      return { token };
    }
    const client = new JWT({
      email: key.client_email,
      key: key.private_key,
      scopes: SCOPES,
      ...(key.private_key_id && { keyId: key.private_key_id }),
    });
    client.useJWTAccessWithScope = true;
    const headers = await client.getRequestHeaders().catch(() => {
      throw new UnansweredError('the private_key of serviceAccountKey cannot sign: put the whole JSON key into the Secret');
    });
    return { token: (headers.get('authorization') ?? '').replace(/^Bearer /, '') };
  }, options);
}
