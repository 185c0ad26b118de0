/**
 * Prints a line for each step of `.ci/run`: seconds, tests, share of the whole; then the totals of all tests in the plain closing line.
 * `node scripts/tier-table.ts FOLDER SECONDS`: the folder holds `seconds.tsv` and the JSON reports of vitest, one a step.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: { name: string; status: string; startTime: number; endTime: number; assertionResults: { status: string }[] }[];
}

/** Tiers of `npm test`, by the names of their files. */
const tierOf = (file: string): string =>
  /\.simulated\.test\.ts$/.test(file) ? 'simulated' : /\.integration\.test\.ts$|\/test\/integration\//.test(file) ? 'integration' : 'unit';

/** Files that did not even load: none of their tests failed, and they are no success either. */
const brokenIn = ({ testResults }: Report) =>
  testResults.filter(({ status, assertionResults }) => status === 'failed' && !assertionResults.some((one) => one.status === 'failed'));

const row = (name: string, seconds: number, tests: string, total: number): string =>
  `${name.padEnd(20)}${`${seconds} s`.padStart(8)}${tests.padStart(14)}${`${Math.round((100 * seconds) / total)}%`.padStart(6)}`;

/** The same of each tier of `npm test`: from its first test to its last one. */
function tiersOf({ testResults }: Report, total: number): string[] {
  const tiers = Map.groupBy(testResults, ({ name }) => tierOf(name));
  return [...tiers].map(([tier, files]) => {
    const seconds = (Math.max(...files.map(({ endTime }) => endTime)) - Math.min(...files.map(({ startTime }) => startTime))) / 1_000;
    const tests = files.reduce((sum, { assertionResults }) => sum + assertionResults.length, 0);
    return row(`  ${tier}`, Math.round(seconds), `${tests} tests`, total);
  });
}

export function tierTable(folder: string, total: number): string[] {
  const reports = new Map<string, Report>();
  for (const file of readdirSync(folder).filter((each) => each.endsWith('.json')))
    reports.set(file.slice(0, -'.json'.length), JSON.parse(readFileSync(join(folder, file), 'utf8')) as Report);
  const timesFile = join(folder, 'seconds.tsv');
  const times = existsSync(timesFile) ? readFileSync(timesFile, 'utf8').trim().split('\n') : [];
  const lines = times.flatMap((line) => {
    const [step = '', seconds = '0'] = line.split('\t');
    const report = reports.get(step.replace('test:', ''));
    const tests = report === undefined ? '' : `${report.numPassedTests + report.numFailedTests} tests`;
    return [row(step, Number(seconds), tests, total), ...(step === 'test' && report !== undefined ? tiersOf(report, total) : [])];
  });
  if (reports.size === 0) return lines;
  const sum = (count: (report: Report) => number): number => [...reports.values()].reduce((all, report) => all + count(report), 0);
  const failed = sum((report) => report.numFailedTests + brokenIn(report).length);
  const skipped = sum(({ numPendingTests, numTodoTests }) => numPendingTests + numTodoTests);
  const counts = [`${sum(({ numPassedTests }) => numPassedTests)} passed`, `${failed} failed`];
  return [...lines, [...counts, ...(skipped > 0 ? [`${skipped} skipped`] : [])].join(', ')];
}

if (import.meta.main) {
  const [, , folder = '', total = '1'] = process.argv;
  for (const line of tierTable(folder, Number(total))) console.log(line);
}
