import { type MetricProviderType, metricProviders } from '../../api/metric-template.ts';
import type { MakeBackend } from './backend.ts';
import { cloudwatch } from './cloudwatch.ts';
import { datadog } from './datadog.ts';
import { dynatrace } from './dynatrace.ts';
import { externalmetrics } from './externalmetrics.ts';
import { graphite } from './graphite.ts';
import { influxdb } from './influxdb.ts';
import { keptn } from './keptn.ts';
import { newrelic } from './newrelic.ts';
import { prometheusBackend } from './prometheus.ts';
import { splunk } from './splunk.ts';
import { stackdriver } from './stackdriver.ts';

/** Every metric backend of the API. */
export const backends: Readonly<Record<MetricProviderType, MakeBackend>> = {
  cloudwatch,
  datadog,
  dynatrace,
  externalmetrics,
  graphite,
  influxdb,
  keptn,
  newrelic,
  prometheus: prometheusBackend,
  splunk,
  stackdriver,
};

/** A type that is missing is Prometheus, as established (05 T20); an unknown one is an error. */
export const backendFor: MakeBackend = (source) => {
  const { type = 'prometheus' } = source.provider;
  if (!Object.hasOwn(backends, type)) return { problem: `spec.provider.type ${type} is unknown; known are ${metricProviders.join(', ')}` };
  return backends[type as MetricProviderType](source);
};
