import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deadAnchors } from '../site/check-anchors.ts';
import { embedded, isDrawn } from '../site/drawings.ts';
import { anchorOf, homeLink, navigationOf, repositoryPath } from '../site/navigation.ts';
import { isPage } from '../site/pages.ts';

const root = join(import.meta.dirname, '..');

describe('the site', () => {
  it.each([
    { path: 'README.md', is: true },
    { path: 'docs/tutorials/istio.md', is: true },
    { path: 'src/routers/README.md', is: false },
    { path: 'docs/quick-start.yaml', is: false },
  ])('$path is a page: $is', ({ path, is }) => expect(isPage(path)).toBe(is));

  it('has the sections and pages of the index as its navigation', () => {
    expect(
      navigationOf(
        '# Docs\n\n## Begin\n\n| you | read |\n|---|---|\n| a | [`serin why`](cli.md), [a chart](../charts/serin/README.md), [file](x.yaml) |\n',
      ),
    ).toEqual([
      {
        text: 'Begin',
        collapsed: false,
        items: [
          { text: 'Serin why', link: '/docs/cli' },
          { text: 'A chart', link: '/charts/serin/README' },
        ],
      },
    ]);
    const groups = navigationOf(readFileSync(join(root, 'docs', 'README.md'), 'utf8'));
    expect(groups.map(({ text }) => text)).toEqual(['Begin', 'Write a Canary', 'Run it', 'Understand and change it']);
    expect(groups.every(({ items }) => items.length > 3)).toBe(true);
  });

  it.each([
    { href: '../examples/istio-canary.yaml', page: 'docs/README.md', path: 'examples/istio-canary.yaml' },
    { href: '../src/routers/README.md#how', page: 'docs/x.md', path: 'src/routers/README.md#how' },
    { href: 'cli.md#flags', page: 'docs/README.md', path: undefined },
    { href: '#flags', page: 'docs/README.md', path: undefined },
    { href: 'https://example.org/x.yaml', page: 'docs/README.md', path: undefined },
    { href: `../${'../'}elsewhere.yaml`, page: 'docs/README.md', path: undefined },
    { href: 'not-there.yaml', page: 'docs/README.md', path: undefined },
  ])('the link $href of $page leads to $path of the repository', ({ href, page, path }) => {
    expect(repositoryPath(href, page, (one) => !one.includes('not-there'))).toBe(path);
  });

  it('anchors are those of the repository, and links to the README lead to the first page', () => {
    expect(anchorOf('02: The release, `serin why`')).toBe('02-the-release-serin-why');
    const links = ['../README.md#status', '../README.md', 'README.md', '#status'];
    expect(links.map((href) => homeLink(href, 'docs/x.md'))).toEqual(['/#status', '/', undefined, undefined]);
  });

  it('finds links to sections that a page does not have', () => {
    const pages = new Map([
      ['index.html', '<h2 id="begin">x</h2><a href="#begin">1</a><a class="a" href="/docs/cli.html#gone">2</a>'],
      [
        'docs/cli.html',
        '<h2 id="flags">x</h2><a href="./../#begin">3</a><a href="/docs/cli#flags">4</a><a href="https://a.example/#x">5</a><a href="#fl%61gz">6</a>',
      ],
    ]);
    expect(deadAnchors(pages)).toEqual(['index.html: /docs/cli.html#gone', 'docs/cli.html: #fl%61gz']);
  });

  it('draws flow charts, and leaves charts of states as code', () => {
    expect([isDrawn('flowchart TD\n  a --> b'), isDrawn('stateDiagram-v2\n  [*] --> New')]).toEqual([true, false]);
  });

  it('a drawing loads nothing, and its rules hold for itself', () => {
    const svg = `<svg width="10.5" height="20" style="--fg:red">\n<style>\n  @import url('https://fonts.example.com/x');\n  text { a: b; }\n  svg {\n c: d;\n }\n</style>\n\n<g/></svg>`;
    const [, value = ''] = /^<div class="drawing" v-html="([^"]*)"><\/div>\n$/.exec(embedded(svg)) ?? [];
    const html: string = JSON.parse(value.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&'));
    expect(html).not.toMatch(/@import|https?:|width=/);
    expect(html.match(/^ {2}\.drawing (text|svg) \{/gm)).toHaveLength(2);
    expect(() => embedded('<svg><script>1</script></svg>')).toThrow('outside of itself');
  });
});
