import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChangedRule } from './changed-rules.ts';
import { namesRule, type Outcome } from './kills.ts';

const root = join(import.meta.dirname, '..', '..');
const LONGEST_RUN_MS = 20 * 60_000;

/** Runs the tests of the engine under each changed rule, or under those whose name has one of `words`, and prints which test finds it. */
export async function runChangedRules(rules: readonly ChangedRule[], words: readonly string[]): Promise<number> {
  const chosen = rules.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
  const folder = mkdtempSync(join(tmpdir(), 'changed-rules-'));
  try {
    const unchanged = await run(join(folder, 'unchanged.json'));
    if (unchanged.failed.length + unchanged.errors.length > 0 || unchanged.tests === 0) {
      process.stdout.write(`The tests fail without any change:\n${[...unchanged.failed, ...unchanged.errors].join('\n')}\n`);
      return 1;
    }
    process.stdout.write(`${unchanged.tests} tests pass without a change.\n\n| changed rule | rule | found by |\n|---|---|---|\n`);
    let missed = 0;
    for (const [index, one] of chosen.entries()) {
      const found = verdictOf(one, await run(join(folder, `${index}.json`), one.name));
      if (!found.isNamed) missed += 1;
      process.stdout.write(`| ${one.name} | ${one.rule} | ${found.text} |\n`);
    }
    process.stdout.write(`\n${chosen.length - missed} of ${chosen.length} changed rules are found by a test that names the rule.\n`);
    return missed === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function verdictOf({ rule }: ChangedRule, { failed, errors }: Outcome): { isNamed: boolean; text: string } {
  const named = failed.find((title) => namesRule(title, rule));
  if (named !== undefined) return { isNamed: true, text: named };
  if (errors.length > 0) return { isNamed: false, text: `CRASHED: ${errors[0]}` };
  return { isNamed: false, text: failed.length === 0 ? 'SURVIVED' : `FOUND BY NO TEST OF ${rule}, but by: ${failed[0]}` };
}

function run(path: string, name?: string): Promise<Outcome> {
  const { CHANGED_RULE: _, ...rest } = process.env;
  const env = { ...rest, CHANGED_RULE_RESULT: path, ...(name === undefined ? {} : { CHANGED_RULE: name }) };
  const args = [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', '--config', 'test/mutants/vitest.config.ts'];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, env, stdio: 'ignore', timeout: LONGEST_RUN_MS });
    child.on('error', reject);
    child.on('exit', () => {
      try {
        resolve(JSON.parse(readFileSync(path, 'utf8')) as Outcome);
      } catch (error) {
        resolve({ failed: [], errors: [`no result: ${error}`], tests: 0 });
      }
    });
  });
}
