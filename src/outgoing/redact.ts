import { hideSecrets } from '../base/hide-secrets.ts';

/** An error's message without secrets. */
export function redact(error: unknown, secrets: readonly (string | undefined)[]): string {
  return hideSecrets(error instanceof Error ? error.message : String(error), secrets);
}
