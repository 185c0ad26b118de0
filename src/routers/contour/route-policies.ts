import type { Canary } from '../../api/canary.ts';
import { RoutingError } from '../routing-error.ts';

/** Longest pause within a request, fixed as in Flagger. */
const IDLE = '5m';
/** Patterns and words of the published HTTPProxy schema; anything else is refused by the API server. */
const DURATION = /^(?:\d+(?:\.\d*)?(?:h|m|s|ms|us|µs|ns))+$/;
const RETRY_ON = new Set([
  ...['5xx', 'gateway-error', 'reset', 'reset-before-request', 'connect-failure', 'envoy-ratelimited', 'retriable-4xx'],
  ...['refused-stream', 'retriable-status-codes', 'retriable-headers', 'http3-post-connect-failure'],
  ...['cancelled', 'deadline-exceeded', 'internal', 'resource-exhausted', 'unavailable'],
]);

/** Timeouts and retries of each route. When not strict, values that Contour would refuse are left out. */
export function routePolicies(canary: Canary, isStrict: boolean): { timeoutPolicy?: object; retryPolicy?: object } {
  const { timeout, retries } = canary.spec.service;
  const response = duration(timeout, 'service.timeout', isStrict);
  return {
    ...(response === undefined ? {} : { timeoutPolicy: { response, idle: IDLE } }),
    ...(retries ? { retryPolicy: retryPolicy(retries, isStrict) } : {}),
  };
}

function retryPolicy(retries: NonNullable<Canary['spec']['service']['retries']>, isStrict: boolean): object {
  const perTryTimeout = duration(retries.perTryTimeout, 'service.retries.perTryTimeout', isStrict);
  const words = (retries.retryOn ?? '').split(',').flatMap((word) => word.trim() || []);
  const unknown = words.find((word) => !RETRY_ON.has(word));
  if (isStrict && unknown !== undefined)
    throw RoutingError.at('service.retries.retryOn', `has ${unknown}, which Contour does not know; it knows ${[...RETRY_ON].join(', ')}`);
  const retryOn = words.filter((word) => RETRY_ON.has(word));
  // The API server writes 1 where nothing is said.
  const count = retries.attempts ?? 1;
  if (isStrict && count < -1) throw RoutingError.at('service.retries.attempts', 'is below -1, which means none');
  return {
    count: Math.max(-1, count),
    ...(perTryTimeout === undefined ? {} : { perTryTimeout }),
    ...(retryOn.length > 0 ? { retryOn } : {}),
  };
}

/** `0` turns a limit off in the Canary, where an HTTPProxy has a word for it. */
function duration(text: string | undefined, field: string, isStrict: boolean): string | undefined {
  if (!text) return undefined;
  if (text === '0') return 'infinity';
  if (DURATION.test(text)) return text;
  if (isStrict) throw RoutingError.at(field, `is ${text}, which an HTTPProxy does not take: write it as in 1m30s`);
  return undefined;
}
