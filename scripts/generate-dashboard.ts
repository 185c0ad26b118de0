/** Writes src/dashboard/page-assets.json and login-assets.json, the pages of the dashboard, from their sources; with `--check`, fails when a committed file differs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildLoginPage, buildPage } from './build/page.ts';
import { writeOrCheck } from './write-or-check.ts';

const folder = join(import.meta.dirname, '..', 'src', 'dashboard');
const pages = [
  { file: 'page-assets.json', document: 'index.html', built: await buildPage() },
  { file: 'login-assets.json', document: 'login.html', built: await buildLoginPage() },
];
for (const { file, document, built } of pages) {
  const assets = { 'index.html': readFileSync(join(folder, 'page', document), 'utf8'), 'page.js': built.script, 'page.css': built.style };
  writeOrCheck(join(folder, file), `${JSON.stringify(assets, undefined, 2)}\n`, 'src/dashboard/page');
}
