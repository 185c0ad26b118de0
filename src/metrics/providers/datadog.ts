import * as z from 'zod';
import type { SampleRule } from '../samples.ts';
import { type MakeBackend, requestTo, secretKeys, windowOf } from './backend.ts';
import { jsonBackend } from './json-backend.ts';

const DEFAULT_ADDRESS = 'https://api.datadoghq.com';
/** The newest bucket of Datadog is incomplete, so that the oldest point of a long window is judged. */
const INTERVALS = 10;
const RULE: SampleRule = { series: 'first', sample: 'first', null: 'zero', empty: 'noData', nan: 'keep' };

const ResponseBody = z.object({ series: z.array(z.object({ pointlist: z.array(z.tuple([z.number(), z.number().nullable()])) })) });
const ErrorBody = z.object({ errors: z.array(z.string()) });

/** Datadog's query API v1: `GET /api/v1/query` with both keys as headers. */
export const datadog: MakeBackend = (source) => {
  const keys = secretKeys(source, ['datadog_api_key', 'datadog_application_key']);
  if ('problem' in keys) return keys;
  const window = windowOf(source, INTERVALS);
  if (typeof window !== 'number') return window;
  const address = source.provider.address || DEFAULT_ADDRESS;
  const headers = { 'dd-api-key': keys.datadog_api_key, 'dd-application-key': keys.datadog_application_key };
  const get = (path: string, query: Record<string, string> = {}) => requestTo(address, path, query, headers);
  const seconds = (ms: number) => String(Math.floor(ms / 1000));
  return jsonBackend({
    who: 'Datadog',
    source,
    secrets: Object.values(keys),
    request: (query) => get('/api/v1/query', { from: seconds(source.nowMs - window), query, to: seconds(source.nowMs) }),
    read: (json) => ResponseBody.safeParse(json).data?.series.map(({ pointlist }) => pointlist.map(([, value]) => value)),
    rule: RULE,
    probe: () => get('/api/v1/validate'),
    queryRefusal: 400,
    errorText: (json) => ErrorBody.safeParse(json).data?.errors.join('; '),
  });
};
