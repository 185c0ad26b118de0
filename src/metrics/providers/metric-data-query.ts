import { parseJson } from '../../base/json.ts';

/** Fields of AWS' MetricDataQuery. */
const KEYS = [
  ...['Id', 'Expression', 'Label', 'Period', 'AccountId', 'ReturnData', 'MetricStat', 'Metric', 'Stat', 'Unit'],
  ...['Namespace', 'MetricName', 'Dimensions', 'Name', 'Value'],
];
const byLowerCase = new Map(KEYS.map((key) => [key.toLowerCase(), key]));

/** Deeper than any MetricDataQuery: values below are left out. */
const DEEPEST = 10;

/** The query of a template: a JSON array of MetricDataQuery with keys in any letter case; unknown ones are left out. */
export function readMetricDataQueries(query: string): { queries: object[] } | { problem: string } {
  const json = parseJson(query);
  if (json === undefined) return { problem: 'the query is not JSON: CloudWatch wants an array of MetricDataQuery' };
  if (!Array.isArray(json)) return { problem: 'the query is not a JSON array: CloudWatch wants an array of MetricDataQuery' };
  const wrong = json.find((one) => typeof one !== 'object' || one === null || Array.isArray(one));
  if (wrong !== undefined)
    return { problem: 'the query has an element that is not an object: CloudWatch wants an array of MetricDataQuery' };
  return { queries: named(json) as object[] };
}

function named(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) return undefined;
  if (Array.isArray(value)) return value.map((one) => named(one, depth + 1));
  const known = Object.entries(value).flatMap(([key, inner]) => {
    const name = byLowerCase.get(key.toLowerCase());
    return name === undefined ? [] : [[name, named(inner, depth + 1)] as const];
  });
  return Object.fromEntries(known);
}
