/** Every metric backend, exported by the value of `spec.provider.type`. */

export { cloudwatch } from './cloudwatch.ts';
export { datadog } from './datadog.ts';
export { dynatrace } from './dynatrace.ts';
export { externalmetrics } from './externalmetrics.ts';
export { graphite } from './graphite.ts';
export { influxdb } from './influxdb.ts';
export { keptn } from './keptn.ts';
export { newrelic } from './newrelic.ts';
export { prometheusBackend as prometheus } from './prometheus.ts';
export { splunk } from './splunk.ts';
export { stackdriver } from './stackdriver.ts';
