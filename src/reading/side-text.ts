import { count, percent } from '../engine/comparison/words.ts';
import type { ComparedReport } from './documents/compared-report.ts';

/** `0.61 % [0.52–0.71 %], 312 of 51,004`. */
export function sideText({ rate, low, high, failures, requests, slowerThanMs }: ComparedReport['canary'], withBounds = true): string {
  const slow = slowerThanMs === undefined ? '' : `slower than ${slowerThanMs} ms: `;
  const bounds = withBounds ? ` [${percent(low).replace(' %', '')}–${percent(high)}]` : '';
  return `${slow}${percent(rate)}${bounds}, ${count(failures)} of ${count(requests)}`;
}
