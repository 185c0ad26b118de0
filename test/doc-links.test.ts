import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { anchorOf } from '../site/navigation.ts';

const root = join(import.meta.dirname, '..');
const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...['docs', 'charts', 'kustomize', 'src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  ),
];

/** Anchors that a browser makes of headings, and anchors that a page sets itself. */
function anchorsOf(page: string): string[] {
  const text = readFileSync(page, 'utf8');
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => anchorOf(title));
  return [...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)];
}

it.each(pages)('%s links to pages and sections that there are', (page) => {
  const text = readFileSync(join(root, page), 'utf8');
  const dead = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? join(root, page) : join(root, dirname(page), path);
      if (!existsSync(target)) return true;
      return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor);
    });
  expect(dead, relative(root, page)).toEqual([]);
});

it.each(['ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/internals.md', 'docs/extending.md'])('%s names files and folders that there are', (page) => {
  const named = [...readFileSync(join(root, page), 'utf8').matchAll(/`((?:src|test|scripts|charts|docs)\/[^`*\s]+)`/g)].map(
    ([, path = '']) => path,
  );
  // The folder of what is to be added: `src/routers/<name>/`.
  expect(named.filter((path) => !existsSync(join(root, path.replace(/[^/]*<.*/, ''))))).toEqual([]);
});

it('every page of docs is listed in its index, or is one of a folder that is; the README links to the index', () => {
  const index = readFileSync(join(root, 'docs', 'README.md'), 'utf8');
  const unlisted = readdirSync(join(root, 'docs')).filter((name) => name !== 'README.md' && !index.includes(`](${name}`));
  expect(unlisted).toEqual([]);
  expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain('](docs/README.md)');
});
