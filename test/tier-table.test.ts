import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { tierTable } from '../scripts/tier-table.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'serin-tiers-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string, startTime: number, endTime: number, ...statuses: string[]) => ({
  ...{ name, startTime, endTime, status: statuses.includes('failed') || statuses.length === 0 ? 'failed' : 'passed' },
  assertionResults: statuses.map((status) => ({ status })),
});
function report(step: string, ...testResults: ReturnType<typeof file>[]): void {
  const statuses = testResults.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status));
  const count = (wanted: string): number => statuses.filter((one) => one === wanted).length;
  const counts = { numPassedTests: count('passed'), numFailedTests: count('failed'), numPendingTests: count('pending'), numTodoTests: 0 };
  writeFileSync(join(folder, `${step}.json`), JSON.stringify({ ...counts, testResults }));
}

it('each step of a CI run has a line with its seconds, its tests and its share, and npm test one for each tier', () => {
  writeFileSync(join(folder, 'seconds.tsv'), 'build\t5\ntest\t80\ntest:e2e\t115\n');
  report(
    'test',
    file('/r/src/a.test.ts', 0, 20_000, 'passed', 'passed'),
    file('/r/src/b.simulated.test.ts', 20_000, 50_000, 'passed'),
    file('/r/src/c.integration.test.ts', 50_000, 70_000, 'passed'),
    file('/r/test/integration/d.test.ts', 60_000, 80_000, 'passed'),
  );
  report('e2e', file('/r/test/e2e/e.test.ts', 0, 100_000, 'passed', 'failed', 'pending'));
  expect(tierTable(folder, 200).map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
    'build 5 s 3%',
    'test 80 s 5 tests 40%',
    ' unit 20 s 2 tests 10%',
    ' simulated 30 s 1 tests 15%',
    ' integration 30 s 2 tests 15%',
    'test:e2e 115 s 2 tests 58%',
    '6 passed, 1 failed, 1 skipped',
  ]);
});

it('a file that does not load counts as a failure', () => {
  report('test', file('/r/src/a.test.ts', 0, 1));
  expect(tierTable(folder, 10)).toEqual(['0 passed, 1 failed']);
});

it('a run that ended before its first test prints no totals', () => {
  writeFileSync(join(folder, 'seconds.tsv'), 'npm ci\t20\n');
  expect(tierTable(folder, 40).map((line) => line.replaceAll(/ +/g, ' '))).toEqual(['npm ci 20 s 50%']);
});
