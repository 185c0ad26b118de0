import type { Registry } from '@prometheus-io/client';
import type { Clock } from '../../base/clock.ts';
import { metersIn } from '../../base/meters.ts';
import type { TimeQuery } from '../../metrics/measure-dependencies.ts';
import type { TimeCall } from '../../webhooks/call-webhook.ts';

/** A webhook can take minutes, and a query until its timeout. */
const BUCKETS_SECONDS = [0.05, 0.2, 1, 5, 15, 60, 300];
const RESULTS = { value: 'value', noData: 'no_data', error: 'error' } as const;

/**
 * Durations of calls to webhooks and metric backends. Only by kind and result, which are closed lists: names of Canaries, webhooks and metrics would
 * make a series each, and `flagger_canary_checks_total` has the first.
 */
export function callMetrics(registry: Registry) {
  const { histogram } = metersIn(registry);
  const ofHooks = 'Duration of calls of webhooks, by attempt; `result` is passed, refused, or unanswered';
  const hooks = histogram('serin_webhook_duration_seconds', ofHooks, ['type', 'result'], BUCKETS_SECONDS);
  const ofQueries = 'Duration of queries of metric backends; `result` is value, no_data, or error';
  const queries = histogram('serin_metric_query_duration_seconds', ofQueries, ['provider', 'result'], BUCKETS_SECONDS);
  return {
    timeCall:
      (clock: Clock): TimeCall =>
      (type) => {
        const beganMs = clock.monotonicMs();
        return (result) => hooks.observe({ type: type || 'rollout', result }, (clock.monotonicMs() - beganMs) / 1000);
      },
    timeQuery:
      (clock: Clock): TimeQuery =>
      (provider) => {
        const beganMs = clock.monotonicMs();
        return (result) => queries.observe({ provider, result: RESULTS[result] }, (clock.monotonicMs() - beganMs) / 1000);
      },
  };
}
