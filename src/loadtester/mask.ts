/** Likely credentials in the output of an unknown program. No quantifier meets itself: the time is linear. */
const SCHEMES = /\b(bearer|basic) [\w.~+/=-]{8,}/gi;
const ASSIGNED = /((?:token|secret|password|passwd|api[-_]?key)["']? ?[=:] ?["']?)[^\s"',;&]+/gi;

/** The text without these secrets and without what looks like one, for logs, answers and events. */
export function mask(text: string, secrets: readonly string[]): string {
  // The longest first: a secret can be part of another. A shorter secret than 3 characters would hide parts of words.
  const known = secrets.filter((secret) => secret.length >= 3).sort((one, other) => other.length - one.length);
  const without = known.reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
  return without.replace(SCHEMES, '$1 ***').replace(ASSIGNED, '$1***');
}
