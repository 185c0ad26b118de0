import { describe, expect, it } from 'vitest';
import { pickSample, type SampleChoice, type SampleRule, type Samples } from './samples.ts';

const prometheus: SampleRule = { series: 'last', sample: 'last', null: 'skip', empty: 'noData', nan: 'noData' };
const datadog: SampleRule = { series: 'first', sample: 'first', null: 'zero', empty: 'noData', nan: 'keep' };
const influx: SampleRule = { series: 'first', sample: 'first', null: 'noData', empty: 'zero', nan: 'keep' };
const graphite: SampleRule = { series: 'last', sample: 'last', null: 'skip', empty: 'noData', nan: 'keep' };
const noData = expect.objectContaining({ kind: 'noData' });
const is = (value: number) => ({ kind: 'value', value });

it('reduces more series than a call can have arguments', () => {
  const rule = { series: 'last', sample: 'last', null: 'skip', empty: 'noData', nan: 'keep' } as const;
  const samples = Array.from({ length: 500_000 }, (_, at) => [at]);
  expect(pickSample(samples, rule, { reduce: 'min' })).toEqual({ kind: 'value', value: 0 });
  expect(pickSample(samples, rule, { reduce: 'max' })).toEqual({ kind: 'value', value: 499_999 });
});

describe('the sample that is judged', () => {
  it.each<[string, Samples, SampleRule, SampleChoice, unknown]>([
    ['the last series of Prometheus', [[1], [2]], prometheus, {}, is(2)],
    ['one that has a value', [[1], [null]], prometheus, {}, is(1)],
    ['no data for its NaN', [[Number.NaN]], prometheus, {}, noData],
    ['no data for no series', [], prometheus, {}, noData],
    ['the oldest point of Datadog', [[1, 2], [3]], datadog, {}, is(1)],
    ['its null as zero', [[null, 2]], datadog, {}, is(0)],
    ['its null as no value, when asked to', [[null, 2]], datadog, { strictNoData: true }, is(2)],
    ['the first series that has a value, when asked to', [[null], [2]], datadog, { strictNoData: true }, is(2)],
    ['its nulls alone as no data, when asked to', [[null]], datadog, { strictNoData: true }, noData],
    ['zero for an empty answer of InfluxDB', [], influx, {}, is(0)],
    ['no data for it, when asked to', [], influx, { strictNoData: true }, noData],
    ['no data for its record without a value', [[null]], influx, {}, noData],
    ['NaN as it came, which passes every bound today', [[Number.NaN]], influx, {}, is(Number.NaN)],
    ['NaN as no data, when asked to', [[Number.NaN]], influx, { strictNoData: true }, noData],
    ['the last point that is not null', [[3, 8.5, null, 4.25]], graphite, {}, is(4.25)],
    ['of the last target that has one', [[3], [null, null]], graphite, {}, is(3)],
    ['the newest point, when asked to', [[1, 2]], datadog, { sample: 'last' }, is(2)],
    ['the mean of the points, when asked to', [[1, 2]], datadog, { sample: 'avg' }, is(1.5)],
    ['the first series, when asked to', [[1], [2], [6]], prometheus, { reduce: 'first' }, is(1)],
    ['the least', [[3], [2], [6]], prometheus, { reduce: 'min' }, is(2)],
    ['the greatest', [[3], [9], [6]], prometheus, { reduce: 'max' }, is(9)],
    ['the mean', [[1], [2], [6]], prometheus, { reduce: 'avg' }, is(3)],
    ['the sum', [[1], [2], [6]], prometheus, { reduce: 'sum' }, is(9)],
    ['a single series under `error`', [[1]], prometheus, { reduce: 'error' }, is(1)],
    ['an error for several under `error`', [[1], [2]], prometheus, { reduce: 'error' }, expect.objectContaining({ kind: 'error' })],
  ])('is %s', (_, samples, rule, choice, expected) => {
    expect(pickSample(samples, rule, choice)).toEqual(expected);
  });
});
