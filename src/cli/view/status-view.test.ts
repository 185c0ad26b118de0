import { describe, expect, it } from 'vitest';
import { viewedReleases } from '../../../test/fakes/viewed-releases.ts';
import { statusView } from './status-view.ts';

const releases = viewedReleases();
const sizes = [
  { columns: 80, rows: 24 },
  { columns: 140, rows: 40 },
];
const plain = { color: false, unicode: true, live: true };
const widest = (lines: readonly string[]) => Math.max(...lines.map(({ length }) => length));

describe('the screen of one Canary', () => {
  it.each(releases.flatMap((release) => sizes.map((size) => ({ ...release, ...size }))))(
    '$phase at $columns x $rows',
    async ({ phase, view, nowMs, columns, rows }) => {
      // The last row is for keys.
      const lines = statusView(view, { ...plain, columns }, rows - 1, nowMs);
      expect(lines.length).toBeLessThan(rows);
      expect(widest(lines)).toBeLessThanOrEqual(columns);
      const path = `../../../test/golden/views/${phase.toLowerCase()}-${columns}x${rows}.txt`;
      await expect(`${lines.map((line) => line.trimEnd()).join('\n')}\n`).toMatchFileSnapshot(path);
    },
  );
  it.each(releases)('$phase fits every size from 40x8 on, without characters beyond ASCII where there are none', ({ view, nowMs }) => {
    for (let columns = 40; columns <= 200; columns += 7)
      for (let rows = 8; rows <= 60; rows += 5) {
        const lines = statusView(view, { ...plain, unicode: false, columns }, rows, nowMs);
        expect(lines.length).toBeLessThanOrEqual(rows);
        expect(widest(lines)).toBeLessThanOrEqual(columns);
        expect(lines.join('')).toMatch(/^[\x20-\x7e]*$/);
      }
  });
  it('a hostile image moves no cursor', () => {
    const [release] = releases.filter(({ phase }) => phase === 'Failed');
    const [group] = release?.view.canaryPods ?? [];
    if (release === undefined || group === undefined) throw new Error('the release has no pods');
    const view = { ...release.view, canaryPods: [{ ...group, image: 'a\x1b[2Jb\r\nc' }] };
    const text = statusView(view, { ...plain, columns: 80 }, 23, release.nowMs).join('');
    expect(text).toContain('a[2Jb c');
    expect(text).not.toContain('\x1b');
  });
  it('-o wide shows queries', () => {
    const [release] = releases;
    if (release === undefined) throw new Error('there are no releases');
    const ranges = new Map([['request-success-rate', { limit: { min: 99 }, query: 'sum(rate(requests_total[1m]))' }]]);
    const shown = (wide: boolean) => statusView({ ...release.view, ranges }, { ...plain, columns: 80 }, 23, release.nowMs, wide).join('\n');
    expect(shown(true)).toContain('query: sum(rate(requests_total[1m]))');
    expect(shown(false)).not.toContain('query:');
  });
});
