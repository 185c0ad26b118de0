import { randomInt } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fuzz, fuzzAnswers } from '../fakes/fuzz.ts';
import { fuzzed } from '../fakes/fuzzed.ts';
import { fuzzedBackends, startBackend } from '../fakes/fuzzed-backends.ts';

/** Seconds in all; each reader gets the same share. */
const seconds = Number(process.env.FUZZ_SECONDS ?? 600);
const seed = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31 - 1));
/** Minimum of inputs for each reader. */
const numRuns = 500;
const chosen = (name: string) => name.includes(process.env.FUZZ_READER ?? '');
const readers = Object.entries(fuzzed).filter(([name]) => chosen(name));
const backends = fuzzedBackends.filter((name) => chosen(`answers of ${name}`));
const forMs = (seconds * 1000) / (readers.length + backends.length);
process.stdout.write(`FUZZ_SECONDS=${seconds} FUZZ_SEED=${seed}\n`);

describe('for any text of a tenant, a reader stays in its steps, throws only documented errors and changes no prototype', () => {
  it.each(readers)('%s', { timeout: 2 ** 31 - 1 }, (name, one) => {
    const runs = fuzz(one, { numRuns, forMs, seed });
    process.stdout.write(`${name}: ${runs} inputs\n`);
    expect(runs).toBeGreaterThanOrEqual(numRuns);
  });

  it.each(backends)('answers of %s', { timeout: 2 ** 31 - 1 }, async (type) => {
    const backend = await startBackend(type);
    onTestFinished(() => backend.stop());
    const runs = await fuzzAnswers(backend, { numRuns, forMs, seed });
    process.stdout.write(`answers of ${type}: ${runs} inputs\n`);
    expect(runs).toBeGreaterThanOrEqual(numRuns);
  });
});
