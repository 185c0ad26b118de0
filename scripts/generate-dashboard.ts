/** Writes src/dashboard/page-assets.json, the page of the dashboard, from its sources; with `--check`, fails when the committed file differs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPage } from './build/page.ts';
import { writeOrCheck } from './write-or-check.ts';

const folder = join(import.meta.dirname, '..', 'src', 'dashboard');
const { script, style } = await buildPage();
const document = readFileSync(join(folder, 'page', 'index.html'), 'utf8');
const assets = { 'index.html': document, 'page.js': script, 'page.css': style };
writeOrCheck(join(folder, 'page-assets.json'), `${JSON.stringify(assets, undefined, 2)}\n`, 'src/dashboard/page');
