import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder } from '../e2e-tools.ts';
import { nodeChecksum, verifyNode } from './node-checksum.ts';
import { type PlatformName, platforms } from './platforms.ts';

export interface NodePackage {
  program: string;
  licence: string;
}

/**
 * Node for a platform, of the very version that runs now: no other version is certain to read its blob for an executable. From the npm registry, kept in the
 * cache folder, and checked against its checksum each time.
 */
export function nodePackage(name: PlatformName): NodePackage {
  const { node: version } = process.versions;
  const sum = nodeChecksum(name, version);
  const licence = join(packageFolder(name, version), 'LICENSE');
  const program = nodeProgram(name, version);
  verifyNode(program, sum);
  return {
    program,
    // The package for Windows lacks it, and the text is the same for all.
    licence: existsSync(licence) ? licence : join(packageFolder('linux-amd64', version), 'LICENSE'),
  };
}

/** Node in any version, to try the bundle on: npm checks the package by the digest of the registry, and nothing else does. */
export const nodeProgram = (name: PlatformName, version: string): string =>
  join(packageFolder(name, version), 'bin', platforms[name].os === 'windows' ? 'node.exe' : 'node');

function packageFolder(name: PlatformName, version: string): string {
  const wanted = `${platforms[name].nodePackage}@${version}`;
  const folder = cacheFolder(wanted);
  if (!existsSync(folder)) fetchPackage(wanted, folder);
  return folder;
}

function fetchPackage(wanted: string, folder: string): void {
  mkdirSync(dirname(folder), { recursive: true });
  const work = mkdtempSync(`${folder}-`);
  try {
    // npm has it in its cache where it installed the package `node`.
    const file = execFileSync('npm', ['pack', wanted, '--silent', '--prefer-offline', '--pack-destination', work], {
      encoding: 'utf8',
    }).trim();
    execFileSync('tar', ['-xzf', join(work, file), '-C', work]);
    // In one move, so that an existing folder is complete.
    renameSync(join(work, 'package'), folder);
  } catch (cause) {
    // Another run was first.
    if (existsSync(folder)) return;
    throw new Error(`${wanted} cannot be had from the npm registry: choose another platform, or another version of Node`, { cause });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
