import { parseDuration } from '../../api/duration.ts';
import { type IstioText, matchesText } from './http-match.ts';
import { headerOf, type MeshRequest } from './request.ts';
import type { HeaderChanges } from './resolved-route.ts';

/** `corsPolicy` of a VirtualService. */
export interface IstioCorsPolicy {
  allowOrigins?: IstioText[];
  allowMethods?: string[];
  allowHeaders?: string[];
  exposeHeaders?: string[];
  maxAge?: string;
  allowCredentials?: boolean;
}

/**
 * Result of a proxy for a request from another origin: the headers of its answer to a preflight, or the changes to the application's answer; `undefined` if the
 * policy says nothing of it. Seen on Envoy, as istiod configures it (`npm run test:planes`).
 */
export function corsOf(
  policy: IstioCorsPolicy | undefined,
  request: MeshRequest,
): { preflight: Record<string, string> } | HeaderChanges | undefined {
  const origin = headerOf(request, 'origin');
  if (origin === undefined || !policy?.allowOrigins?.some((allowed) => matchesText(allowed, origin))) return undefined;
  const headers = {
    'access-control-allow-origin': origin,
    ...(policy.allowCredentials && { 'access-control-allow-credentials': 'true' }),
  };
  const list = (name: string, values: readonly string[] = []) => (values.length === 0 ? {} : { [name]: values.join(',') });
  if (request.method !== 'OPTIONS' || headerOf(request, 'access-control-request-method') === undefined)
    return { set: { ...headers, ...list('access-control-expose-headers', policy.exposeHeaders) } };
  const maxAgeMs = parseDuration(policy.maxAge ?? '');
  return {
    preflight: {
      ...headers,
      ...list('access-control-allow-methods', policy.allowMethods),
      ...list('access-control-allow-headers', policy.allowHeaders),
      ...(maxAgeMs === undefined ? {} : { 'access-control-max-age': String(maxAgeMs / 1_000) }),
    },
  };
}
