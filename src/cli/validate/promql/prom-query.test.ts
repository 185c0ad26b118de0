import { expect, it } from 'vitest';
import { PromQuery } from './prom-query.ts';

const parsed = (text: string): PromQuery => {
  const query = PromQuery.parse(text);
  if (!(query instanceof PromQuery)) throw new Error(`does not parse: ${text}`);
  return query;
};

it.each([
  ['sum(rate(a[1m])', 1, 16, ''],
  ['sum(\n  rate(a{x="1" y="2"}[1m]))', 2, 16, 'y="2"}[1m]))'],
  ['', 1, 1, ''],
])('%j does not parse, at line %d, column %d', (text, line, column, near) =>
  expect(PromQuery.parse(text)).toMatchObject({ line, column, near, isMetricsQl: false }),
);

it('words of MetricsQL are recognized', () => expect(PromQuery.parse('sum(a) default 0')).toMatchObject({ isMetricsQl: true }));

it.each([
  ['rate(a[1m]) / rate(a[1m])', true],
  ['100 - rate(a{s!~"5.."}[1m]) / rate(a[1m]) * 100', true],
  ['100 * (rate(a{s!~"5.."}[1m])) / rate(a[1m])', true],
  ['sum(rate(a[1m])) / sum(rate(a[1m]))', true],
  ['sum(rate(a{s!~"5.."}[1m])) / sum(rate(a[1m]))', false],
  ['rate(a[1m]) / rate(b[1m])', false],
  ['rate(a{s="1"}[1m]) / on(pod) rate(a[1m])', false],
  ['1 / 1', false],
])('%s divides series by themselves: %s', (text, isSo) => expect(parsed(text).ratioOfItself() !== undefined).toBe(isSo));

it.each([
  ['rate(a)', ['rate'], []],
  ['rate(a[1m])', [], []],
  ['rate(a[1m] offset 5m)', [], []],
  ['max_over_time(sum(rate(a[1m]))[5m:1m])', [], []],
  ['sum(a[1m])', [], ['a[1m]']],
  ['increase(sum(a))', ['increase'], []],
  ['histogram_quantile(0.9, sum(rate(a[1m])) by (le))', [], []],
])('%s: ranges', (text, without, plain) => {
  expect(parsed(text).withoutRange()).toEqual(without);
  expect(parsed(text).withRange()).toEqual(plain);
});

it.each([
  ['a{pod=~"app-.*"}', 'both'],
  ['a{pod=~"app-[0-9a-z]+(-[0-9a-z]+)"}', 'target'],
  ['a{pod=~"app-primary-.*"}', 'primary'],
  ['a{pod=~"app-canary-.*"}', 'canaryName'],
  ['a{deployment="app-canary"}', 'canaryName'],
  ['a{destination_workload="app"}', 'target'],
  ['a{destination_service="app-canary"}', undefined],
  ['a{job="app-canary"}', undefined],
  ['a{app!="app-primary"}', undefined],
])('%s selects %s', (text, side) => expect(parsed(text).workloadMatchers('app')[0]?.matches).toBe(side));
