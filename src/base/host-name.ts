const LABEL = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const LONGEST_LABEL = 63;
const LONGEST_NAME = 253;

/** Whether this is the name of a namespace, or one part of a host name. */
export const isLabel = (text: string): boolean => text.length <= LONGEST_LABEL && LABEL.test(text);

/** Whether this is one label, or several with dots between them. */
export const isName = (text: string): boolean => text.length <= LONGEST_NAME && text.split('.').every(isLabel);

/** A host in lower case: a name, one after `*.`, or `*`. Undefined: any other text, such as one with a port or with a dot at its end. */
export function hostOf(text: string): string | undefined {
  // Letters outside ASCII may become ASCII ones in lower case.
  if (!/^[!-~]*$/.test(text)) return undefined;
  const host = text.toLowerCase();
  return host === '*' || isName(host.startsWith('*.') ? host.slice(2) : host) ? host : undefined;
}

/** Whether each request for the host is one that the pattern names; `*` names all, `*.a.b` everything below `a.b`. */
export function covers(pattern: string, host: string): boolean {
  if (pattern === '*' || pattern === host) return true;
  return pattern.startsWith('*.') && host.endsWith(pattern.slice(1));
}
