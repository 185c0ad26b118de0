import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
/** State that tsc keeps from run to run: it then looks again only at files that a change can affect. */
const state = join(root, 'node_modules', '.cache', 'type-check.tsbuildinfo');

/** Tests if the types of the programs, tests and scripts are right, and prints errors. The page of the dashboard is a project of its own. */
export function typesAreRight(): boolean {
  const projects = [
    ['--incremental', '--tsBuildInfoFile', state],
    ['-p', join('src', 'dashboard', 'page')],
  ];
  return projects.every((flags) => spawnSync(process.execPath, [tsc, ...flags], { cwd: root, stdio: 'inherit' }).status === 0);
}

if (import.meta.main) process.exitCode = typesAreRight() ? 0 : 1;
