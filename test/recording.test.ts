import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Recording } from '../scripts/recording/record.ts';
import { svgOf, themes } from '../scripts/recording/svg.ts';
import { TerminalModel } from '../scripts/recording/terminal-model.ts';

const root = join(import.meta.dirname, '..');
const files = Object.keys(themes).map((name) => `docs/demo/demo-${name}.svg`);
const README = readFileSync(join(root, 'README.md'), 'utf8');

describe('the pictures of the demo', () => {
  it.each(files)('%s is small, and needs no other file', (file) => {
    expect(statSync(join(root, file)).size).toBeLessThanOrEqual(150 * 1024);
    expect(readFileSync(join(root, file), 'utf8')).not.toMatch(/href|url\(|@import|<script|<image/);
    expect(README).toContain(file);
  });

  it.each(files)('%s moves only where motion is wanted, and shows the end of the demo otherwise', (file) => {
    const text = readFileSync(join(root, file), 'utf8');
    const [still = '', moving = ''] = text.split('@media (prefers-reduced-motion:no-preference)');
    expect(still).not.toContain('animation');
    expect(moving).toContain('animation:');
    expect(text).toMatch(/class="[^"]*\bend"[^>]*>Try next:</);
    expect(text).not.toMatch(/class="[^"]*\bend"[^>]*>Start: /);
  });

  it.each(Object.entries(themes))('text stands out from the ground in %s', (_, { ground, frame, ...colors }) => {
    for (const color of Object.values(colors)) expect(contrast(color, ground), color).toBeGreaterThanOrEqual(4.5);
  });
});

it('the README has at most 120 lines', () => expect(README.trimEnd().split('\n').length).toBeLessThanOrEqual(120));

it('a line is in the picture from the moment when it was shown until another takes its row, and is text there', () => {
  const recording: Recording = {
    command: 'run',
    pictures: [
      {
        atMs: 0,
        lines: [
          ['stays', ''],
          ['first <b>', 'failed'],
        ],
      },
      {
        atMs: 2_000,
        lines: [
          ['stays', ''],
          ['second', ''],
        ],
      },
      { atMs: 60_000, lines: [['stays', '']] },
    ],
  };
  const svg = svgOf(recording, themes.light, 'scripts/x.ts');
  // 2 s, 2.5 s of the minute in which nothing happens, and 12 s for the last picture.
  expect(svg).toContain('animation:16500ms');
  const spanOf = (text: string) => new RegExp(`class="s(\\d+)[^>]*>${text}<`).exec(svg)?.[1];
  const framesOf = (text: string) => svg.split('\n').find((line) => line.startsWith(`.s${spanOf(text)}{`));
  expect(framesOf('stays')).toContain('{0%{opacity:1}100%{opacity:1}}');
  expect(framesOf('first &lt;b&gt;')).toContain('{0%{opacity:1}12.12%,100%{opacity:0}}');
  expect(framesOf('second')).toContain('{0%{opacity:0}12.12%{opacity:1}27.27%,100%{opacity:0}}');
  expect(svg).toMatch(/class="s\d+ failed"[^>]*>first/);
});

describe('the model of a terminal', () => {
  it('erases what is drawn again, keeps the rest, and takes a line that comes in parts', () => {
    const model = new TerminalModel();
    model.write('said\nold one\nold');
    model.write(' two\n');
    model.write('\x1b[2A\x1b[0J\x1b[31mnew one\x1b[0m\nnew two\n');
    expect(model.lines()).toEqual([
      ['said', ''],
      ['new one', 'failed'],
      ['new two', ''],
    ]);
    expect(model.screen(1)).toEqual([['new two', '']]);
  });

  it('does not guess what else a terminal would do', () => {
    expect(() => new TerminalModel().write('\x1b[2K\n')).toThrow('does not know');
  });
});

/** As WCAG defines it. */
function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
