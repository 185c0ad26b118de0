import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** Links of built pages, `{ path: HTML }`, to sections that their page does not have: VitePress looks at pages only. */
export function deadAnchors(pages: ReadonlyMap<string, string>): string[] {
  const anchors = new Map([...pages].map(([path, html]) => [path, new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id))]));
  return [...pages].flatMap(([page, html]) =>
    [...html.matchAll(/<a\b[^>]*\shref="([^"#:]*)#([^"]+)"/g)].flatMap(([, link = '', anchor = '']) => {
      const path = link === '' ? page : posix.join('/', posix.dirname(page), link).slice(1);
      const target = link.startsWith('/') ? link.slice(1) : path;
      const found = anchors.get(target === '' || target.endsWith('/') ? `${target}index.html` : target.replace(/(\.html)?$/, '.html'));
      return found?.has(decodeURIComponent(anchor)) ? [] : [`${page}: ${link}#${anchor}`];
    }),
  );
}

if (import.meta.main) {
  const dist = join(import.meta.dirname, 'dist');
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));
  const dead = deadAnchors(new Map(files.map((name) => [name.replaceAll('\\', '/'), readFileSync(join(dist, name), 'utf8')])));
  for (const one of dead) process.stderr.write(`dead link to a section: ${one}\n`);
  process.exitCode = dead.length === 0 ? 0 : 1;
}
