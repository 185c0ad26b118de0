import { expect, it } from 'vitest';
import { sourceOf } from '../../../test/contracts/metric-backends/backend-case.ts';
import { cloudwatch as known } from '../../../test/contracts/metric-backends/cloudwatch.ts';
import { cloudwatch, cloudwatchAddress } from './cloudwatch.ts';
import { readMetricDataQueries } from './metric-data-query.ts';

const source = sourceOf(known, 'cloudwatch', 'http://127.0.0.1:1');

it('the address of a template gets requests only with the keys of its own Secret', () => {
  expect(cloudwatchAddress(source)).toBe('http://127.0.0.1:1');
  expect(cloudwatchAddress({ ...source, secret: undefined })).toBeUndefined();
  expect(cloudwatchAddress({ ...source, secret: {} })).toBeUndefined();
});

it.each([
  ['none', undefined, /region is required/],
  ['one that would be another host', 'eu-west-1.example.org/', /is not a region/],
])('a region is needed: %s', (_, region, words) => {
  const { region: __, ...provider } = { region: '', ...source.provider };
  expect(cloudwatch({ ...source, provider: { ...provider, ...(region === undefined ? {} : { region }) } })).toEqual({
    problem: expect.stringMatching(words),
    placed: { field: 'spec.provider.region', message: expect.stringMatching(/^(is required|"eu-west)/) },
  });
});

it('keys in any letter case are read, and unknown ones are left out', () => {
  const query = '[{"id":"a","metricstat":{"METRIC":{"namespace":"n","dimensions":[{"name":"x","value":"id"}]},"stat":"Sum","extra":1}}]';
  expect(readMetricDataQueries(query)).toEqual({
    queries: [{ Id: 'a', MetricStat: { Metric: { Namespace: 'n', Dimensions: [{ Name: 'x', Value: 'id' }] }, Stat: 'Sum' } }],
  });
});

it('every field of MetricDataQuery and of its parts is known', () => {
  const queries = [
    { Id: 'a', Expression: 'b / 2', Label: 'l', Period: 60, AccountId: '123456789012', ReturnData: false },
    {
      MetricStat: {
        Metric: { Namespace: 'n', MetricName: 'm', Dimensions: [{ Name: 'x', Value: 'y' }] },
        Period: 60,
        Stat: 'Sum',
        Unit: 'Count',
      },
    },
  ];
  expect(readMetricDataQueries(JSON.stringify(queries).toLowerCase())).toEqual({
    queries: JSON.parse(JSON.stringify(queries).replaceAll(/(?<=:)"\w+( \/ \d)?"/g, (text) => text.toLowerCase())),
  });
});

it('DF602: nesting deeper than any MetricDataQuery is left out', () => {
  const depth = 3000;
  const { queries } = readMetricDataQueries(`[${'{"Metric":'.repeat(depth)}1${'}'.repeat(depth)}]`) as { queries: object[] };
  expect(JSON.stringify(queries)).toBe(`[${'{"Metric":'.repeat(8)}{}${'}'.repeat(8)}]`);
});

it.each([
  ['a text', 'SELECT 1', /is not JSON:/],
  ['an object', '{}', /is not a JSON array/],
  ['an array of texts', '["a"]', /an element that is not an object/],
  ['an array that holds null', '[{"Id":"a"},null]', /an element that is not an object/],
  ['an array of arrays', '[[]]', /an element that is not an object/],
])('a query that is %s is refused without a request', (_, query, words) => {
  expect(readMetricDataQueries(query)).toEqual({ problem: expect.stringMatching(words) });
});
