import { describe, expect, it } from 'vitest';
import { readRecords } from '../src/metrics/providers/influxdb.ts';
import { countSteps, StepsExceeded, withStepMeter } from './fakes/step-meter.ts';
import { textReaders } from './fakes/text-readers.ts';
import { LENGTH, worstCases } from './fakes/worst-cases.ts';

/** Steps of a reader for each character; a reader that looks at all of the rest from each place takes 300 times as many. */
const STEPS_A_CHARACTER = 100;
/** Each reader has one case in so many, and all readers together have every case. */
const ONE_IN = Number(process.env.WORST_CASES_ONE_IN ?? 12);

it('there are 200 worst cases or more, each of 64 KB except for texts nested 40 deep', () => {
  expect(worstCases.size).toBeGreaterThanOrEqual(200);
  for (const [name, text] of worstCases) expect(text.length, name).toBeGreaterThan(name.endsWith('40 deep') ? 0 : LENGTH - 100);
});

describe('worst cases take steps in proportion to their length', () => {
  const readers = Object.entries(textReaders).map(([name, read], nth) => [name, read, nth] as const);
  it.each(readers)('of %s', (_, read, nth) => {
    const slow: string[] = [];
    const cases = [...worstCases].filter((_case, at) => (at + nth) % ONE_IN === 0);
    withStepMeter((count) => {
      for (const [name, text] of cases) {
        try {
          count(() => read(text), STEPS_A_CHARACTER * LENGTH);
        } catch (error) {
          slow.push(`${name}: ${error instanceof Error ? `${error.name}: ${error.message}` : error}`);
        }
      }
    });
    expect(slow).toEqual([]);
  });

  it.each([
    ['rows', `,table,_value\n${',t,1\n'.repeat(LENGTH / 5)}`],
    ['columns', `table,_value,${'a,'.repeat(LENGTH / 4)}\n${'t,1\n'.repeat(LENGTH / 8)}`],
  ])('of an answer of InfluxDB with many %s', (_, csv) => {
    expect(countSteps(() => expect(readRecords(csv)).toHaveProperty('samples'), STEPS_A_CHARACTER * LENGTH)).toBeGreaterThan(0);
  });

  it.each<[string, (text: string) => unknown]>([
    ['that looks at all of the rest from each place', (text) => [...text].map((_, at) => text.includes('\u0001', at))],
    [
      'that takes a list apart from its front',
      (text) => {
        for (const list = [...text]; list.length > 0; ) list.shift();
      },
    ],
    ['that seeks a long text', (text) => text.includes(`${text.slice(1, LENGTH / 2)}\u0001`)],
    [
      'that tries a pattern at each place',
      (text) => {
        for (let at = 0; at < text.length; at += 1) /~/.test(text.slice(at));
      },
    ],
    [
      'that catches what stops it',
      (text) => {
        try {
          for (;;) text.trim();
        } catch {
          return;
        }
      },
    ],
  ])('and the count shows a reader %s', (_, read) => {
    expect(() => countSteps(() => read('a'.repeat(LENGTH)), STEPS_A_CHARACTER * LENGTH)).toThrow(StepsExceeded);
  });
});
