import { describe, expect, it } from 'vitest';
import type { RecordedUsers, UsersRound } from './bench/users/recorded-users.ts';
import { usersTable } from './bench/users/users-table.ts';

const SETTING = {
  serin: 'abc',
  flagger: '1.44.0',
  kubernetes: 'v1.36.3',
  node: 'v24.21.0',
  machine: '2 × a CPU, 23 GiB',
  requestsASecond: 5,
};

const round = (part: Partial<UsersRound>): UsersRound => ({
  controller: 'serin',
  strategy: 'canary',
  fault: 'calm',
  atOnce: 1,
  sent: 300,
  failed: [10],
  reasons: { '500 of 2': 10 },
  ends: { Failed: 1 },
  wholeMs: 42_000,
  ...part,
});
const run = (...rounds: UsersRound[]): RecordedUsers => ({ setting: SETTING, rounds });
/** Cells of a row of the table, by its name. */
const row = (lines: readonly string[], name: string): string[] =>
  (lines.find((line) => line.startsWith(`| ${name} |`)) ?? '').split(' | ').slice(1);

describe('the table of failed requests', () => {
  it('shows the mean for each release with their number, over all rounds of a cell', () => {
    const lines = usersTable([
      run(
        round({ failed: [10] }),
        round({ failed: [5] }),
        round({ controller: 'flagger', failed: [30] }),
        round({ controller: 'flagger', atOnce: 20, failed: Array.from({ length: 20 }, (_, index) => index) }),
      ),
    ]);
    expect(lines[0]).toBe('| bad releases at once | 1: Serin | 1: Flagger | 20: Serin | 20: Flagger | 100: Serin | 100: Flagger |');
    expect(row(lines, 'canary, calm')).toEqual(['7.5 (2)', '30 (1)', 'not run', '9.5 (20)', 'not run', 'not run |']);
  });

  it('says of each cell that was not played that it has not run', () => {
    const lines = usersTable([run(round({}))]);
    expect(row(lines, 'A/B, Prometheus down')).toEqual(['not run', 'not run', 'not run |']);
  });

  it('names the cells in which Serin is above another controller, and counts only cells that all have played', () => {
    const lines = usersTable([
      run(
        round({ failed: [10] }),
        round({ controller: 'flagger', failed: [10] }),
        round({ fault: 'Prometheus down', failed: [50] }),
        round({ fault: 'Prometheus down', controller: 'flagger', failed: [20] }),
        round({ fault: 'leader killed', failed: [0] }),
      ),
    ]);
    expect(lines).toContain(
      'Serin is the lowest, or as low, in 1 of the 2 cells in which all ran; not in *canary, Prometheus down, 1 at once*.',
    );
  });

  it('tells requests that no application has answered from those that a version failed, and counts releases that were not rolled back', () => {
    const lines = usersTable([run(round({ failed: [12], reasons: { '500 of 2': 10, 'socket hang up': 2 }, ends: { Succeeded: 1 } }))]);
    expect(lines.at(-1)).toBe(
      'Of 12 failed requests with Serin, 10 were answered with 500 by an application, and 2 got no answer of one; 1 releases were not rolled back.',
    );
  });

  it.each([
    { other: 'another bundle', setting: { serin: 'def' } },
    { other: 'another Flagger', setting: { flagger: '1.45.0' } },
    { other: 'another machine', setting: { machine: '8 × a CPU, 64 GiB' } },
    { other: 'another rate of requests', setting: { requestsASecond: 10 } },
  ])('refuses figures of $other beside the first ones', ({ setting }) => {
    expect(() => usersTable([run(round({})), { setting: { ...SETTING, ...setting }, rounds: [round({})] }])).toThrow(
      /different versions or machines/,
    );
  });
});
