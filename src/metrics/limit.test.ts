import { expect, it } from 'vitest';
import { breach, limitOf, type MetricKind } from './limit.ts';

it.each<[MetricKind, object, number, boolean]>([
  ['successRate', { thresholdRange: { min: 99, max: 99 } }, 99, true],
  ['successRate', { thresholdRange: {} }, 3, true],
  ['successRate', { threshold: 99 }, 99, true],
  ['successRate', { threshold: 99 }, 98.9, false],
  ['successRate', {}, 0, true],
  ['duration', { threshold: 500 }, 500, true],
  ['duration', { threshold: 500 }, 501, false],
  ['duration', { thresholdRange: { max: 0.5 } }, 1, false],
  ['duration', {}, 1, false],
  ['duration', { thresholdRange: { max: 0.5 }, wholeMilliseconds: false }, 0.4, true],
  ['duration', { thresholdRange: { max: 0.5 }, wholeMilliseconds: false }, 0.6, false],
  ['custom', { threshold: 1 }, 1.1, false],
  ['custom', { threshold: 1, thresholdRange: { max: 2 } }, 1.1, true],
  ['custom', { thresholdRange: { max: 2 } }, Number.NaN, false],
])('a %s with %j and value %d passes: %s', (kind, metric, value, passes) => {
  expect(breach(value, limitOf(metric, kind), '') === undefined).toBe(passes);
});
