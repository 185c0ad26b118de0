import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../../../package.json' with { type: 'json' };
import { root } from '../run.ts';

/**
 * A clone of the commits here, made ready as docs/releasing.md says: the version has a section in the changelog, and the bases have digests. Uncommitted
 * changes are not in it, as they would not be in a release. An older `of` is released by the scripts of the newest commit.
 */
export function preparedCheckout(folder: string, bases: { build: string; runtime: string }, of = 'HEAD'): { commit: string } {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' });
  git('clone', '--quiet', '--no-hardlinks', root, folder);
  if (of !== 'HEAD') {
    const newest = git('-C', folder, 'rev-parse', 'HEAD').trim();
    git('-C', folder, 'checkout', '--quiet', of);
    git('-C', folder, 'checkout', newest, '--', 'scripts/release', 'scripts/release-assets.ts');
  }
  const changelog = join(folder, 'CHANGELOG.md');
  writeFileSync(changelog, readFileSync(changelog, 'utf8').replace(/^## Unreleased$/m, `## ${manifest.version}`));
  writeFileSync(join(folder, '.ci', 'base-images.txt'), `BUILD_IMAGE ${bases.build}\nRUNTIME_IMAGE ${bases.runtime}\n`);
  const author = ['-c', 'user.name=rehearsal', '-c', 'user.email=rehearsal@example.com'];
  git('-C', folder, ...author, 'commit', '--quiet', '--all', '--message', `release ${manifest.version}`);
  return { commit: git('-C', folder, 'rev-parse', 'HEAD').trim() };
}
