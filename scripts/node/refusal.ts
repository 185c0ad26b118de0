import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../e2e-tools.ts';

/** Enters the namespaces in which a real node lives. */
export const NAMESPACES = join(import.meta.dirname, '..', '..', 'test', 'node', 'namespaces.sh');

/** The mount that containerd makes for the layers of an image. */
const OVERLAY = 'cd "$1" && mkdir lower upper work merged && mount -t overlay -o lowerdir=lower,upperdir=upper,workdir=work overlay merged';

/** A new folder for the files that a node writes: in the cache and not in /tmp, which can be a file system in memory, where overlayfs cannot write. */
export function folderForNode(): string {
  const work = cacheFolder('node-work');
  mkdirSync(work, { recursive: true });
  return mkdtempSync(join(work, 'run-'));
}

/** Reason for which this machine cannot have a node, `undefined` if it can. */
export function refusal(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it needs root on Linux';
  const folder = folderForNode();
  const enter = (...command: string[]): string | undefined => {
    const { status, stderr, error } = spawnSync('bash', [NAMESPACES, folder, ...command], { encoding: 'utf8' });
    return status === 0 ? undefined : (error?.message ?? stderr.trim());
  };
  try {
    const namespaces = enter('true');
    if (namespaces !== undefined) return `this machine permits no namespaces of its own: ${namespaces}`;
    const overlay = enter('sh', '-c', OVERLAY, 'sh', folder);
    return overlay === undefined ? undefined : `overlayfs cannot be mounted in the cache folder: ${overlay}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
