import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { clientNodeConfigOnly } from './client-node-config-only.ts';

export const root = join(import.meta.dirname, '..', '..');
export const dist = join(root, 'dist');

/** Bundles the command line: `serin.js` and the chunks that its commands load when they are called. What is in them comes back. */
export async function bundle({ write }: { write: boolean }): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { serin: 'src/cli/main.ts' },
    outdir: dist,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    // Each `import()` becomes a chunk, so that a command loads only what it needs.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    minify: true,
    keepNames: true,
    legalComments: 'none',
    metafile: true,
    write,
    // Packages that are CommonJS inside ask for Node's modules with `require`, which an ES module has only when it makes one.
    banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
    logLevel: 'warning',
    plugins: [clientNodeConfigOnly],
  });
  return metafile;
}
