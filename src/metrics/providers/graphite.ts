import * as z from 'zod';
import { baseUrl } from '../http/base-url.ts';
import type { SampleRule } from '../samples.ts';
import { type MakeBackend, optionalSecret, wrongAddress, wrongField } from './backend.ts';
import { jsonBackend } from './json-backend.ts';

const RULE: SampleRule = { series: 'last', sample: 'last', null: 'skip', empty: 'noData', nan: 'keep' };

const Numeric = z.union([z.number(), z.string(), z.null()]);
const ResponseBody = z.array(z.looseObject({ datapoints: z.array(z.tuple([Numeric, Numeric])) }));

/** Graphite's render API. The query is itself a URL query string: `target=…&from=-2min`. */
export const graphite: MakeBackend = (source) => {
  const { secretName, provider } = source;
  const { address } = provider;
  if (!address) return wrongField('spec.provider.address', 'is required');
  const secret = optionalSecret(source);
  if (secret && !(secret.username && secret.password)) return { problem: `Secret ${secretName} needs username and password` };
  const credentials = secret && `Basic ${Buffer.from(`${secret.username}:${secret.password}`).toString('base64')}`;
  const get = (query: string) => {
    const parameters = new URLSearchParams(query.replace(/\s+/g, ' '));
    parameters.set('format', 'json');
    parameters.sort();
    const url = baseUrl(address, '/render');
    if (!url) return wrongAddress;
    url.search = parameters.toString();
    return { url, ...(credentials ? { headers: { authorization: credentials } } : {}) };
  };
  return jsonBackend({
    who: 'Graphite',
    source,
    secrets: [secret?.username, secret?.password, credentials],
    request: get,
    read: readTargets,
    rule: RULE,
    probe: () => get('target=test'),
    isGood: (status) => status < 300,
    queryRefusal: 400,
  });
};

function readTargets(json: unknown): (number | null)[][] | undefined {
  const targets = ResponseBody.safeParse(json).data?.map(({ datapoints }) => datapoints.map(([value]) => numberOf(value)));
  return targets?.some((points) => points.includes(undefined)) ? undefined : (targets as (number | null)[][] | undefined);
}

/** Values can come as text; undefined for a text that is not a number. */
function numberOf(value: number | string | null): number | null | undefined {
  if (typeof value !== 'string') return value;
  if (value === 'NaN') return Number.NaN;
  return value.trim() === '' || Number.isNaN(Number(value)) ? undefined : Number(value);
}
