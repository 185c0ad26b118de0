import { areRequired, type Credential, type CredentialSources, readCredentials } from './credentials.ts';

const KEEP_MS = 1_000;

export interface CredentialCache {
  /** Undefined where everybody may call. */
  read: (() => Promise<readonly Credential[]>) | undefined;
  /** The last credentials, for hiding them. */
  secrets(): readonly string[];
}

/** Credentials, read again when they are older than a second. Unreadable ones let no caller in, and are reported. */
export async function cacheCredentials(
  sources: CredentialSources,
  monotonicMs: () => number,
  onUnreadable: (error: unknown) => void,
): Promise<CredentialCache> {
  if (!areRequired(sources)) return { read: undefined, secrets: () => [] };
  let known = await readCredentials(sources);
  let readMs = monotonicMs();
  let reading: Promise<readonly Credential[]> | undefined;
  const again = async (): Promise<readonly Credential[]> => {
    try {
      known = await readCredentials(sources);
    } catch (error) {
      onUnreadable(error);
      known = [];
    }
    readMs = monotonicMs();
    reading = undefined;
    return known;
  };
  return {
    async read() {
      if (monotonicMs() - readMs < KEEP_MS) return known;
      reading ??= again();
      return reading;
    },
    secrets: () => known.map(({ value }) => value),
  };
}
