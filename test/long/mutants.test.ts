import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { outcomeOf, type Row, readResults } from '../mutants/results.ts';

/**
 * All 300 mutants of this seed are judged, and the test plays some of them: a survivor means that a test was lost.
 * Other seeds have survivors without a verdict (at first 82 of the 300 of seed 39). Use them to explore: the test fails until each survivor has a test or a
 * verdict.
 */
const JUDGED_SEED = 39;
const seed = Number(process.env.MUTANT_SEED ?? JUDGED_SEED);
const count = Number(process.env.MUTANT_COUNT ?? 60);

const placesOf = (rows: readonly Row[]): string[] =>
  rows
    .filter((row) => outcomeOf(row) === 'survived')
    .map(({ mutant }) => `${mutant.file}:${mutant.line} ${mutant.original} → ${mutant.mutated} (${mutant.id})`);
const remedy = 'write a test that notices it, or a verdict in test/mutants/verdicts.ts';

it(`each mutant in the table of seed ${JUDGED_SEED} is noticed by a test, or judged to be equivalent`, () => {
  const rows = readResults(join(import.meta.dirname, '..', 'mutants', `seed-${JUDGED_SEED}.json`));
  expect(rows.length).toBeGreaterThanOrEqual(300);
  expect(placesOf(rows), remedy).toEqual([]);
});

it(`of ${count} mutants of seed ${seed} each is noticed by a test, or judged to be equivalent`, { timeout: 4 * 60 * 60_000 }, () => {
  process.stdout.write(`MUTANT_SEED=${seed} MUTANT_COUNT=${count}\n`);
  const folder = mkdtempSync(join(tmpdir(), 'serin-mutants-'));
  try {
    const results = join(folder, 'results.json');
    const script = join(import.meta.dirname, '..', 'mutants', 'run.ts');
    // Without the variables by which vitest knows that it runs within itself.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:VITEST|TEST$|NODE_ENV$)/.test(name)));
    const { status } = spawnSync(process.execPath, [script, '--seed', `${seed}`, '--count', `${count}`, '--results', results], {
      env,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    expect(status).toBe(0);
    const rows = readResults(results);
    expect(rows).toHaveLength(count);
    expect(placesOf(rows), remedy).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
