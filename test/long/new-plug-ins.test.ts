import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kinds } from '../../scripts/new/kinds.ts';

interface Report {
  testResults: {
    name: string;
    message: string;
    assertionResults: { status: string; title: string; fullName: string; failureMessages: string[] }[];
  }[];
}

const root = join(import.meta.dirname, '..', '..');
const copy = mkdtempSync(join(tmpdir(), 'serin-new-'));
const bin = (name: string): string => join(root, 'node_modules', name);

/** Promises of a metric backend that placeholders must not keep: they compare its own requests and answers. Its refusal has a message, or no test would begin. */
const DECIDED_BY_ITS_CASE = [
  'sends the documented request and reads the value',
  'distinguishes no data from zero',
  'takes null for noData by default, and for no data where the template wants that',
  'takes empty for noData by default, and for no data where the template wants that',
  'takes NaN for noData by default, and for no data where the template wants that',
  'takes stale for noData by default, and for no data where the template wants that',
  'handles several series knowingly',
  'is online when it answers, and says why not',
];

beforeAll(() => {
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
  for (const file of files) cpSync(join(root, file), join(copy, file));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const [kind, { name }] of Object.entries(kinds)) {
    // One name for two kinds would hide an entry that the first one has made.
    execFileSync(process.execPath, [join(copy, 'scripts', 'new.ts'), kind, kind === 'flag' ? name.example : `${kind}acme`]);
  }
});
afterAll(() => rmSync(copy, { recursive: true }));

describe('a skeleton of each kind of plug-in', () => {
  it('compiles', () => {
    const { status, stdout } = spawnSync(process.execPath, [bin('typescript/bin/tsc')], { cwd: copy, encoding: 'utf8' });
    expect(stdout).toBe('');
    expect(status).toBe(0);
  });

  it('fails only tests that name it or its file, and leads from there', () => {
    const report = join(copy, 'report.json');
    const parts = ['test/contracts', 'src/notifiers', 'src/metrics', 'src/engine/verbs.test.ts', 'src/controller/flags.test.ts'];
    const args = [bin('vitest/vitest.mjs'), 'run', '--reporter=json', `--outputFile=${report}`, ...parts];
    const { status } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8' });
    const { testResults }: Report = JSON.parse(readFileSync(report, 'utf8'));
    const failed = testResults.flatMap(({ name, message, assertionResults }) => [
      ...(assertionResults.length === 0 ? [`${name}: ${message}`] : []),
      ...assertionResults
        .filter((one) => one.status === 'failed')
        .map(({ fullName, failureMessages }) => `${name} > ${fullName}: ${failureMessages.join('\n')}`),
    ]);
    expect(status).toBe(1);
    expect(failed.filter((text) => !/acme/i.test(text))).toEqual([]);
    for (const kind of ['provider', 'backend', 'sink']) expect(failed.join('\n')).toContain(`${kind}acme`);

    const promises = testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ fullName }) => fullName.startsWith('metric backend backendacme'));
    expect(promises.filter(({ status }) => status === 'failed').map(({ title }) => title)).toEqual(DECIDED_BY_ITS_CASE);
  });
});
