import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../build/bundle.ts';
import { nodePackage } from './node-package.ts';
import { type licenceFiles, type PlatformName, platforms, programFile, thisHost } from './platforms.ts';

/** By this Node finds out that a script was put into it. Source: nodejs.org/api/single-executable-applications.html. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
const bin = (name: string): string => join(root, 'node_modules', '.bin', name);

export interface Ingredients {
  /** The bundle as one CommonJS file. */
  script: string;
  /** Licences of the packages in it. */
  notices: string;
  /** The folder of the result, which contains nothing else. */
  folder: string;
  /** For files that are not kept. */
  work: string;
}

/** Node for a platform with the script inside, and the licences of all that is in it. */
export function makeExecutable(name: PlatformName, { script, notices, folder, work }: Ingredients): void {
  const { os, host } = platforms[name];
  mkdirSync(folder, { recursive: true });
  const program = join(folder, programFile(platforms[name]));
  const node = nodePackage(name);
  const texts: Record<(typeof licenceFiles)[number], string> = {
    LICENSE: join(root, 'LICENSE'),
    'LICENSE-NODE.txt': node.licence,
    'THIRD-PARTY-NOTICES.txt': notices,
  };
  for (const [file, from] of Object.entries(texts)) copyFileSync(from, join(folder, file));
  copyFileSync(node.program, program);
  chmodSync(program, 0o755);

  const isSigned = os === 'darwin' && process.platform === 'darwin';
  if (isSigned) execFileSync('codesign', ['--remove-signature', program]);
  // V8's code cache halves the start time, and is valid on its own platform only.
  const blob = scriptBlob(script, join(work, `${name}.blob`), { useCodeCache: host === thisHost });
  const segment = os === 'darwin' ? ['--macho-segment-name', 'NODE_SEA'] : [];
  // It warns of section names of Node's own, which are unchanged.
  execFileSync(bin('postject'), [program, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE, ...segment], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // Ad hoc, without an identity: without any signature it is killed on Apple's own processors.
  if (isSigned) execFileSync('codesign', ['--sign', '-', program]);
}

function scriptBlob(main: string, output: string, { useCodeCache }: { useCodeCache: boolean }): string {
  const config = `${output}.json`;
  writeFileSync(config, JSON.stringify({ main, output, disableExperimentalSEAWarning: true, useSnapshot: false, useCodeCache }));
  execFileSync(process.execPath, ['--experimental-sea-config', config], { stdio: ['ignore', 'ignore', 'inherit'] });
  return output;
}
