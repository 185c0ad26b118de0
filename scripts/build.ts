/** Bundles the command line into dist/: `serin.js` and the chunks that its commands load when they are called. */
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build, type Metafile } from 'esbuild';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');

/** The names under which packages ship the text of their licence. */
const licenceFile = /^(licen[cs]e|copying|notice)([-.].*)?$/i;

interface Manifest {
  name: string;
  version: string;
  license?: string | { type?: string };
  homepage?: string;
}

async function main(): Promise<void> {
  rmSync(dist, { recursive: true, force: true });
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
    // Packages that are CommonJS inside ask for Node's modules with `require`, which an ES module has only when it makes one.
    banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
    logLevel: 'warning',
  });
  const entry = join(dist, 'serin.js');
  chmodSync(entry, 0o755);
  // Node treats .js as CommonJS unless a package.json above says otherwise; dist/ must also run where it is copied alone.
  writeFileSync(join(dist, 'package.json'), '{ "type": "module" }\n');
  writeFileSync(join(dist, 'THIRD-PARTY-NOTICES.txt'), notices(metafile));
  report(metafile);
}

/** Licence and notice texts of every package with code in the bundle, sorted by name. */
function notices(metafile: Metafile): string {
  const parts = packageFolders(metafile).map((folder) => {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
    const licence = typeof manifest.license === 'object' ? manifest.license.type : manifest.license;
    const texts = readdirSync(folder)
      .filter((file) => licenceFile.test(file))
      .sort()
      .map((file) => readFileSync(join(folder, file), 'utf8').trim());
    const head = `${manifest.name} ${manifest.version} (${licence ?? 'see its package'})`;
    return [head, '-'.repeat(head.length), texts.length > 0 ? texts.join('\n\n') : 'The package ships no licence file.'].join('\n');
  });
  return `Serin includes code of the packages below, under their own licences.\n\n${parts.join('\n\n\n')}\n`;
}

/** Folders of the packages that put bytes into an output; one that was wholly shaken out needs no notice. */
function packageFolders(metafile: Metafile): string[] {
  const folders = new Set<string>();
  for (const output of Object.values(metafile.outputs)) {
    for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) {
      const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
      if (folder && bytesInOutput > 0) folders.add(join(root, folder));
    }
  }
  return [...folders].sort();
}

function report(metafile: Metafile): void {
  const sizes = Object.entries(metafile.outputs).map(([file, { bytes }]) => ({ file: relative(dist, join(root, file)), bytes }));
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  process.stdout.write(`dist: ${sizes.length} files, ${Math.round(total / 1024)} KiB, ${packageFolders(metafile).length} packages\n`);
}

await main();
