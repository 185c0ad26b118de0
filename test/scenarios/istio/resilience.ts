import { by, insider } from '../route-rows.ts';
import { type Row, row } from './row.ts';

const FAILS = { ERROR_RATE: '1' };
/** Answers 503: the first request is one too many. */
const OVERLOADED = { CAPACITY_PER_SECOND: '0.5' };
const LATE = { LATENCY_MS: '3000' };
const tries = (count: number) => ({ received: { 'x-envoy-attempt-count': String(count) } });
const everyTime = (count: number): Row['asks'] => Array.from({ length: count }, () => [{}, { status: 200, version: '1' }]);

/** Retries and timeouts of `spec.service`. The tries are counted in a header that pods receive. */
export const resilience: readonly Row[] = [
  row('without retries of its own a route tries once what a pod has answered', { pods: { env: { 1: OVERLOADED } } }, [
    {},
    { status: 503, version: '1', ...tries(1) },
  ]),
  row(
    'retries of failed requests, as often as said',
    { service: { retries: { attempts: 3, retryOn: '5xx' } }, pods: { env: { 1: FAILS } } },
    [{}, { status: 500, version: '1', ...tries(4) }],
  ),
  row('no retries', { service: { retries: { attempts: 0, retryOn: '5xx' } }, pods: { env: { 1: FAILS } } }, [
    {},
    { status: 500, ...tries(1) },
  ]),
  row('retries without a number are none', { service: { retries: { retryOn: '5xx' } }, pods: { env: { 1: FAILS } } }, [
    {},
    { status: 500, ...tries(1) },
  ]),
  row(
    'retries without a condition are none of what a pod has answered',
    { service: { retries: { attempts: 2 } }, pods: { env: { 1: OVERLOADED } } },
    [{}, { status: 503, ...tries(1) }],
  ),
  row(
    'retries of one status: this one',
    { service: { retries: { attempts: 2, retryOn: 'connect-failure, 503' } }, pods: { env: { 1: OVERLOADED } } },
    [{}, { status: 503, ...tries(3) }],
  ),
  row('retries of one status: another', { service: { retries: { attempts: 2, retryOn: '503' } }, pods: { env: { 1: FAILS } } }, [
    {},
    { status: 500, ...tries(1) },
  ]),
  row(
    'retries of errors of gateways: 503',
    { service: { retries: { attempts: 2, retryOn: 'gateway-error' } }, pods: { env: { 1: OVERLOADED } } },
    [{}, { status: 503, ...tries(3) }],
  ),
  row(
    'retries of errors of gateways: not 500',
    { service: { retries: { attempts: 2, retryOn: 'gateway-error' } }, pods: { env: { 1: FAILS } } },
    [{}, { status: 500, ...tries(1) }],
  ),
  row(
    'retries stay on the side that the request was for',
    { service: { retries: { attempts: 3, retryOn: '5xx' } }, routes: insider({ exact: 'insider' }), pods: { env: { 2: FAILS } } },
    [by('insider'), { status: 500, version: '2', ...tries(4) }],
    [{}, { status: 200, version: '1', ...tries(1) }],
  ),
  row(
    'users of a pod that fails now and then notice nothing, if there are retries enough',
    { service: { retries: { attempts: 30, retryOn: '5xx' } }, pods: { env: { 1: { ERROR_RATE: '0.5' } } } },
    ...everyTime(20),
  ),
  row('a late answer is cut off', { service: { timeout: '300ms' }, pods: { env: { 1: LATE } } }, [{}, { status: 504 }]),
  row('an answer that is late, but not too late', { service: { timeout: '30s' }, pods: { env: { 1: { LATENCY_MS: '300' } } } }, [
    {},
    { status: 200, version: '1' },
  ]),
  row(
    'a late try is cut off and not tried again, since no condition names it',
    { service: { retries: { attempts: 2, perTryTimeout: '300ms', retryOn: 'connect-failure' } }, pods: { env: { 1: LATE } } },
    [{}, { status: 504 }],
  ),
  row(
    'a limit of each try without a number of tries is none',
    { service: { retries: { perTryTimeout: '300ms' } }, pods: { env: { 1: { LATENCY_MS: '1000' } } } },
    [{}, { status: 200, version: '1' }],
  ),
  row(
    'of two pods one of which is late, the other answers by a further try',
    { service: { retries: { attempts: 10, perTryTimeout: '1s', retryOn: '5xx' } }, pods: { env: { 1: LATE }, count: 2, others: {} } },
    ...everyTime(6),
  ),
  row(
    'the limit of a request is one of all its tries',
    { service: { timeout: '1s', retries: { attempts: 10, perTryTimeout: '600ms', retryOn: '5xx' } }, pods: { env: { 1: LATE } } },
    [{}, { status: 504 }],
  ),
];
