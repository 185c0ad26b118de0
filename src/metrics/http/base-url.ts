import { withoutTrailing } from '../../base/text-search.ts';

/**
 * The address of a backend with a path appended to its own: a prefix and user info are kept, a query string is dropped. Undefined if it is not an http
 * or https URL.
 */
export function baseUrl(address: string, path: string, query: Readonly<Record<string, string>> = {}): URL | undefined {
  const url = URL.parse(address);
  if (!url || !['http:', 'https:'].includes(url.protocol)) return undefined;
  url.pathname = `${withoutTrailing(url.pathname, '/')}${path}`;
  url.hash = '';
  url.search = new URLSearchParams(query).toString();
  return url;
}
