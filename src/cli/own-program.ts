import { isSea } from 'node:sea';

/** The command that starts this program again: the executable itself, or Node with the file that runs now (the bundle, or the source in a checkout). */
export function ownProgram(): readonly [string, ...string[]] {
  return isSea() ? [process.execPath] : [process.execPath, process.argv[1] ?? ''];
}
