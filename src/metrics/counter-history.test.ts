import { expect, it } from 'vitest';
import { mostGained } from './counter-changes.ts';
import { errorsHistory } from './counter-history.ts';

const STEP_SECONDS = 300;
/** What `count` instances had counted at two moments. */
const series = (from: number, to: number, count: number) => [
  {
    labels: { serin_part: 'all' },
    points: [
      [0, from],
      [STEP_SECONDS, to],
    ] as [number, number][],
  },
  {
    labels: { serin_part: 'succeeded' },
    points: [
      [0, from],
      [STEP_SECONDS, to],
    ] as [number, number][],
  },
  {
    labels: { serin_part: 'instances' },
    points: [
      [0, count],
      [STEP_SECONDS, count],
    ] as [number, number][],
  },
];

it.each([1, 3])('of %i instances a window counts up to what they can have served in it, and not where they leapt', (count) => {
  const most = mostGained(STEP_SECONDS * 1000) * count;
  expect(errorsHistory(series(5, 5 + most, count))).toEqual([{ requests: most, failures: 0 }]);
  expect(errorsHistory(series(5, 6 + most, count))).toEqual([]);
});
