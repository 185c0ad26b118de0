import { hideSecrets } from '../../api/hide-secrets.ts';

/** What an error says, without the texts that nobody may see. */
export function redact(error: unknown, secrets: readonly (string | undefined)[]): string {
  return hideSecrets(error instanceof Error ? error.message : String(error), secrets);
}
