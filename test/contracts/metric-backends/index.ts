import type { MetricProviderType } from '../../../src/api/metric-template.ts';
import type { BackendCase } from './backend-case.ts';
import { cloudwatch } from './cloudwatch.ts';
import { datadog } from './datadog.ts';
import { dynatrace } from './dynatrace.ts';
import { graphite } from './graphite.ts';
import { influxdb } from './influxdb.ts';
import { newrelic } from './newrelic.ts';
import { prometheus } from './prometheus.ts';
import { splunk } from './splunk.ts';
import { stackdriver, stackdriverPromql } from './stackdriver.ts';

export const backendCases: Readonly<Partial<Record<MetricProviderType, BackendCase>>> = {
  cloudwatch,
  datadog,
  dynatrace,
  graphite,
  influxdb,
  newrelic,
  prometheus,
  splunk,
  stackdriver,
};

/** Backends that can be asked in a second way, which keeps the same promises. */
export const secondCases: readonly { title: string; type: MetricProviderType; known: BackendCase }[] = [
  { title: 'stackdriver with PromQL', type: 'stackdriver', known: stackdriverPromql },
];
