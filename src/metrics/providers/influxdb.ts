import { parse } from 'csv-parse/sync';
import * as z from 'zod';
import { keptIn } from '../../base/once.ts';
import { baseUrl } from '../http/base-url.ts';
import type { SampleRule, Samples } from '../samples.ts';
import { type MakeBackend, optionalSecret, secretKeys, wrongAddress, wrongField } from './backend.ts';
import { jsonBackend } from './json-backend.ts';

/** Today an empty answer is zero, so that an error count without errors passes; `strictNoData` takes it for no data. */
const RULE: SampleRule = { series: 'first', sample: 'first', null: 'noData', empty: 'zero', nan: 'keep' };
const DIALECT = { annotations: ['datatype', 'group', 'default'], delimiter: ',', header: true };
const PROBE = 'from(bucket: "default") |> range(start: -2h)';
const ErrorBody = z.object({ message: z.string() });
const NUMBERS = ['double', 'long', 'unsignedLong'];

/** InfluxDB 2: a Flux query, answered as annotated CSV. */
export const influxdb: MakeBackend = (source) => {
  const { provider } = source;
  if (!provider.address) return wrongField('spec.provider.address', 'is required');
  const keys = optionalSecret(source) ? secretKeys(source, ['token', 'org']) : { token: '', org: '' };
  if ('problem' in keys) return keys;
  const url = baseUrl(provider.address, '/api/v2/query', { org: keys.org });
  if (!url) return wrongAddress;
  const run = (query: string) => ({
    url,
    headers: { 'content-type': 'application/json', ...(keys.token ? { authorization: `Token ${keys.token}` } : {}) },
    body: JSON.stringify({ query, type: 'flux', dialect: DIALECT }),
  });
  return jsonBackend({
    who: 'InfluxDB',
    source,
    secrets: [keys.token],
    request: run,
    parse: (body) => body,
    read(csv) {
      const found = readRecords(String(csv));
      return 'reason' in found ? found : found.samples;
    },
    rule: RULE,
    probe: () => run(PROBE),
    isGood: (status) => status < 300,
    queryRefusal: 400,
    errorText: (json) => ErrorBody.safeParse(json).data?.message,
  });
};

/** The values of each table of an annotated CSV, or the error in it. */
export function readRecords(csv: string): { samples: Samples } | { reason: string } {
  let rows: string[][];
  try {
    rows = parse(csv, { relax_column_count: true, skip_empty_lines: true });
  } catch {
    return { reason: 'InfluxDB gave an unexpected response (no CSV)' };
  }
  const tables = new Map<string, (number | null)[]>();
  let types: readonly string[] = [];
  /** Index of each column, of the first of its name. */
  let header: ReadonlyMap<string, number> | undefined;
  for (const row of rows) {
    if (row[0]?.startsWith('#')) {
      if (row[0] === '#datatype') types = row;
      header = undefined;
      continue;
    }
    if (!header) {
      header = new Map(row.map((column, index): [string, number] => [column, index]).reverse());
      continue;
    }
    const at = (column: string) => row[header?.get(column) ?? -1];
    const error = at('error');
    if (error) return { reason: `InfluxDB refused the query: ${error.slice(0, 300)}` };
    const value = header.get('_value');
    if (value === undefined) return { reason: 'the query gives records without _value, which is what would be judged' };
    if (types.length > 0 && !NUMBERS.includes(types[value] ?? '')) return { reason: `_value is of type ${types[value]}, not a number` };
    const number = numberOf(row[value] ?? '');
    if (number === undefined) return { reason: `_value ${JSON.stringify(row[value]?.slice(0, 40))} is not a number` };
    keptIn(tables, at('table') ?? '', () => []).push(number);
  }
  return { samples: [...tables.values()] };
}

/** A value as Go writes floats; undefined for a text that is none. */
function numberOf(text: string): number | null | undefined {
  if (text === '') return null;
  if (text === 'NaN') return Number.NaN;
  if (text === '+Inf') return Number.POSITIVE_INFINITY;
  if (text === '-Inf') return Number.NEGATIVE_INFINITY;
  return Number.isNaN(Number(text)) ? undefined : Number(text);
}
