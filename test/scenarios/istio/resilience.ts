import { by, insider } from '../route-rows.ts';
import type { Row } from './row.ts';

const FAILS = { ERROR_RATE: '1' };
/** Answers 503: the first request is one too many. */
const OVERLOADED = { CAPACITY_PER_SECOND: '0.5' };
const LATE = { LATENCY_MS: '3000' };
const tries = (count: number) => ({ received: { 'x-envoy-attempt-count': String(count) } });
const everyTime = (count: number): Row['asks'] => Array.from({ length: count }, () => [{}, { status: 200, version: '1' }]);

/** Retries and timeouts of `spec.service`. The tries are counted in a header that pods receive. */
export const resilience: readonly Row[] = [
  {
    what: 'without retries of its own a route tries once what a pod has answered',
    pods: { env: { 1: OVERLOADED } },
    asks: [[{}, { status: 503, version: '1', ...tries(1) }]],
  },
  {
    what: 'retries of failed requests, as often as said',
    service: { retries: { attempts: 3, retryOn: '5xx' } },
    pods: { env: { 1: FAILS } },
    asks: [[{}, { status: 500, version: '1', ...tries(4) }]],
  },
  {
    what: 'no retries',
    service: { retries: { attempts: 0, retryOn: '5xx' } },
    pods: { env: { 1: FAILS } },
    asks: [[{}, { status: 500, ...tries(1) }]],
  },
  {
    what: 'retries without a number are none',
    service: { retries: { retryOn: '5xx' } },
    pods: { env: { 1: FAILS } },
    asks: [[{}, { status: 500, ...tries(1) }]],
  },
  {
    what: 'retries without a condition are none of what a pod has answered',
    service: { retries: { attempts: 2 } },
    pods: { env: { 1: OVERLOADED } },
    asks: [[{}, { status: 503, ...tries(1) }]],
  },
  {
    what: 'retries of one status: this one',
    service: { retries: { attempts: 2, retryOn: 'connect-failure, 503' } },
    pods: { env: { 1: OVERLOADED } },
    asks: [[{}, { status: 503, ...tries(3) }]],
  },
  {
    what: 'retries of one status: another',
    service: { retries: { attempts: 2, retryOn: '503' } },
    pods: { env: { 1: FAILS } },
    asks: [[{}, { status: 500, ...tries(1) }]],
  },
  {
    what: 'retries of errors of gateways: 503',
    service: { retries: { attempts: 2, retryOn: 'gateway-error' } },
    pods: { env: { 1: OVERLOADED } },
    asks: [[{}, { status: 503, ...tries(3) }]],
  },
  {
    what: 'retries of errors of gateways: not 500',
    service: { retries: { attempts: 2, retryOn: 'gateway-error' } },
    pods: { env: { 1: FAILS } },
    asks: [[{}, { status: 500, ...tries(1) }]],
  },
  {
    what: 'retries stay on the side that the request was for',
    service: { retries: { attempts: 3, retryOn: '5xx' } },
    routes: insider({ exact: 'insider' }),
    pods: { env: { 2: FAILS } },
    asks: [
      [by('insider'), { status: 500, version: '2', ...tries(4) }],
      [{}, { status: 200, version: '1', ...tries(1) }],
    ],
  },
  {
    what: 'users of a pod that fails now and then notice nothing, if there are retries enough',
    service: { retries: { attempts: 30, retryOn: '5xx' } },
    pods: { env: { 1: { ERROR_RATE: '0.5' } } },
    asks: everyTime(20),
  },
  {
    what: 'a late answer is cut off',
    service: { timeout: '300ms' },
    pods: { env: { 1: LATE } },
    asks: [[{}, { status: 504 }]],
  },
  {
    what: 'an answer that is late, but not too late',
    service: { timeout: '30s' },
    pods: { env: { 1: { LATENCY_MS: '300' } } },
    asks: [[{}, { status: 200, version: '1' }]],
  },
  {
    what: 'a late try is cut off and not tried again, since no condition names it',
    service: { retries: { attempts: 2, perTryTimeout: '300ms', retryOn: 'connect-failure' } },
    pods: { env: { 1: LATE } },
    asks: [[{}, { status: 504 }]],
  },
  {
    what: 'a limit of each try without a number of tries is none',
    service: { retries: { perTryTimeout: '300ms' } },
    pods: { env: { 1: { LATENCY_MS: '1000' } } },
    asks: [[{}, { status: 200, version: '1' }]],
  },
  {
    what: 'of two pods one of which is late, the other answers by a further try',
    service: { retries: { attempts: 10, perTryTimeout: '1s', retryOn: '5xx' } },
    pods: { env: { 1: LATE }, count: 2, others: {} },
    asks: everyTime(6),
  },
  {
    what: 'the limit of a request is one of all its tries',
    service: { timeout: '1s', retries: { attempts: 10, perTryTimeout: '600ms', retryOn: '5xx' } },
    pods: { env: { 1: LATE } },
    asks: [[{}, { status: 504 }]],
  },
];
