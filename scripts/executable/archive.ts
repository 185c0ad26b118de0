import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zipOf } from './zip.ts';

/** 1980-01-01, as in a zip: the same files give the same archive. */
const SAME_FOR_ALL = Date.UTC(1980, 0, 1) / 1000;

/** The named files of `folder`, without the folder itself, in a `.zip` or a `.tar.gz`, as the name of the archive has it. */
export function archive(file: string, folder: string, names: readonly string[]): void {
  if (!file.endsWith('.zip')) {
    for (const name of names) utimesSync(join(folder, name), SAME_FOR_ALL, SAME_FOR_ALL);
    execFileSync('tar', ['-czf', file, '-C', folder, ...names]);
    return;
  }
  const files = names.map((name) => ({
    name,
    bytes: readFileSync(join(folder, name)),
    mode: statSync(join(folder, name)).mode & 0o777,
  }));
  writeFileSync(file, zipOf(files));
}
