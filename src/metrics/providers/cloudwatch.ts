import type { GetMetricDataCommandInput, GetMetricDataCommandOutput, MetricDataQuery } from '@aws-sdk/client-cloudwatch';
import { redact } from '../../base/hide-secrets.ts';
import { UnansweredError, withinTimeout } from '../http/within-timeout.ts';
import { pickSample, type SampleRule } from '../samples.ts';
import { type BackendSource, type MakeBackend, transportOf, windowOf, wrongAddress, wrongField } from './backend.ts';
import type { AwsKeys } from './cloudwatch-client.ts';
import { readMetricDataQueries } from './metric-data-query.ts';

const WHO = 'CloudWatch';
/** As in Flagger. */
const INTERVALS = 10;
const MAX_DATAPOINTS = 20;
/** Values come newest first and are reversed, so that the newest is judged. */
const RULE: SampleRule = { series: 'first', sample: 'last', null: 'noData', empty: 'noData', nan: 'keep' };

/** Amazon CloudWatch's GetMetricData, signed and retried by the client of AWS, which is loaded when it is used. */
export const cloudwatch: MakeBackend = (source) => {
  const { region } = source.provider;
  if (!region) return wrongField('spec.provider.region', 'is required');
  if (!/^[a-z0-9-]{1,63}$/.test(region))
    return wrongField('spec.provider.region', `${JSON.stringify(region.slice(0, 80))} is not a region`);
  const window = windowOf(source, INTERVALS);
  if (typeof window !== 'number') return window;
  const keys = ownKeys(source);
  if (keys && 'problem' in keys) return keys;
  const address = cloudwatchAddress(source);
  if (address !== undefined && !/^https?:$/.test(URL.parse(address)?.protocol ?? '')) return wrongAddress;
  const secrets = keys ? [keys.accessKeyId, keys.secretAccessKey, keys.sessionToken] : [];
  const send = async (input: GetMetricDataCommandInput, signal: AbortSignal, refused: RefusedStatus = {}) => {
    // The client is larger than all other backends; the time for loading it is not Amazon's.
    const { getMetricData } = await import('./cloudwatch-client.ts');
    return withinTimeout(
      async (abortSignal) => {
        try {
          return await getMetricData(input, { region, keys, address, abortSignal, transport: transportOf(source) });
        } catch (error) {
          refused.status = statusOf(error);
          throw inWords(error, secrets);
        }
      },
      { who: WHO, timeoutMs: source.timeoutMs, secrets, signal, clock: source.clock },
    );
  };
  return {
    async runQuery(query, signal) {
      const queries = readMetricDataQueries(query);
      if ('problem' in queries) return { kind: 'error', reason: queries.problem };
      const span = { StartTime: new Date(source.nowMs - window), EndTime: new Date(source.nowMs) };
      const MetricDataQueries = queries.queries as unknown as MetricDataQuery[];
      const response = await send({ ...span, MetricDataQueries, MaxDatapoints: MAX_DATAPOINTS, ScanBy: 'TimestampDescending' }, signal);
      if ('kind' in response) return response;
      const { MetricDataResults } = response;
      if (!MetricDataResults) return { kind: 'error', reason: `${WHO} gave an unexpected response (JSON without a query result)` };
      const series = MetricDataResults.map(({ Values = [] }) => Values.toReversed());
      return pickSample(series, RULE, source.choice);
    },
    async isOnline(signal) {
      // CloudWatch refuses this request once it understands it, which is enough for the probe.
      const refused: RefusedStatus = {};
      const response = await send({ MetricDataQueries: [], StartTime: new Date(0), EndTime: new Date(0) }, signal, refused);
      return 'kind' in response && refused.status !== 400 ? response.reason : undefined;
    },
  };
};

/** The address of a template gets requests only with the template's own keys: the controller's identity goes only to AWS. */
export function cloudwatchAddress({ provider, secret }: Pick<BackendSource, 'provider' | 'secret'>): string | undefined {
  return secret?.aws_access_key_id && provider.address ? provider.address : undefined;
}

/** If undefined, the controller's identity is used, by the default chain of AWS. A Secret with none of the keys is ignored, as it always was. */
function ownKeys({ secret, secretName }: BackendSource): AwsKeys | { problem: string } | undefined {
  const { aws_access_key_id: accessKeyId, aws_secret_access_key: secretAccessKey, aws_session_token: sessionToken } = secret ?? {};
  if (!accessKeyId && !secretAccessKey) return undefined;
  if (!accessKeyId) return { problem: `Secret ${secretName} lacks aws_access_key_id, which belongs to aws_secret_access_key` };
  if (!secretAccessKey) return { problem: `Secret ${secretName} lacks aws_secret_access_key, which belongs to aws_access_key_id` };
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
}

/** The status of a response that refuses the request, once it has come. */
interface RefusedStatus {
  status?: number | undefined;
}

function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: GetMetricDataCommandOutput['$metadata'] })?.$metadata?.httpStatusCode;
}

/** An error of the client is a response with a status, a response that it cannot read, or no response. */
function inWords(error: unknown, secrets: readonly (string | undefined)[]): unknown {
  if (error instanceof SyntaxError) return new UnansweredError(`${WHO} gave an unexpected response (no JSON)`);
  const status = statusOf(error);
  if (status === undefined) return error;
  const words = redact(error, secrets).slice(0, 300);
  // The client's own text for an error without a message.
  return new UnansweredError(`${WHO} answered ${status}${words === 'UnknownError' ? '' : `: ${words}`}`);
}
