import { join } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { clientNodeConfigOnly } from './client-node-config-only.ts';
import { noAxios } from './no-axios.ts';
import { noListFormat } from './no-list-format.ts';
import { noUndici } from './no-undici.ts';
import { buildPage } from './page.ts';
import { requiredHttp } from './required-http.ts';

export const root = join(import.meta.dirname, '..', '..');
export const dist = join(root, 'dist');

// Packages that are CommonJS inside load Node's modules with `require`, which an ES module has only if it makes one.
const REQUIRE = "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/**
 * Names are not shortened: errors and stack traces show them. With short names esbuild would set each back by a call, for each function made, closures of busy
 * loops included.
 */
const MINIFIED = { minifyWhitespace: true, minifySyntax: true };

/** Bundles the command line: `serin.js` and the chunks that its commands load when they are called. Returns their contents. */
export const bundle = ({ write, outdir = dist }: { write: boolean; outdir?: string }): Promise<Metafile> =>
  bundled({ entryPoints: { serin: 'src/cli/main.ts' }, outdir, banner: { js: REQUIRE }, write });

/** The same as one CommonJS script, `serin.cjs` in `folder`, which is all that a single executable can hold. */
export async function bundleScript(folder: string): Promise<Metafile> {
  // In two steps: esbuild drops unused modules only in a build with chunks, which the first step is.
  const metafile = await bundled({ entryPoints: { serin: 'src/cli/executable.ts' }, outdir: join(folder, 'chunks'), write: true });
  await build({
    entryPoints: [join(folder, 'chunks', 'serin.js')],
    outfile: join(folder, 'serin.cjs'),
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    // Modules of Node are required: a code cache does not allow `import()`.
    supported: { 'dynamic-import': false },
    ...MINIFIED,
    logLevel: 'warning',
  });
  return metafile;
}

async function bundled(options: BuildOptions): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: root,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    // Each `import()` becomes a chunk, so that a command loads only what it needs.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    ...MINIFIED,
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [clientNodeConfigOnly, noAxios, noListFormat, noUndici, requiredHttp],
    ...options,
    metafile: true,
  });
  // The page of the dashboard is in it as text: its packages also count.
  const page = (await buildPage()).metafile;
  return { inputs: { ...page.inputs, ...metafile.inputs }, outputs: { ...page.outputs, ...metafile.outputs } };
}
