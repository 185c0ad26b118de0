import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { defineConfig } from 'vitepress';
import { isPage, root } from '../pages.mjs';

const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const sources = `${repository.url.replace(/^git\+/, '').replace(/\.git$/, '')}/blob/main`;

/** Links of one line of a table in docs/README.md, as items of the navigation. */
const itemsOf = (line) =>
  [...line.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)]
    .map(([, text, link]) => ({ text: text.replaceAll('`', ''), path: relative(root, join(root, 'docs', link)).split(sep).join('/') }))
    .filter(({ path }) => isPage(path))
    .map(({ text, path }) => ({ text: text[0].toUpperCase() + text.slice(1), link: `/${path.replace(/\.md$/, '')}` }));

/** The navigation is the index of the documentation: one group a section, one item a link. */
const sidebar = readFileSync(join(root, 'docs/README.md'), 'utf8')
  .split(/^## /m)
  .slice(1)
  .map((section) => {
    const [text, ...lines] = section.split('\n');
    return { text, collapsed: false, items: lines.filter((line) => line.startsWith('|')).flatMap(itemsOf) };
  });

/** Links to files and folders of the repository that are not pages of the site lead to the repository. */
function linkToRepository(md) {
  md.core.ruler.after('inline', 'link-to-repository', (state) => {
    const page = join(root, state.env.relativePath ?? '');
    for (const token of state.tokens.flatMap((one) => one.children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null;
      if (href === null || href.startsWith('#') || /^[a-z]+:/.test(href)) continue;
      const [link] = href.split('#');
      const target = resolve(dirname(page), decodeURI(link));
      const path = relative(root, target).split(sep).join('/');
      if (existsSync(target) && !isPage(path)) token.attrSet('href', `${sources}/${path}${href.slice(link.length)}`);
    }
  });
}

/** Double braces of our pages are Go templates, and not expressions of Vue. */
function bracesAsText(md) {
  const render = md.renderer.render.bind(md.renderer);
  md.renderer.render = (...args) => render(...args).replaceAll('{{', '&#123;&#123;');
}

export default defineConfig({
  title: 'Serin',
  description: 'Progressive delivery for Kubernetes that never hurts the application it releases',
  srcDir: 'pages',
  outDir: 'dist',
  cacheDir: '.vitepress/cache',
  rewrites: { 'README.md': 'index.md' },
  markdown: { config: (md) => [linkToRepository, bracesAsText].forEach((plugin) => plugin(md)) },
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Documentation', link: '/docs/README' },
      { text: 'Tutorials', link: '/docs/tutorials/README' },
      { text: 'Changes', link: '/CHANGELOG' },
    ],
    sidebar,
    outline: 'deep',
  },
});
