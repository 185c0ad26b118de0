import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderMermaidSVG } from 'beautiful-mermaid';
import { defineConfig, type MarkdownRenderer } from 'vitepress';
import { embedded, isDrawn } from '../drawings.ts';
import { anchorOf, homeLink, navigationOf, repositoryPath } from '../navigation.ts';
import { root } from '../pages.ts';

const { repository }: { repository: { url: string } } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const sources = `${repository.url.replace(/^git\+/, '').replace(/\.git$/, '')}/blob/main`;

/** Links to files that are no pages lead to the repository, and those to the README to the first page. */
function linksOfSite(md: MarkdownRenderer): void {
  md.core.ruler.after('inline', 'links-of-site', ({ env, tokens }) => {
    for (const token of tokens.flatMap((one) => one.children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null;
      const path = href === null ? undefined : repositoryPath(href, env.relativePath ?? '', (one) => existsSync(join(root, one)));
      const home = href === null ? undefined : homeLink(href, env.relativePath ?? '');
      if (path !== undefined) token.attrSet('href', `${sources}/${path}`);
      if (home !== undefined) token.attrSet('href', home);
    }
  });
}

/** Double braces of our pages are Go templates, and not expressions of Vue. */
function bracesAsText(md: MarkdownRenderer): void {
  const render = md.renderer.render.bind(md.renderer);
  md.renderer.render = (...args) => render(...args).replaceAll('{{', '&#123;&#123;');
}

/** Draws diagrams when the site is built; their colours are those of the page, in the dark, too. */
function diagramsDrawn(md: MarkdownRenderer): void {
  const { fence } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, index, ...others) => {
    const { info = '', content = '' } = tokens[index] ?? {};
    if (info.trim() !== 'mermaid' || !isDrawn(content)) return fence?.(tokens, index, ...others) ?? '';
    return embedded(renderMermaidSVG(content, { bg: 'var(--vp-c-bg)', fg: 'var(--vp-c-text-1)', transparent: true }));
  };
}

export default defineConfig({
  title: 'Serin',
  description: 'Progressive delivery for Kubernetes that never hurts the application it releases',
  srcDir: 'pages',
  outDir: 'dist',
  cacheDir: '.vitepress/cache',
  rewrites: { 'README.md': 'index.md' },
  markdown: {
    anchor: { slugify: anchorOf },
    config(md) {
      for (const plugin of [linksOfSite, bracesAsText, diagramsDrawn]) plugin(md);
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Documentation', link: '/docs/README' },
      { text: 'Tutorials', link: '/docs/tutorials/README' },
      { text: 'Changes', link: '/CHANGELOG' },
    ],
    sidebar: navigationOf(readFileSync(join(root, 'docs', 'README.md'), 'utf8')),
    outline: 'deep',
  },
});
