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
 * Node for a platform, of the very version that runs now: what it writes for an executable is read by no other for certain. From the npm
 * registry, kept in the cache folder, and held against its checksum each time.
 */
export function nodePackage(name: PlatformName): NodePackage {
  const { os } = platforms[name];
  const sum = nodeChecksum(name, process.versions.node);
  const folder = packageFolder(name);
  const licence = join(folder, 'LICENSE');
  const program = join(folder, 'bin', os === 'windows' ? 'node.exe' : 'node');
  verifyNode(program, sum);
  return {
    program,
    // The package for Windows has none, and the text is the same for all.
    licence: existsSync(licence) ? licence : join(packageFolder('linux-amd64'), 'LICENSE'),
  };
}

function packageFolder(name: PlatformName): string {
  const wanted = `${platforms[name].nodePackage}@${process.versions.node}`;
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
    // In one move, so that a folder that is there is whole.
    renameSync(join(work, 'package'), folder);
  } catch (cause) {
    // Another run was first.
    if (existsSync(folder)) return;
    throw new Error(`${wanted} cannot be had from the npm registry: choose another platform, or another version of Node`, { cause });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
