/**
 * Runs the generators, scripts/generate-*.ts, and writes all files or none; with `--check` fails when a committed file differs from what they would write.
 * Types are checked first, unless `--skip-types` says that this was done.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { generateAll } from './generation/generate-all.ts';
import type { Generate } from './generation/generated-file.ts';
import { typesAreRight } from './type-check.ts';

const root = join(import.meta.dirname, '..');
const {
  values: { check, 'skip-types': skipTypes },
} = parseArgs({ options: { check: { type: 'boolean', default: false }, 'skip-types': { type: 'boolean', default: false } } });

process.exitCode = await run();

async function run(): Promise<number> {
  const names = readdirSync(import.meta.dirname).filter((file) => file.startsWith('generate-') && file.endsWith('.ts'));
  if (!skipTypes && !typesAreRight()) return failed(['correct the types first']);
  const { written, faults } = await generateAll(new Map(names.map((name) => [name, () => generatorIn(name)])), { root, check });
  if (faults.length > 0) return failed(faults);
  for (const path of written) console.log(`wrote ${path}`);
  return 0;
}

async function generatorIn(file: string): Promise<Generate> {
  const module: { generate?: Generate } = await import(pathToFileURL(join(import.meta.dirname, file)).href);
  if (module.generate === undefined) throw new Error(`scripts/${file} exports no function generate`);
  return module.generate;
}

function failed(faults: readonly string[]): number {
  for (const fault of faults) console.error(fault);
  if (!check) console.error('generate: nothing was written');
  return 1;
}
