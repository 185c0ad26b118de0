import type { z } from 'zod';
import { parseDuration } from '../../api/duration.ts';
import type { CorsPolicy } from '../../api/service-spec.ts';
import { RoutingError } from '../routing-error.ts';

/** Source: the CRD. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH', '*'];
const ORIGIN = /^\*$|^https?:\/\/(?:(?:\*\.)?(?:[a-zA-Z0-9-]+\.)*[a-zA-Z0-9-]+|\*)(?::[0-9]{1,5})?$/;
const HEADER = /^[A-Za-z0-9!#$%&'*+\-.^_`|~]{1,256}$/;
const MOST = 64;
/** Defaults that the API server would add. */
const DEFAULT_MAX_AGE_SECONDS = 5;
const field = (name: string) => `service.corsPolicy.${name}`;

/** The CORS filter knows whole origins and `*.` wildcards, no patterns. */
export function corsFilter(policy: z.infer<typeof CorsPolicy>): Filter {
  const exact = (policy.allowOrigins ?? []).map((origin, index) => {
    if (!('exact' in origin))
      throw RoutingError.at(field(`allowOrigins[${index}]`), 'must be exact for Gateway API; provider istio takes patterns');
    return origin.exact;
  });
  const lists = {
    allowOrigins: checked('allowOrigins', [...(policy.allowOrigin ?? []), ...exact], (text) => ORIGIN.test(text)),
    allowMethods: checked('allowMethods', policy.allowMethods ?? [], (text) => METHODS.includes(text)),
    allowHeaders: checked('allowHeaders', policy.allowHeaders ?? [], (text) => HEADER.test(text)),
    exposeHeaders: checked('exposeHeaders', policy.exposeHeaders ?? [], (text) => HEADER.test(text)),
  };
  return {
    type: 'CORS',
    cors: {
      ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)),
      ...(policy.allowCredentials ? { allowCredentials: true } : {}),
      maxAge: maxAgeSeconds(policy.maxAge),
    },
  };
}

function checked(name: string, texts: readonly string[], isFine: (text: string) => boolean): string[] {
  const list = [...new Set(texts)];
  const wrong = list.find((text) => !isFine(text));
  if (wrong !== undefined) throw RoutingError.at(field(name), `has ${JSON.stringify(wrong)}, which Gateway API does not take`);
  if (list.length > MOST) throw RoutingError.at(field(name), `has more than ${MOST} entries`);
  if (name !== 'exposeHeaders' && list.includes('*') && list.length > 1)
    throw RoutingError.at(field(name), 'has * beside others: let it be the only entry');
  return list;
}

function maxAgeSeconds(text: string | undefined): number {
  if (!text) return DEFAULT_MAX_AGE_SECONDS;
  const seconds = Math.floor((parseDuration(text) ?? 0) / 1000);
  if (seconds < 1) throw RoutingError.at(field('maxAge'), `is ${JSON.stringify(text)}: Gateway API takes 1s and more`);
  return seconds;
}

/** One filter of a rule or backend, as raw JSON. */
export type Filter = { type: string } & Record<string, unknown>;
