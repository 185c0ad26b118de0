import * as z from 'zod';
import type { SampleRule } from '../samples.ts';
import { type MakeBackend, requestTo, secretKeys, windowOf, wrongField } from './backend.ts';
import { jsonBackend } from './json-backend.ts';

const INTERVALS = 10;
/** The last data entry of the first result is judged; `read` returns only that entry, unless the template reduces several. */
const RULE: SampleRule = { series: 'last', sample: 'first', null: 'zero', empty: 'noData', nan: 'keep' };

const ResponseBody = z.object({ result: z.array(z.object({ data: z.array(z.object({ values: z.array(z.number().nullable()) })) })) });
const ErrorBody = z.object({ error: z.object({ message: z.string() }) });

/** Dynatrace's metrics API v2: `GET /api/v2/metrics/query`, one value for the whole window (`resolution=Inf`). */
export const dynatrace: MakeBackend = (source) => {
  const { address } = source.provider;
  if (!address) return wrongField('spec.provider.address', 'is required');
  const keys = secretKeys(source, ['dynatrace_token']);
  if ('problem' in keys) return keys;
  const window = windowOf(source, INTERVALS);
  if (typeof window !== 'number') return window;
  const headers = { authorization: `Api-Token ${keys.dynatrace_token}` };
  const get = (path: string, query: Record<string, string>) => requestTo(address, path, query, headers);
  const toMs = Math.floor(source.nowMs / 1000) * 1000;
  return jsonBackend({
    who: 'Dynatrace',
    source,
    secrets: [keys.dynatrace_token],
    request: (metricSelector) =>
      get('/api/v2/metrics/query', { from: String(source.nowMs - window), metricSelector, resolution: 'Inf', to: String(toMs) }),
    read: (json) =>
      ResponseBody.safeParse(json).data?.result[0]?.data.map(({ values }) => values) ??
      (ResponseBody.safeParse(json).success ? [] : undefined),
    rule: RULE,
    probe: () => get('/api/v2/metrics', { pageSize: '1' }),
    queryRefusal: 400,
    errorText: (json) => ErrorBody.safeParse(json).data?.error.message,
  });
};
