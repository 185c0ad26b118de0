import { expect, it } from 'vitest';
import { handClock } from '../../test/fakes/clock.ts';
import { apiOutage } from './api-outage.ts';

function outageOf(limitMs?: number) {
  const clock = handClock();
  const lines: string[] = [];
  const ends: number[] = [];
  const write = (fields: object, message: string) => lines.push(`${message.split(':')[0]} ${JSON.stringify(fields)}`);
  const outage = apiOutage({
    ...{ server: 'https://api', clock, limitMs, log: { warn: write, info: write } },
    giveUp: (unansweredMs) => ends.push(unansweredMs),
  });
  return { clock, lines, ends, outage };
}
const refused = new Error('GET /x: refused: start it');

it('an outage is one line at once, and another after 10 s, 20 s, 40 s …, however many requests fail', () => {
  const { clock, lines, outage } = outageOf();
  const at: number[] = [];
  for (let second = 0; second <= 900; second += 1) {
    const before = lines.length;
    for (let request = 0; request < 7; request += 1) outage.failed(refused);
    if (lines.length > before) at.push(second);
    clock.advance(1_000);
  }
  expect(at).toEqual([0, 10, 30, 70, 150, 310, 610]);
  expect(lines[0]).toBe('the API server does not answer {"server":"https://api","reason":"GET /x: refused: start it","unansweredMs":0}');
});

it('an answer ends it, is said once, and the next one counts from the beginning', () => {
  const { clock, lines, ends, outage } = outageOf(5_000);
  outage.answered();
  outage.failed(refused);
  clock.advance(4_000);
  outage.answered();
  outage.answered();
  clock.advance(4_000);
  outage.failed(refused);
  expect(lines.map((line) => line.split(' {')[0])).toEqual([
    'the API server does not answer',
    'the API server answers again',
    'the API server does not answer',
  ]);
  expect(lines[1]).toContain('"unansweredMs":4000');
  expect(ends).toEqual([]);
});

it('gives up once, when a request fails after the limit, and not while no request is sent', () => {
  const { clock, ends, outage } = outageOf(5_000);
  outage.failed(refused);
  clock.advance(60_000);
  expect(ends).toEqual([]);
  outage.failed(refused);
  outage.failed(refused);
  expect(ends).toEqual([60_000]);
});
