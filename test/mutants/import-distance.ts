import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { root } from './candidates.ts';

/** Imports that run: a type is gone by then. */
const IMPORT = /^(?:import|export)\b(?!\s+type\b)[^;]*?from '(\.[^']+)'|\bimport\('(\.[^']+)'\)|^import '(\.[^']+)'/gm;

/** For each file those that import it. */
function importers(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const folder of ['src', 'test', 'scripts'])
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts')) continue;
      const file = `${folder}/${name}`;
      for (const [, from, dynamic, alone] of readFileSync(join(root, file), 'utf8').matchAll(IMPORT)) {
        const imported = normalize(join(dirname(file), from ?? dynamic ?? alone ?? ''));
        found.set(imported, [...(found.get(imported) ?? []), file]);
      }
    }
  return found;
}

let known: Map<string, string[]> | undefined;

/** How many imports away from a source each test file is that loads it; the test beside it is at 0. */
export function testsAround(source: string): Map<string, number> {
  known ??= importers();
  const distances = new Map([[source, 0]]);
  for (const [file, distance] of distances) {
    for (const importer of known.get(file) ?? []) if (!distances.has(importer)) distances.set(importer, distance + 1);
  }
  const own = source.replace(/\.ts$/, '.test.ts');
  return new Map(
    [...distances].filter(([file]) => file.endsWith('.test.ts')).map(([file, distance]) => [file, file === own ? 0 : distance]),
  );
}
