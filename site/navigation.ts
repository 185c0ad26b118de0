import { posix } from 'node:path';
import { isPage } from './pages.ts';

/** One group of the navigation. */
export interface NavigationGroup {
  text: string;
  collapsed: boolean;
  items: { text: string; link: string }[];
}

/** The navigation is the index of the documentation, docs/README.md: one group for each section, one item for each link in its table. */
export function navigationOf(index: string): NavigationGroup[] {
  return index
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [text = '', ...lines] = section.split('\n');
      return { text, collapsed: false, items: lines.filter((line) => line.startsWith('|')).flatMap(itemsOf) };
    });
}

/** Links to sections lead to a page that has its own item, and files that are no page have none. */
function itemsOf(line: string): NavigationGroup['items'] {
  return [...line.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)]
    .map(([, text = '', link = '']) => ({ text: text.replaceAll('`', ''), path: posix.join('docs', link) }))
    .filter(({ path }) => isPage(path))
    .map(({ text, path }) => ({ text: text.charAt(0).toUpperCase() + text.slice(1), link: `/${path.replace(/\.md$/, '')}` }));
}

/** The anchor of a heading, as the repository's own pages have it. */
export const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** A link of a page to the README, which is the first page of the site; undefined: it leads elsewhere. `page`: its path from the root of the repository. */
export function homeLink(href: string, page: string): string | undefined {
  const [link = ''] = href.split('#');
  return link !== '' && posix.join(posix.dirname(page), link) === 'README.md' ? `/${href.slice(link.length)}` : undefined;
}

/**
 * Where a link of a page leads that means a file of the repository and no page of the site; undefined: it stays as it is. `page`: its path from
 * the root of the repository; `exists`: whether a path from there does.
 */
export function repositoryPath(href: string, page: string, exists: (path: string) => boolean): string | undefined {
  if (href.startsWith('#') || /^[a-z]+:/.test(href)) return undefined;
  const [link = ''] = href.split('#');
  const path = posix.join(posix.dirname(page), decodeURI(link));
  if (path.startsWith('..') || isPage(path) || !exists(path)) return undefined;
  return `${path}${href.slice(link.length)}`;
}
