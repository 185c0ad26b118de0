import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { noteReads } from '../generation/observe.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = join(root, 'src', 'dashboard', 'page');

/** Bundles the page of the dashboard: its script and its style. */
export const buildPage = () => bundled({ page: join(folder, 'main.tsx'), style: join(folder, 'page.css') });

/** The same of its login page, which is served to everyone and so is separate. */
export const buildLoginPage = () => bundled({ page: join(folder, 'login.ts'), style: join(folder, 'login.css') });

async function bundled(entryPoints: Record<string, string>): Promise<{ script: string; style: string; metafile: Metafile }> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir: folder,
    bundle: true,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target: ['chrome120', 'firefox121', 'safari17'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    write: false,
  });
  noteReads(Object.keys(metafile.inputs).map((path) => join(root, path)));
  const text = (end: string) => outputFiles.find(({ path }) => path.endsWith(end))?.text.trim() ?? '';
  return { script: text('page.js'), style: text('style.css'), metafile };
}
