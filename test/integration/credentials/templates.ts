import type { MetricProviderType } from '../../../src/api/metric-template.ts';
import { planted, plantedServiceAccount } from './planted.ts';

/** Every backend that takes credentials, with planted credentials; the name is its type where no other is given. */
export const templates: Readonly<Record<string, { type?: string; query?: string; provider?: object; secret?: Record<string, string> }>> = {
  'prometheus-token': { type: 'prometheus', secret: { token: planted('token') } },
  'prometheus-basic': {
    type: 'prometheus',
    provider: { headers: { 'X-Scope': [planted('header')] } },
    secret: { username: planted('user'), password: planted('password') },
  },
  'prometheus-address': { type: 'prometheus' },
  datadog: { secret: { datadog_api_key: planted('api'), datadog_application_key: planted('application') } },
  newrelic: { secret: { newrelic_account_id: '12', newrelic_query_key: planted('query') } },
  graphite: { query: 'target=a', secret: { username: planted('graphite-user'), password: planted('graphite') } },
  influxdb: { secret: { token: planted('influx'), org: 'shop' } },
  dynatrace: { secret: { dynatrace_token: planted('dynatrace') } },
  splunk: { secret: { sf_token_key: planted('splunk') } },
  stackdriver: { secret: { project: 'shop', serviceAccountKey: plantedServiceAccount() } },
  cloudwatch: {
    query: '[{"Id":"m","Expression":"x"}]',
    provider: { region: 'eu-west-1' },
    secret: { aws_access_key_id: planted('id'), aws_secret_access_key: planted('aws'), aws_session_token: planted('session') },
  },
  externalmetrics: { query: 'queue', secret: { token: planted('external') } },
};

/** Backends that get none, each with the reason. */
export const withoutCredentials: Partial<Record<MetricProviderType, string>> = {
  keptn: 'The controller queries Keptn with its own account.',
};
