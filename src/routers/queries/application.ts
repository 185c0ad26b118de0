import type { Observer } from '../../api/observer.ts';
import type { Observers } from '../provider.ts';
import { namespaceLabel, ofNamespace, podLabel, podsOfDaemonSet, podsOfDeployment } from './pods.ts';
import { bothSides, percentiles, successRate } from './shapes.ts';

const requests = 'http_request_duration_seconds_count';
const buckets = 'http_request_duration_seconds_bucket';
const succeeded = 'status!~"5.*"';

/** The application's own histogram, in seconds; for providers without metrics of their own. */
function appHistogram(podsOf: (workload: string) => string): Observer {
  const canary = podsOf('{{ target }}');
  return {
    name: 'http',
    ...successRate(requests, canary, succeeded),
    ...percentiles(buckets, canary),
    durationUnit: 's',
    selectsWorkload: true,
    series: {
      ...{ requests, durations: buckets, canary, primary: podsOf('{{ target }}-primary'), namespace: ofNamespace },
      labels: [namespaceLabel, podLabel],
    },
    counters: bothSides({ requests, buckets, succeeded, bucketUnit: 's', podLabel }, canary, podsOf('{{ target }}-primary')),
  };
}

export const application: Observers = { Deployment: appHistogram(podsOfDeployment), DaemonSet: appHistogram(podsOfDaemonSet) };
