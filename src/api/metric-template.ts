import * as z from 'zod';
import { apiVersion } from './canary.ts';
import { Address, LongText, listOf, mapOf, SecretRef, ShortText } from './limits.ts';

/** Metric backends by their names in MetricTemplates. */
export const metricProviders = [
  'prometheus',
  'influxdb',
  'datadog',
  'externalmetrics',
  'stackdriver',
  'cloudwatch',
  'newrelic',
  'graphite',
  'dynatrace',
  'keptn',
  'splunk',
] as const;
/** Values of spec.provider.type. */
export const MetricProviderType = z.enum(metricProviders);
export type MetricProviderType = z.infer<typeof MetricProviderType>;

/** The spec as stored; `parseMetricTemplate` checks it. */
export const MetricTemplateSpec = z.object({
  provider: z
    .object({
      type: MetricProviderType.describe('Kind of the metric backend.'),
      address: Address.optional().describe(
        'Address of the API. CloudWatch and Stackdriver: only together with credentials of their own in `secretRef`.',
      ),
      headers: mapOf(listOf(LongText)).optional().describe('HTTP headers to send; Prometheus only.'),
      secretRef: SecretRef.optional().describe("Secret with credentials, in the template's namespace."),
      region: ShortText.optional().describe('CloudWatch: the region.'),
      queryLanguage: z.enum(['mql', 'promql']).optional().describe('Stackdriver: the language of the query. MQL when absent.'),
      insecureSkipVerify: z.boolean().optional().describe('Accept any certificate of the server.'),
      caSecretRef: SecretRef.optional().describe(
        "Secret whose key `ca.crt` holds the authorities to trust, in the template's namespace; the Secret of secretRef can also have this key.",
      ),
      proxy: Address.optional().describe('HTTP proxy to go through; those of the environment when absent.'),
      timeout: ShortText.optional().describe('Time for one query with its retries, as duration text of at most 1m; 10s when absent.'),
      retries: z
        .int()
        .min(0)
        .max(5)
        .optional()
        .describe('More tries within that time after an error of the network, 429 or 5xx; 0 when absent.'),
    })
    .describe('The metric backend.'),
  reduce: z
    .enum(['first', 'last', 'min', 'max', 'avg', 'sum', 'error'])
    .optional()
    .describe('One number of several series; `error` refuses more than one. As the backend does when absent.'),
  sample: z.enum(['first', 'last', 'avg']).optional().describe('One number of several points in time. As the backend does when absent.'),
  window: ShortText.optional().describe('Time range of the query, if the backend takes it from here: a duration such as 5m.'),
  strictNoData: z
    .boolean()
    .optional()
    .describe(
      'A null point is skipped, and NaN and an empty answer are no data, also with backends where they count as zero or pass every limit.',
    ),
  counts: z
    .object({
      total: LongText.describe('Counts the requests of a side in the window.'),
      bad: LongText.describe('Counts those of them that failed.'),
    })
    .optional()
    .describe(
      'For `compare` of a metric: queries with the same functions that count requests within `interval`; run for the canary, and with `<target>-primary` as `target` for the primary.',
    ),
  query: LongText.describe('Query with the template functions name, namespace, target, service, ingress, route, interval and variables.'),
});
export type MetricTemplateSpec = z.infer<typeof MetricTemplateSpec>;

/** A query that metrics of Canaries refer to. */
export const MetricTemplate = z.object({
  apiVersion: z.literal(apiVersion),
  kind: z.literal('MetricTemplate'),
  metadata: z.looseObject({ name: z.string(), namespace: z.string() }),
  spec: MetricTemplateSpec,
});
export type MetricTemplate = z.infer<typeof MetricTemplate>;
