import { execFileSync } from 'node:child_process';

/**
 * Files that differ from a commit, including files that Git does not know yet: against `HEAD` uncommitted changes, and against a branch also the commits of
 * this branch since it left that one. Paths from the root; of a renamed file both names.
 */
export function changedFiles(root: string, base = 'HEAD'): string[] {
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const start = git('merge-base', base, 'HEAD').trim();
  const listed = [git('diff', '--name-only', '--no-renames', '-z', start, '--'), git('ls-files', '--others', '--exclude-standard', '-z')];
  return [...new Set(listed.join('\0').split('\0'))].filter((file) => file !== '');
}
