import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '..');

/** The folders whose pages belong to the site, beside those of the root; pages elsewhere are read in the repository. */
const FOLDERS: readonly string[] = ['docs', 'charts', 'kustomize'];

/** Whether a file of the repository, by its path from the root, is a page of the site. */
export function isPage(path: string): boolean {
  const [folder = ''] = path.split('/');
  return path.endsWith('.md') && (folder === path || FOLDERS.includes(folder));
}

/** Copies all pages and pictures to `site/pages`: VitePress needs them inside of its own package. */
export function collectPages(): void {
  const pages = join(import.meta.dirname, 'pages');
  rmSync(pages, { recursive: true, force: true });
  const below = (folder: string) => readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  const found = [
    ...readdirSync(root),
    ...FOLDERS.flatMap((folder) => below(folder).map((name) => `${folder}/${name.replaceAll('\\', '/')}`)),
  ];
  for (const path of found.filter((name) => isPage(name) || /\.(svg|png)$/.test(name))) cpSync(join(root, path), join(pages, path));
}

if (import.meta.main) collectPages();
