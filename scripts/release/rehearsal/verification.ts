import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../run.ts';

/** Commands of docs/releasing.md that verify a part of a release, by the name that their block has. */
export type Verifications = ReadonlyMap<string, string>;

export function documentedVerifications(page = readFileSync(join(root, 'docs', 'releasing.md'), 'utf8')): Verifications {
  return new Map([...page.matchAll(/^```sh verify=([\w-]+)\n([\s\S]*?)^```$/gm)].map(([, name = '', commands = '']) => [name, commands]));
}

export interface Verified {
  code: number;
  /** All that it said. */
  said: string;
}

/** Runs them as a user does: in the folder of the downloads. */
export function verify(commands: string, folder: string, env: NodeJS.ProcessEnv): Verified {
  const { status, stdout } = spawnSync('bash', ['-eo', 'pipefail', '-c', `exec 2>&1\n${commands}`], { cwd: folder, env, encoding: 'utf8' });
  return { code: status ?? -1, said: stdout };
}
