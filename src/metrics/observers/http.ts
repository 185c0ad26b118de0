import { daemonPodSelector, podSelector } from './envoy.ts';
import type { Observer } from './observer.ts';
import { p99, successRate } from './shapes.ts';

/** The application's own histogram, in seconds; for providers without metrics of their own. Source: 05 B17. */
function appHistogram(selector: string): Observer {
  return {
    name: 'http',
    ...successRate('http_request_duration_seconds_count', selector, 'status!~"5.*"'),
    requestDuration: p99('http_request_duration_seconds_bucket', selector),
    durationUnit: 's',
    durationStatistic: 'p99',
    selectsWorkload: true,
  };
}

export const http = appHistogram(podSelector);
export const httpDaemonSet = appHistogram(daemonPodSelector);
