import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { outcomeOf, readResults } from '../mutants/results.ts';

const seed = Number(process.env.MUTANT_SEED ?? randomInt(2 ** 31 - 1));
const count = Number(process.env.MUTANT_COUNT ?? 60);

it(`of ${count} mutants each is noticed by a unit test, or judged to be equivalent`, { timeout: 4 * 60 * 60_000 }, () => {
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
    const survivors = rows.filter((row) => outcomeOf(row) === 'survived');
    const places = survivors.map(({ mutant }) => `${mutant.file}:${mutant.line} ${mutant.original} → ${mutant.mutated} (${mutant.id})`);
    expect(places, 'write a test that notices it, or a verdict in test/mutants/verdicts.ts').toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
