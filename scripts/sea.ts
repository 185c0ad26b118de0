/**
 * Makes single executables: `npm run sea -- [PLATFORM …]`, by default for this machine. For each an archive in `executables/`, with licences,
 * and beside it a folder with the same files, to run. SERIN_EXECUTABLES names another folder.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { bundleScript, root } from './build/bundle.ts';
import { bundledPackages } from './build/bundled-packages.ts';
import { notices } from './build/notices.ts';
import { archive } from './executable/archive.ts';
import { makeExecutable } from './executable/make-executable.ts';
import { archiveFile, chosenPlatforms, licenceFiles, platforms, programFile } from './executable/platforms.ts';

const out = resolve(process.env.SERIN_EXECUTABLES || join(root, 'executables'));
const chosen = chosenPlatforms(process.argv.slice(2));
mkdirSync(out, { recursive: true });
const work = mkdtempSync(join(tmpdir(), 'serin-executables-'));
try {
  const packages = bundledPackages(await bundleScript(work), root);
  const texts = join(work, 'notices');
  writeFileSync(texts, notices(packages, readFileSync(join(root, 'LICENSE'), 'utf8')));
  for (const name of chosen) {
    const folder = join(out, name);
    rmSync(folder, { recursive: true, force: true });
    makeExecutable(name, { script: join(work, 'serin.cjs'), notices: texts, folder, work });
    const file = join(out, archiveFile(manifest.version, name));
    archive(file, folder, [programFile(platforms[name]), ...licenceFiles]);
    process.stdout.write(`${file}\n`);
    if (platforms[name].os === 'darwin' && process.platform !== 'darwin')
      process.stderr.write(`${name}: not signed, which only macOS can do\n`);
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
