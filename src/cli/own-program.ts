import { basename, relative } from 'node:path';
import { isSea } from 'node:sea';

/** The command that starts this program again: the executable itself, or Node with the file that runs now (the bundle, or the source in a checkout). */
export function ownProgram(): readonly [string, ...string[]] {
  return isSea() ? [process.execPath] : [process.execPath, process.argv[1] ?? ''];
}

/**
 * The same as a user types it in the folder where it was started, in any shell. In a checkout `npx node` is the Node that `npm ci` installed.
 * `path` is the second word of `process.argv`.
 */
export function ownCall(path: string, folder: string): string {
  const file = withSlashes(path);
  if (!/\.[jt]s$/.test(file) || file.includes('/node_modules/')) return calledAs(path);
  const fromHere = withSlashes(relative(folder, path));
  return fromHere.startsWith('..') ? `node ${shellWord(file)}` : `npx node ${shellWord(fromHere)}`;
}

/** One word of a command for bash, zsh, fish, PowerShell and cmd. Windows takes paths with slashes, and some shells no others. */
export function shellWord(text: string): string {
  const word = withSlashes(text);
  if (/^[\w./:@+-]+$/.test(word)) return word;
  return /["$`!%]/.test(word) ? `'${word}'` : `"${word}"`;
}

const withSlashes = (path: string): string => (process.platform === 'win32' ? path.replaceAll('\\', '/') : path);

/** The name that the program was called by: kubectl runs the file `kubectl-serin` for `kubectl serin`. `path` is the second word of `process.argv`. */
export function calledAs(path = ''): string {
  return basename(path).replace(/\.(exe|js|ts|cmd)$/, '') === 'kubectl-serin' ? 'kubectl serin' : 'serin';
}
