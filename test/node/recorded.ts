import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, 'recorded');

/** Keeps the results of a run with `RECORD=1` for the docs. Counts differ from run to run, so no check compares them. */
export function record(name: 'long-connections' | 'beside-flagger' | 'many-releases', found: object): void {
  if (process.env.RECORD !== '1') return;
  const file = join(FOLDER, `${name}.json`);
  writeFileSync(file, `${JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), ...found }, null, 2)}\n`);
}
