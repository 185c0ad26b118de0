import type { MetricProviderType } from '../../../src/api/metric-template.ts';
import type { BackendCase } from './backend-case.ts';
import { cloudwatch } from './cloudwatch.ts';
import { datadog } from './datadog.ts';
import { dynatrace } from './dynatrace.ts';
import { externalmetrics, externalmetricsElsewhere } from './externalmetrics.ts';
import { graphite } from './graphite.ts';
import { influxdb } from './influxdb.ts';
import { keptn, keptnAnalysis } from './keptn.ts';
import { newrelic } from './newrelic.ts';
import { prometheus } from './prometheus.ts';
import { splunk } from './splunk.ts';
import { stackdriver, stackdriverPromql } from './stackdriver.ts';

export const backendCases: Readonly<Record<MetricProviderType, BackendCase>> = {
  cloudwatch,
  datadog,
  dynatrace,
  externalmetrics,
  graphite,
  influxdb,
  keptn,
  newrelic,
  prometheus,
  splunk,
  stackdriver,
};

/** Backends with a second API, which keeps the same promises. */
export const secondCases: readonly { title: string; type: MetricProviderType; known: BackendCase }[] = [
  { title: 'externalmetrics at an address', type: 'externalmetrics', known: externalmetricsElsewhere },
  { title: 'keptn with an Analysis', type: 'keptn', known: keptnAnalysis },
  { title: 'stackdriver with PromQL', type: 'stackdriver', known: stackdriverPromql },
];
