import { expect, it } from 'vitest';
import { parseExposition } from '../prometheus/exposition.ts';
import { createMetrics } from './exposition.ts';

const given = () => {
  const metrics = createMetrics({ seconds: [0.1, 1] });
  metrics.count('requests', { path: '/a"b\\c\n', code: '200' });
  metrics.count('requests', { path: '/', code: '500' }, 3);
  for (const [value, times] of [
    [0.05, 1],
    [0.5, 2],
    [7.25, 1],
  ] as const)
    metrics.observe('seconds', { path: '/' }, value, times);
  return metrics;
};

it('samples are what a reader of the text finds, in its order', () => {
  const metrics = given();
  expect(metrics.samples()).toEqual(parseExposition(metrics.text()));
  expect(metrics.samples().map(({ value }) => value)).toEqual([1, 3, 1, 3, 4, 8.3, 4]);
});

it('labels of a series are the same object at each reading', () => {
  const metrics = given();
  const before = metrics.samples();
  metrics.count('requests', { path: '/', code: '500' });
  const after = metrics.samples();
  expect(after.map(({ labels }, index) => labels === before[index]?.labels)).toEqual(before.map(() => true));
  expect(after[1]?.value).toBe(4);
});

it('a caller that counts in a series often uses the same series as others', () => {
  const metrics = given();
  metrics.counter('requests', { path: '/', code: '500' })(2);
  metrics.histogram('seconds', { path: '/' })(0.5, 10);
  expect(metrics.samples().map(({ value }) => value)).toEqual([1, 5, 1, 13, 14, 13.3, 14]);
});
