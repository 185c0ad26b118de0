import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, MissingToolError, makeFolder, run } from '../e2e-tools.ts';

const LIBRARY = 'libfaketimeMT.so.1';

/** Debian's libfaketime, unpacked and not installed: a program that loads it before all others has another time. The path of the library. */
export async function ensureFakeTime(say: (line: string) => void = () => undefined): Promise<string> {
  const folder = cacheFolder('libfaketime');
  const library = join(folder, LIBRARY);
  if (existsSync(library)) return library;
  makeFolder(folder);
  say('fetching libfaketime with apt-get');
  const work = mkdtempSync(join(folder, '.work-'));
  try {
    const fetched = await run('apt-get', ['download', '-o', 'APT::Sandbox::User=root', 'libfaketime'], { cwd: work });
    const archive = readdirSync(work).find((file) => file.endsWith('.deb'));
    if (archive === undefined)
      throw new MissingToolError(
        `tests of clocks need Debian's package libfaketime, which cannot be fetched:\n${fetched.output.slice(-2000)}`,
      );
    await run('dpkg-deb', ['-x', archive, '.'], { cwd: work });
    const found = readdirSync(work, { recursive: true, encoding: 'utf8' }).find((file) => file.endsWith(LIBRARY));
    if (found === undefined) throw new MissingToolError(`tests of clocks: the package ${archive} holds no ${LIBRARY}`);
    copyFileSync(join(work, found), library);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return library;
}
