import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import sums from './node-checksums.json' with { type: 'json' };
import type { PlatformName } from './platforms.ts';

const programs: Partial<Record<PlatformName, string>> = sums.programs;

/** SHA-256 of the program that Node is on a platform, in the one version that executables are made with. */
export function nodeChecksum(name: PlatformName, version: string): string {
  if (version !== sums.version)
    throw new Error(
      `executables are made with Node ${sums.version}, which \`npm ci\` installs, and this is ${version}: run \`npm run sea\``,
    );
  const sum = programs[name];
  if (sum === undefined)
    throw new Error(
      `no checksum of Node ${version} for ${name}: add that of its program to scripts/executable/node-checksums.json (docs/releasing.md)`,
    );
  return sum;
}

/** Throws where the file is another one. */
export function verifyNode(file: string, wanted: string): void {
  const sum = createHash('sha256').update(readFileSync(file)).digest('hex');
  if (sum !== wanted) throw new Error(`${file} has the SHA-256 ${sum}, and ${wanted} is wanted: delete its folder and try again`);
}
