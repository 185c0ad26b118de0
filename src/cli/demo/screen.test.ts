import { expect, it } from 'vitest';
import type { DemoFrame } from './demo-frame.ts';
import { createScreen, type Output } from './screen.ts';

const frame: DemoFrame = {
  act: 'Part 3: version 3 fails 5 % of its requests and is slow',
  phase: 'Progressing',
  weight: 20,
  step: 'analysing',
  primaryReady: '3/3',
  canaryReady: '3/3',
  verdicts: [
    { check: 'request-success-rate', verdict: 'passed', value: 99.51234, baseline: 100, limit: 'at least 99%' },
    { check: 'request-duration', verdict: 'failed', value: 995, limit: 'at most 500ms' },
  ],
  users: { sent: 10, answered: 9, appErrors: 1, lost: 0 },
  events: ['one', 'two', 'three', 'four', `five ${'long '.repeat(60)}`],
};

function paper(size: Partial<Output> = {}): Output & { text(): string } {
  let text = '';
  return { ...size, write: (part: string) => (text += part), text: () => text };
}

it.each([
  [80, 24],
  [60, 20],
  [120, 40],
  [40, 8],
])('a frame fits a terminal of %i by %i, so that it can be erased', (columns, rows) => {
  const out = paper({ isTTY: true, columns, rows });
  const screen = createScreen(out, false);
  screen.show(frame);
  const lines = out.text().trimEnd().split('\n');
  expect(lines.length).toBeLessThan(rows);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(columns);
  screen.show(frame);
  expect(out.text()).toContain(`\x1b[${lines.length}A\x1b[0J`);
});

it('without a terminal each part and each event is printed once, and nothing is erased', () => {
  const out = paper();
  const screen = createScreen(out, false);
  screen.show({ ...frame, events: ['one'] });
  screen.show(frame);
  screen.show(frame);
  const lines = out.text().trimEnd().split('\n');
  for (const word of ['Part 3', 'one', 'two', 'three', 'four', 'five'])
    expect(
      lines.filter((line) => line.trim().startsWith(word)),
      word,
    ).toHaveLength(1);
  expect(lines.filter((line) => line.includes('Progressing'))).toHaveLength(1);
  expect(out.text()).toContain('request-success-rate 99.51% (at least 99%) passed, request-duration 995ms (at most 500ms) failed');
  expect(out.text()).not.toContain('\x1b');
});

it('colours follow the verdict and not the text of a line', () => {
  const out = paper({ isTTY: true, columns: 200, rows: 40 });
  const verdicts = [{ check: 'a  check    passed', verdict: 'failed' as const, limit: 'at least 99%' }];
  createScreen(out, true).show({ ...frame, verdicts, act: '  check    failed', events: ['phase', 'check    passed'] });
  const red = out
    .text()
    .split('\n')
    .filter((line) => line.startsWith('\x1b[31m'));
  expect(red).toEqual([expect.stringContaining('failed     a  check    passed -, at least 99%')]);
  expect(out.text()).not.toContain('\x1b[32m');
});

it('without a terminal an event takes two lines of a usual terminal at most, and a mark says that there is more', () => {
  const out = paper();
  createScreen(out, false).show(frame);
  expect(out.text()).toMatch(/\n {4}five long .*…\n/);
  expect(
    Math.max(
      ...out
        .text()
        .split('\n')
        .slice(1, 6)
        .map((line) => line.length),
    ),
  ).toBeLessThanOrEqual(164);
});
