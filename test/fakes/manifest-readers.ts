import { execFile } from 'node:child_process';
import { program } from './program.ts';

/** Commands that read manifests of a pull request, without a cluster. */
export const manifestReaders: readonly (readonly string[])[] = [
  ['validate'],
  ['rehearse'],
  ['preflight', '--filename'],
  ['rights', '--filename'],
];

interface Said {
  code: number | null;
  text: string;
}

/** Output of a command about a folder, on one line, once the command has ended by itself. */
export function saidOf(command: readonly string[], path: string): Promise<Said> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [program(), ...command, path], { maxBuffer: 2 ** 24 }, (error, stdout, stderr) => {
      if (error?.signal) return reject(error);
      resolve({ code: error ? Number(error.code) : 0, text: `${stdout}${stderr}`.replace(/\s+/g, ' ') });
    });
  });
}
