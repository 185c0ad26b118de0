import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withLock } from './build-lock.ts';
import { cacheFolder, MissingToolError, makeFolder, run } from './e2e-tools.ts';

const ROOT = join(import.meta.dirname, '..');

/** The version that tests upgrade from, and go back to: the last version that took routes of users over whole. */
export const PREVIOUS = 'b905668c';

/** `serin.js` of a commit, built by its own scripts in a clone, once, and kept in the user's cache folder. */
export async function ensureOlderSerin(commit: string = PREVIOUS, say: (line: string) => void = () => undefined): Promise<string> {
  const folder = cacheFolder(`serin-${commit}`);
  const program = join(folder, 'dist', 'serin.js');
  if (existsSync(program)) return program;
  makeFolder(folder);
  await withLock(join(folder, '.lock'), say, async () => {
    if (existsSync(program)) return;
    say(`building ${commit} of Serin`);
    const clone = mkdtempSync(join(tmpdir(), 'serin-older-'));
    const done = async (command: string, ...args: string[]): Promise<void> => {
      const { code, output } = await run(command, args, { cwd: clone });
      if (code !== 0)
        throw new MissingToolError(`${commit} of Serin cannot be built: ${[command, ...args].join(' ')}\n${output.slice(-2000)}`);
    };
    try {
      await cloneAt(clone, commit, done);
      await done('npm', 'ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund');
      await done(process.execPath, 'scripts/build.ts');
      // A build that is cut off leaves no program.
      cpSync(join(clone, 'dist'), join(folder, '.dist'), { recursive: true });
      renameSync(join(folder, '.dist'), join(folder, 'dist'));
    } finally {
      rmSync(clone, { recursive: true, force: true });
    }
  });
  return program;
}

async function cloneAt(folder: string, commit: string, done: (command: string, ...args: string[]) => Promise<void>): Promise<void> {
  const known = await run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT });
  if (known.code !== 0) throw new MissingToolError(`this clone lacks ${commit}, the previous version: git fetch --unshallow`);
  await done('git', 'clone', '--quiet', '--no-checkout', ROOT, folder);
  await done('git', 'checkout', '--quiet', commit);
}
