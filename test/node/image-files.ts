import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface ImageFile {
  /** From the root, without a slash before it. */
  path: string;
  owner: number;
  group: number;
  /** As `ls -l` writes it: `-rw-r--r--`. */
  mode: string;
  /** In bytes. */
  size: number;
}

export interface ImageLook {
  config: { User?: string; Entrypoint?: readonly string[]; Cmd?: readonly string[]; WorkingDir?: string; Labels?: Record<string, string> };
  /** Layers from the base up, each with its files. */
  layers: readonly (readonly ImageFile[])[];
}

/** Reads an image from an archive of `docker save` or buildah. */
export function lookAtImage(archive: string): ImageLook {
  const folder = mkdtempSync(join(tmpdir(), 'serin-image-look-'));
  try {
    tar('-xf', archive, '-C', folder);
    const read = (file: string): unknown => JSON.parse(readFileSync(join(folder, file), 'utf8'));
    const [manifest] = read('manifest.json') as { Config: string; Layers: readonly string[] }[];
    if (!manifest) throw new Error(`${archive} names no image`);
    const { config } = read(manifest.Config) as ImageLook;
    return { config, layers: manifest.Layers.map((layer) => filesOf(tar('--numeric-owner', '-tvf', join(folder, layer)))) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const tar = (...args: string[]): string => execFileSync('tar', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });

/** Parses lines such as `-rw-r--r-- 0/0 123 2026-01-01 00:00 serin/LICENSE`. */
function filesOf(listing: string): ImageFile[] {
  return listing
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [mode = '', owners = '', size = '', , , ...path] = line.split(/\s+/);
      const [owner = '', group = ''] = owners.split('/');
      return { path: path.join(' ').replace(/^\.?\/|\/$/g, ''), owner: Number(owner), group: Number(group), mode, size: Number(size) };
    });
}
