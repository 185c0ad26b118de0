import type { Generate } from './generated-file.ts';
import { settle } from './settle.ts';

/** A generator run by itself: `node scripts/generate-crds.ts`, with `--check` or without. */
export async function runAlone(generate: Generate): Promise<void> {
  const { faults } = settle(await generate(), { check: process.argv.includes('--check') });
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
}
