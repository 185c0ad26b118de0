/** What an error says, without the texts that nobody may see. */
export function redact(error: unknown, secrets: readonly (string | undefined)[]): string {
  let text = error instanceof Error ? error.message : String(error);
  for (const secret of secrets) if (secret) text = text.replaceAll(secret, '***');
  return text;
}
