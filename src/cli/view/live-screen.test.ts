import { describe, expect, it } from 'vitest';
import { LiveScreen } from './live-screen.ts';
import { sparkline } from './sparkline.ts';

const terminal = { color: false, unicode: true, live: true, columns: 80 };

function aScreen(columns: number, rows: number) {
  const written: string[] = [];
  const out = { columns, rows, write: (text: string) => written.push(text) };
  return { out, written, screen: new LiveScreen(out, terminal) };
}

describe('the live screen', () => {
  it('writes nothing where nothing has changed', () => {
    const { screen, written } = aScreen(80, 24);
    screen.draw(() => ['one']);
    const before = written.length;
    screen.draw(() => ['one']);
    expect(written).toHaveLength(before);
    screen.draw(() => ['two']);
    expect(written.at(-1)).toBe('\x1b[Htwo\x1b[K\x1b[J');
  });
  it('does not erase the last column of a full line', () => {
    const { screen, written } = aScreen(40, 24);
    screen.draw(() => ['x'.repeat(40), 'y']);
    expect(written.at(-1)).toBe(`\x1b[H${'x'.repeat(40)}\r\ny\x1b[K\x1b[J`);
  });
  it('says that a terminal is too small, and draws again once it is not', () => {
    const { screen, written, out } = aScreen(30, 24);
    screen.draw(() => ['one']);
    expect(written.at(-1)).toContain('Too small: 40x8 needed');
    out.columns = 60;
    screen.draw(({ columns }, rows) => [`${columns} by ${rows}`]);
    expect(written.at(-1)).toContain('60 by 24');
  });
  it('restores the terminal once, and only where it was changed', () => {
    const { screen, written } = aScreen(80, 24);
    screen.close();
    expect(written).toEqual([]);
    screen.draw(() => ['one']);
    screen.close();
    screen.close();
    expect(written.filter((text) => text.includes('\x1b[?25h'))).toHaveLength(1);
  });
});

describe('a sparkline', () => {
  it.each([
    { title: 'reaches down to a minimum', values: [99, 99.5, 100], limit: { min: 98 }, bars: '▅▆█' },
    { title: 'shows a value below it as the lowest', values: [100, 90], limit: { min: 99 }, bars: '█▁' },
    { title: 'begins at 0 below a maximum', values: [250, 500], limit: { max: 500 }, bars: '▅█' },
    { title: 'is level without a limit', values: [7, 7], limit: {}, bars: '▄▄' },
    { title: 'needs two values', values: [7], limit: {}, bars: '' },
    { title: 'takes infinity as the highest', values: [1, Number.POSITIVE_INFINITY], limit: { max: 2 }, bars: '▅█' },
  ])('$title', ({ values, limit, bars }) => expect(sparkline(values, limit, { unicode: true })).toBe(bars));
});
