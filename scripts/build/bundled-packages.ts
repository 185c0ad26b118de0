import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

/** A package with code in the bundle. */
export interface BundledPackage {
  folder: string;
  name: string;
  version: string;
  /** Licence in its manifest, mostly an SPDX identifier. */
  licence: string | undefined;
}

interface Manifest {
  name: string;
  version: string;
  license?: string | { type?: string };
}

/** Sorted by folder, without packages that were wholly shaken out. */
export function bundledPackages(metafile: Metafile, root: string): BundledPackage[] {
  const folders = new Set<string>();
  for (const output of Object.values(metafile.outputs)) {
    for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) {
      const folder = packageFolder(input);
      if (folder && bytesInOutput > 0) folders.add(folder);
    }
  }
  return [...folders].sort().map((relative) => {
    const folder = join(root, relative);
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
    return { folder, name, version, licence: typeof license === 'object' ? license.type : license };
  });
}

/** `node_modules/a/node_modules/@b/c` of a file in it; undefined for our own. */
export const packageFolder = (input: string): string | undefined => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
