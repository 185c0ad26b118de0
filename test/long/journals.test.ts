import { expect, it } from 'vitest';
import { type JournalLife, playRelease } from '../fakes/model/journal-lives.ts';

const RELEASES = Number(process.env.JOURNAL_RELEASES ?? 50);
const HARMED = Math.round(RELEASES * 0.4);
const first = Number(process.env.JOURNAL_SEED ?? 1);

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

it(`journals of ${RELEASES} releases, ${HARMED} of them with kills and faults, replay to the same decisions`, {
  timeout: 30 * 60_000,
}, async () => {
  const lives: JournalLife[] = [];
  for (let index = 0; index < RELEASES; index += 1) {
    const life = await playRelease(first + index, index < HARMED);
    expect(life.differences, `seed ${first + index}`).toEqual([]);
    lives.push(life);
  }
  const of = (pick: (life: JournalLife) => number, some = lives) => ({ median: median(some.map(pick)), most: Math.max(...some.map(pick)) });
  const whole = lives.slice(HARMED);
  const report = {
    seed: first,
    phases: Object.fromEntries([...Map.groupBy(lives, ({ phase }) => phase)].map(([phase, some]) => [phase, some.length])),
    kills: lives.reduce((sum, { kills }) => sum + kills, 0),
    faults: lives.reduce((sum, { faults }) => sum + faults, 0),
    steps: of(({ parts }) => parts.flatMap(({ segments }) => segments.flatMap(({ entries }) => entries)).length),
    bytes: of(({ bytes }) => bytes),
    recordWrites: of(({ recordWrites }) => recordWrites, whole),
    writes: of(({ writes }) => writes, whole),
  };
  process.stdout.write(`${JSON.stringify(report)}\n`);
  expect(report.kills).toBeGreaterThan(HARMED / 2);
  // In a release with faults, every write of the journal can fail.
  expect(whole.every(({ parts }) => parts.length > 0)).toBe(true);
  expect(whole.every(({ recordWrites }) => recordWrites <= 2)).toBe(true);
});
