import { validateHeaderName, validateHeaderValue } from 'node:http';
import { decodedUri } from '../base/decoded-uri.ts';

/** They say where the request ends, so a Canary does not: that is how one request is smuggled inside another. */
const OURS = new Set(['content-length', 'transfer-encoding', 'connection', 'upgrade', 'te', 'trailer', 'keep-alive', 'expect']);
const CREDENTIALS = /^(authorization|proxy-authorization|cookie)$|token|secret|api-?key|password/i;

/** Reads `Name: value`; the problem names the header, never its value. */
export function requestHeader(text: string): { name: string; value: string } | { problem: string } {
  const colon = text.indexOf(':');
  const name = text.slice(0, colon).trim();
  const value = text.slice(colon + 1).trim();
  if (colon < 1) return { problem: 'a header is not written like Name: value' };
  if (OURS.has(name.toLowerCase())) return { problem: `the header ${name} must not be set by a test` };
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch {
    return { problem: `the header ${name.slice(0, 40).replace(/[^\x20-\x7e]/g, '?')} cannot be sent` };
  }
  return { name, value };
}

/** The value without its scheme too: a program that echoes it may leave that out. */
export function secretsOfHeader(name: string, value: string): string[] {
  return CREDENTIALS.test(name) ? [value, value.replace(/^(Basic|Bearer)\s+/i, '')] : [];
}

/** URL that can be requested, or the problem with it. */
export function requestUrl(text: string): { url: URL; secrets: string[]; authorization?: string } | { problem: string } {
  const url = URL.parse(/^[a-z][-+.a-z0-9]*:\/\//i.test(text) ? text : `http://${text}`);
  if (url === null || !/^https?:$/.test(url.protocol)) return { problem: 'its address is not of http or https' };
  const { username, password } = url;
  url.username = '';
  url.password = '';
  url.hash = '';
  if (username === '' && password === '') return { url, secrets: [] };
  const authorization = basicAuthorization(`${decode(username)}:${decode(password)}`);
  return { url, authorization, secrets: [password, decode(password), authorization.slice('Basic '.length)].filter((text) => text !== '') };
}

/** The value of the Authorization header, from `user:password`. */
export function basicAuthorization(userAndPassword: string): string {
  return `Basic ${Buffer.from(userAndPassword).toString('base64')}`;
}

/** A `%` that begins no escape is taken literally. */
const decode = (text: string): string => decodedUri(text) ?? text;
