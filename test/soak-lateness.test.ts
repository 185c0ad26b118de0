import { describe, expect, it } from 'vitest';
import { stepsOf } from './bench/at-once/release-log.ts';
import { judgeLateness } from './scenarios/soak/judge-soak.ts';
import { LatenessRecorder, type LeaderChange, type LeaderlessTime } from './scenarios/soak/lateness.ts';

/** A leader that is followed after 60 s. */
const time = (change: LeaderChange): LeaderlessTime => ({ change, fromMs: 100_000, toMs: 160_000 });

/** Steps at these seconds. */
function latenessOf(leaderless: readonly LeaderlessTime[], ...releases: readonly (readonly number[])[]) {
  const recorder = new LatenessRecorder(leaderless);
  for (const seconds of releases)
    for (const step of stepsOf({ pushedMs: 0, movedMs: [], stepsMs: seconds.map((each) => each * 1_000) })) recorder.note(step);
  return recorder.report();
}

const punctual = [10, 20, 30, 40];

describe('lateness of steps in a soak', () => {
  it('is that of steps in whose time no leader changed, and of the others by the change', () => {
    const { calm, killed, stopped } = latenessOf([time('killed')], punctual, [85, 95, 160.02, 170.02]);
    expect([calm.steps, calm.max, killed.steps, killed.max, stopped.steps]).toEqual([5, 0, 1, 55_020, 0]);
  });

  it('counts a step as late by a change whose end is not known yet', () => {
    const { calm, killed } = latenessOf([{ ...time('killed'), toMs: Number.POSITIVE_INFINITY }], [95, 160]);
    expect([calm.steps, killed.steps]).toEqual([0, 1]);
  });

  it('passes if a killed leader delays one of a few steps by the duration of its lease', () => {
    judgeLateness(latenessOf([time('killed')], [95, 160], punctual));
  });

  it.each<[what: string, leaderless: LeaderlessTime[], steps: number[]]>([
    ['a step is late and no leader changed', [], [95, 160]],
    ['a step is late and a leader changed before the step before it', [time('killed')], [161, 172]],
    ['a step comes later than a killed leader explains', [time('killed')], [95, 177]],
    ['a step comes later than a halted leader explains', [time('halted')], [95, 177]],
    ['a step waits for the lease of a leader that gave it up', [time('stopped')], [95, 160]],
  ])('fails if %s', (_, leaderless, steps) => {
    expect(() => judgeLateness(latenessOf(leaderless, steps, punctual))).toThrow('lateness in milliseconds');
  });
});
