import type { Observer } from '../../api/observer.ts';
import type { Observers } from '../provider.ts';
import { daemonPodSelector, podSelector } from './pods.ts';
import { percentiles, successRate } from './shapes.ts';

/** The application's own histogram, in seconds; for providers without metrics of their own. Source: 05-B17. */
function appHistogram(selector: string): Observer {
  return {
    name: 'http',
    ...successRate('http_request_duration_seconds_count', selector, 'status!~"5.*"'),
    ...percentiles('http_request_duration_seconds_bucket', selector),
    durationUnit: 's',
    selectsWorkload: true,
  };
}

export const application: Observers = { Deployment: appHistogram(podSelector), DaemonSet: appHistogram(daemonPodSelector) };
