const LABEL = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const LONGEST_LABEL = 63;
const LONGEST_NAME = 253;

/** True for a name of a namespace, or one part of a host name. */
export const isLabel = (text: string): boolean => text.length <= LONGEST_LABEL && LABEL.test(text);

/** True for one label, or several with dots between them. */
export const isName = (text: string): boolean => text.length <= LONGEST_NAME && text.split('.').every(isLabel);

/** A host in lower case: a name, a name after `*.`, or `*`. `undefined` for any other text, such as a host with a port or with a dot at its end. */
export function hostOf(text: string): string | undefined {
  // Letters outside ASCII can become ASCII ones in lower case.
  if (!/^[!-~]*$/.test(text)) return undefined;
  const host = text.toLowerCase();
  return host === '*' || isName(host.startsWith('*.') ? host.slice(2) : host) ? host : undefined;
}

/** True if the pattern names every request for the host. `*` names all, `*.a.b` everything below `a.b`. */
export function covers(pattern: string, host: string): boolean {
  if (pattern === '*' || pattern === host) return true;
  return pattern.startsWith('*.') && host.endsWith(pattern.slice(1));
}
