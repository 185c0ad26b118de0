import type { IncomingHttpHeaders } from 'node:http';
import type { Access } from './access/access.ts';
import { OWN_HEADER } from './own-headers.ts';

/**
 * Reason for which a request is refused before anything of it is read, `undefined` if it is accepted. The access knows the names of the server, and the origin
 * of the page under each: another name that leads here is DNS rebinding.
 */
export function requestProblem(
  method: string,
  headers: IncomingHttpHeaders,
  access: Pick<Access, 'originOf' | 'hostRemedy'>,
): { status: number; reason: string } | undefined {
  const { host = '', origin } = headers;
  const own = access.originOf(host);
  if (own === undefined) return { status: 421, reason: `unknown Host: ${access.hostRemedy}` };
  if (origin !== undefined && origin !== own) return { status: 403, reason: 'request of another origin' };
  const site = headers['sec-fetch-site'];
  if (method === 'GET' || method === 'HEAD') {
    const isNavigation = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
    if (site !== undefined && site !== 'same-origin' && site !== 'none' && !isNavigation)
      return { status: 403, reason: 'request of another site' };
    return undefined;
  }
  if (method !== 'POST') return { status: 405, reason: 'only GET and POST' };
  if (origin === undefined) return { status: 403, reason: 'a POST needs the header Origin' };
  if (headers[OWN_HEADER] !== '1') return { status: 403, reason: `a POST needs the header ${OWN_HEADER}` };
  if (headers['content-type'] !== 'application/json') return { status: 415, reason: 'the body must be application/json' };
  return undefined;
}
