import { basename } from 'node:path';

/** The name that the program was called by: kubectl runs the file `kubectl-serin` for `kubectl serin`. `path` is the second word of `process.argv`. */
export function calledAs(path = ''): string {
  return basename(path).replace(/\.(exe|js|ts|cmd)$/, '') === 'kubectl-serin' ? 'kubectl serin' : 'serin';
}
