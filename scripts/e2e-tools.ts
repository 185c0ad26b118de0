import { type SpawnOptions, spawn } from 'node:child_process';
import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** A tool that is missing or failed; the message is for the developer who started the tests. */
export class MissingToolError extends Error {
  override readonly name = 'MissingToolError';
}

/** Where a program is kept that is fetched or built once for the end-to-end tests; `name` carries its version. */
export const cacheFolder = (name: string): string => join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'serin', name);

export function makeFolder(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true });
    accessSync(dir, constants.W_OK);
  } catch (cause) {
    throw new MissingToolError(`${dir} cannot be written: set XDG_CACHE_HOME to a folder of yours with 5 GB of space`, { cause });
  }
}

export function programOnPath(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/go/bin'];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false; // absent or not ours to run: the same to the caller
  }
}

export function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false; // absent or not ours to read: the same to the caller
  }
}

export function run(command: string, args: readonly string[], options: SpawnOptions): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(programOnPath(command) ?? command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part: Buffer) => (output += part.toString()));
    // A compiler must not outlive the process that started it.
    const kill = () => child.kill('SIGINT');
    process.once('exit', kill);
    child.once('error', reject);
    child.once('close', (code) => {
      process.removeListener('exit', kill);
      resolve({ code, output });
    });
  });
}
