/** Writes src/dashboard/page-assets.json and login-assets.json, the pages of the dashboard, from their sources; with `--check`, fails when a committed file differs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildLoginPage, buildPage } from './build/page.ts';
import type { Generate } from './generation/generated-file.ts';
import { runAlone } from './generation/settle.ts';

const folder = join(import.meta.dirname, '..', 'src', 'dashboard');

export const generate: Generate = async () => {
  const pages = [
    { file: 'page-assets.json', document: 'index.html', built: await buildPage() },
    { file: 'login-assets.json', document: 'login.html', built: await buildLoginPage() },
  ];
  return pages.map(({ file, document, built }) => {
    const assets = { 'index.html': readFileSync(join(folder, 'page', document), 'utf8'), 'page.js': built.script, 'page.css': built.style };
    return { path: join(folder, file), text: `${JSON.stringify(assets, undefined, 2)}\n`, source: 'src/dashboard/page' };
  });
};

if (import.meta.main) await runAlone(generate);
