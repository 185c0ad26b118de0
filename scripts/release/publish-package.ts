import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.ts';
import type { ReleaseSettings } from './settings.ts';

/** Publishes the package in the files of the release, and does not pack it again. */
export function publishPackage({ folder, packageRegistry }: ReleaseSettings): void {
  if (packageRegistry === undefined) {
    process.stdout.write('The package is only a file of the release: PACKAGE_REGISTRY names no registry.\n');
    return;
  }
  const [file] = readdirSync(folder).filter((name) => /^serin-\d.*\.tgz$/.test(name) && !name.includes('-chart-'));
  if (file === undefined) throw new Error(`${folder} holds no package: make the files of the release first`);
  run('npm', ['publish', join(folder, file), '--ignore-scripts', '--registry', packageRegistry]);
  process.stdout.write(`published ${file} to ${packageRegistry}\n`);
}
