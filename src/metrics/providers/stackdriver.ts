import * as z from 'zod';
import { parseJson } from '../../base/json.ts';
import { withoutTrailing } from '../../base/text-search.ts';
import { baseUrl } from '../http/base-url.ts';
import type { SampleRule } from '../samples.ts';
import { type BackendSource, type MakeBackend, secretKeys, transportOf, wrongAddress, wrongField } from './backend.ts';
import { jsonBackend } from './json-backend.ts';
import { connecting, type MetricProvider } from './metric-provider.ts';
import { prometheusAt } from './prometheus.ts';
import { ServiceAccountKey } from './service-account-key.ts';

const DEFAULT_ADDRESS = 'https://monitoring.googleapis.com';
const WHO = 'Stackdriver';
/** Points come newest first and `read` reverses them; a value that is not a number counts as zero, as in Flagger. */
const RULE: SampleRule = { series: 'first', sample: 'last', null: 'zero', empty: 'noData', nan: 'keep' };

/** JSON of a protobuf: a value that JSON cannot express as a number is a text, as is every 64-bit integer. */
const Double = z.union([z.number(), z.enum(['NaN', 'Infinity', '-Infinity']).transform(Number)]);
const Value = z.looseObject({ doubleValue: Double.optional(), int64Value: z.union([z.string().transform(Number), z.number()]).optional() });
const Series = z.object({ pointData: z.array(z.object({ values: z.array(Value) })).optional() });
const ResponseBody = z.object({ timeSeriesData: z.array(Series) });
/** A response without any series omits the list. */
const Nothing = z.strictObject({ timeSeriesDescriptor: z.unknown(), nextPageToken: z.unknown(), partialErrors: z.unknown() }).partial();
const ErrorBody = z.object({ error: z.object({ message: z.string() }) });

/** Google Cloud Monitoring: an MQL query over REST, or a PromQL one. */
export const stackdriver: MakeBackend = (source) => {
  const keys = secretKeys(source, ['project']);
  if ('problem' in keys) return keys;
  const { queryLanguage = 'mql' } = source.provider;
  if (!['mql', 'promql'].includes(queryLanguage))
    return wrongField('spec.provider.queryLanguage', `${queryLanguage} is neither mql nor promql`);
  const key = ownKey(source);
  if (key && 'problem' in key) return key;
  const address = stackdriverAddress(source);
  const project = encodeURIComponent(keys.project);
  const withToken = (make: (token: string) => MetricProvider): MetricProvider =>
    connecting(async (signal) => {
      const { googleToken } = await import('./google-token.ts');
      const found = await googleToken(key, { who: WHO, timeoutMs: source.timeoutMs, secrets: [key?.private_key], signal });
      return 'token' in found ? make(found.token) : found;
    });
  if (queryLanguage === 'promql') {
    const { choice } = source;
    const server = `${withoutTrailing(address, '/')}/v1/projects/${project}/location/global/prometheus`;
    return withToken((bearer) => prometheusAt({ address: server, bearer, choice, ...transportOf(source) }));
  }
  const url = baseUrl(address, `/v3/projects/${project}/timeSeries:query`);
  if (!url) return wrongAddress;
  return withToken((bearer) => {
    const post = (query: string) => ({
      url,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    return jsonBackend({
      who: WHO,
      source,
      secrets: [bearer],
      request: post,
      read: readSeries,
      rule: RULE,
      isGood: (status) => status < 300,
      // A server that understands the request refuses an empty query.
      probe: () => post(''),
      probeIsGood: (status) => status === 200 || status === 400,
      queryRefusal: 400,
      errorText: (json) => ErrorBody.safeParse(json).data?.error.message,
    });
  });
};

/** The address of a template gets requests only with the template's own key: the controller's identity goes only to Google. */
export function stackdriverAddress({ provider, secret }: Pick<BackendSource, 'provider' | 'secret'>): string {
  return (secret?.serviceAccountKey && provider.address) || DEFAULT_ADDRESS;
}

function readSeries(json: unknown): (number | null)[][] | undefined {
  const response = ResponseBody.safeParse(json);
  if (!response.success) return Nothing.safeParse(json).success ? [] : undefined;
  return response.data.timeSeriesData.map(({ pointData = [] }) =>
    pointData.flatMap(({ values: [value] }) => (value ? [value.doubleValue ?? value.int64Value ?? null] : [])).reverse(),
  );
}

function ownKey({ secret, secretName }: BackendSource): ServiceAccountKey | { problem: string } | undefined {
  if (!secret?.serviceAccountKey) return undefined;
  const key = ServiceAccountKey.safeParse(parseJson(secret.serviceAccountKey));
  return key.data ?? { problem: `serviceAccountKey of Secret ${secretName} is not a JSON key of a service account` };
}
