/**
 * Judges an edit in seconds: format and lint of the changed files, types, the generated files that they can affect, and the tests that are related
 * to them, nearest first. `npm run check:fast [-- --base REF] [-- FILE…]`: by default what is not committed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { changedFiles } from './changed-files.ts';
import { nearestTests } from './nearest-tests.ts';
import { runFor } from './run-for.ts';

const root = join(import.meta.dirname, '..');
/** Time for the tests, in milliseconds: tests beyond it are left to `npm run check`. */
const TESTS_MS = 12_000;

const { values, positionals } = parseArgs({ options: { base: { type: 'string', default: 'HEAD' } }, allowPositionals: true });
const changed = positionals.length > 0 ? positionals : changedFiles(root, values.base);
const startedMs = performance.now();
const seconds = (sinceMs = startedMs): string => `${((performance.now() - sinceMs) / 1_000).toFixed(1)} s`;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Runs a program; its output is shown only where it fails. */
async function judge(name: string, args: readonly string[]): Promise<boolean> {
  const beganMs = performance.now();
  const child: ChildProcess = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part: Buffer) => (output += part.toString()));
  const code = await new Promise((resolve) => child.once('close', resolve));
  say(`${name}: ${code === 0 ? 'passed' : 'failed'} after ${seconds(beganMs)}`);
  if (code !== 0) say(output.trimEnd());
  return code === 0;
}

async function runTests(): Promise<boolean> {
  const related = nearestTests(root, changed);
  const { tests, left } = await runFor(root, related, TESTS_MS);
  const sum = (state: string): number => tests.filter((one) => one.state === state).length;
  const rest =
    left.length === 0
      ? 'all related files'
      : `${related.length - left.length} of ${related.length} related files, nearest first; npm run check runs the others`;
  say(`tests: ${sum('passed')} passed, ${sum('failed')} failed (${rest}) after ${seconds()}`);
  const hasNoResult = related.length > 0 && tests.length === 0;
  if (hasNoResult) say(`no related test ended within ${TESTS_MS / 1_000} s, as on a busy machine: run npm run check`);
  for (const { file, title, message } of tests.filter(({ state }) => state === 'failed')) say(`\n${file}\n  ${title}\n${message}`);
  return sum('failed') === 0 && !hasNoResult;
}

if (changed.length === 0) say('nothing has changed: edit a file, or name a commit to compare with (--base main)');
else {
  const present = changed.filter((file) => existsSync(join(root, file)));
  const script = (name: string, ...args: string[]): string[] => [join(import.meta.dirname, name), ...args];
  say(`${changed.length === 1 ? changed[0] : `${changed.length} files`} changed`);
  const results = await Promise.all([
    judge('format and lint', [
      join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome'),
      'ci',
      '--diagnostic-level=warn',
      '--no-errors-on-unmatched',
      ...present,
    ]),
    judge('types', script('type-check.ts')),
    judge('generated files', script('generate.ts', '--check', '--changed', '--base', values.base, '--skip-types')),
    runTests(),
  ]);
  say(`${results.every(Boolean) ? 'passed' : 'failed'} after ${seconds()}`);
  process.exitCode = results.every(Boolean) ? 0 : 1;
}
