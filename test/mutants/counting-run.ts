/**
 * Runs the unit tests once, without a mutant, and records which test files execute each mutant, how long each file takes, and which files fail without any
 * change.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { type Anchor, withCounters } from './anchors.ts';
import { type Mutant, root } from './candidates.ts';
import { testsAround } from './related-tests.ts';
import { specificationsOf, unitTests } from './unit-tests.ts';

/** Record of one test file. */
export interface Counted {
  file: string;
  seconds: number;
  failed: boolean;
  /** Ids of mutants whose code ran while the file was loaded: of shared modules only in the first file that loads them. */
  loaded: string[];
  /** Ids of mutants whose code its tests ran. */
  ran: string[];
}

export async function countingRun(mutants: readonly Mutant[]): Promise<Counted[]> {
  const folder = mkdtempSync(join(tmpdir(), 'serin-mutants-'));
  const counts = join(folder, 'counts');
  const byFile = new Map<string, Map<number, Anchor>>();
  mutants.forEach(({ file, anchor }, number) => {
    byFile.set(file, (byFile.get(file) ?? new Map<number, Anchor>()).set(number, anchor));
  });
  const load = (file: string, text: string): string => withCounters(text, byFile.get(file) ?? new Map());
  const vitest = await unitTests({
    ...{ load, reporter: {}, isBailing: false, maxWorkers: 2, env: { MUTANT_COUNTS: counts } },
    setupFiles: [join(import.meta.dirname, 'count-setup.ts')],
  });
  try {
    const related = new Set([...byFile.keys()].flatMap((file) => [...testsAround(file).keys()]));
    const found = (await vitest.globTestSpecifications()).map(({ moduleId }) => relative(root, moduleId));
    const files = found.filter((file) => related.has(file));
    const { testModules } = await vitest.runTestSpecifications(specificationsOf(vitest, files));
    const lines = existsSync(counts) ? readFileSync(counts, 'utf8').trim().split('\n') : [];
    const idsOf = (numbers: readonly number[]): string[] => numbers.flatMap((number) => mutants[number]?.id ?? []);
    const seen = new Map<string, { loaded: number[]; ran: number[] }>(lines.map((line) => [JSON.parse(line).file, JSON.parse(line)]));
    return testModules.map((module) => {
      const file = relative(root, module.moduleId);
      const { loaded = [], ran = [] } = seen.get(file) ?? {};
      const seconds = (module.diagnostic().duration + module.diagnostic().collectDuration) / 1000;
      return { file, seconds, failed: module.state() === 'failed', loaded: idsOf(loaded), ran: idsOf(ran) };
    });
  } finally {
    await vitest.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Earlier result of `countingRun` for these mutants, unless the code or a test has changed since. */
export async function countedOnce(mutants: readonly Mutant[]): Promise<Counted[]> {
  const hash = createHash('sha256').update(JSON.stringify(mutants));
  for (const folder of ['src', 'test']) {
    const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    for (const file of files.sort()) hash.update(file).update(readFileSync(join(root, folder, file)));
  }
  const cache = join(tmpdir(), `serin-mutants-${hash.digest('hex').slice(0, 16)}.json`);
  if (existsSync(cache)) return JSON.parse(readFileSync(cache, 'utf8'));
  const counted = await countingRun(mutants);
  writeFileSync(cache, JSON.stringify(counted));
  return counted;
}
