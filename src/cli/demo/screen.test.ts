import { expect, it } from 'vitest';
import type { DemoFrame } from './demo-frame.ts';
import { createScreen, type DemoStream } from './screen.ts';

const frame: DemoFrame = {
  act: 'Part 3: version 3 is slow and fails every fifth request',
  phase: 'Progressing',
  routes: { primary: 80, canary: 20, by: 'VirtualService podinfo' },
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
const live = { live: true, color: false, unicode: true };
const piped = { live: false, color: false, unicode: true };

function paper(size: Partial<DemoStream> = {}): DemoStream & { text(): string; lines(): string[] } {
  let text = '';
  return { ...size, write: (part: string) => (text += part), text: () => text, lines: () => text.trimEnd().split('\n') };
}

const longestOf = (lines: readonly string[]): number => Math.max(...lines.map(({ length }) => length));

it.each([
  [80, 24],
  [60, 20],
  [120, 40],
  [40, 8],
])('a frame fits a terminal of %i by %i, so that it can be erased', (columns, rows) => {
  const out = paper({ isTTY: true, columns, rows });
  const screen = createScreen(out, live);
  screen.show(frame);
  const lines = out.lines();
  expect(lines.length).toBeLessThan(rows);
  expect(longestOf(lines)).toBeLessThan(columns);
  screen.show(frame);
  expect(out.text()).toContain(`\x1b[${lines.length}A\x1b[0J`);
});

it('text that is said is wrapped between words in a narrow terminal; tables and commands are not', () => {
  const out = paper({ isTTY: true, columns: 40, rows: 20 });
  const screen = createScreen(out, live);
  screen.say('Checks run every 1 s here (--min-analysis-interval); users have more.');
  const command = `  serin status podinfo --kubeconfig ${'/long'.repeat(10)}`;
  screen.say(command);
  expect(out.lines()).toEqual(['Checks run every 1 s here', '(--min-analysis-interval); users have', 'more.', command]);
});

it('bars and numbers are those of the routes, and the object that they are read from is named', () => {
  const out = paper({ isTTY: true, columns: 80, rows: 24 });
  createScreen(out, live).show({ ...frame, routes: { primary: 0, canary: 100, by: 'Service podinfo' } });
  expect(out.lines()).toContain(`  primary  ${'.'.repeat(40)}   0%  pods ready 3/3`);
  expect(out.lines()).toContain(`  canary   ${'#'.repeat(40)} 100%  pods ready 3/3`);
  expect(out.lines()).toContain('  routes   as the Service podinfo has them');
});

it('where lines are not redrawn each part and each event is printed once, and nothing is erased', () => {
  const out = paper();
  const screen = createScreen(out, piped);
  screen.show({ ...frame, events: ['one'] });
  screen.show(frame);
  screen.show(frame);
  for (const word of ['Part 3', 'one', 'two', 'three', 'four', 'five'])
    expect(
      out.lines().filter((line) => line.trim().startsWith(word)),
      word,
    ).toHaveLength(1);
  expect(out.lines().filter((line) => line.includes('Progressing'))).toEqual([
    '  Progressing   primary  80% (3/3 ready)  canary  20% (3/3 ready)  0 lost',
  ]);
  expect(out.text()).toContain(
    '    passed: request-success-rate 99.51% (at least 99%)\n    failed: request-duration 995ms (at most 500ms)\n',
  );
  expect(out.text()).not.toContain('\x1b');
});

it('where lines are not redrawn none is longer than 80 characters, and a long event ends with a mark on its third line', () => {
  const out = paper();
  createScreen(out, piped).show({ ...frame, phase: 'WaitingPromotion', routes: { ...frame.routes, primary: 100 } });
  expect(longestOf(out.lines())).toBeLessThanOrEqual(80);
  expect(out.text()).toMatch(/\n {4}five long .*(\n {6}long .*){2}…\n/);
});

it('colours follow the verdict and not the text of a line', () => {
  const out = paper({ isTTY: true, columns: 200, rows: 40 });
  const verdicts = [{ check: 'a  check    passed', verdict: 'failed' as const, limit: 'at least 99%' }];
  createScreen(out, { ...live, color: true }).show({
    ...frame,
    verdicts,
    act: '  check    failed',
    events: ['phase', 'check    passed'],
  });
  const red = out
    .text()
    .split('\n')
    .filter((line) => line.startsWith('\x1b[31m'));
  expect(red).toEqual([expect.stringContaining('failed     a  check    passed -, at least 99%')]);
  expect(out.text()).not.toContain('\x1b[32m');
});

it.each([true, false])('a terminal without UTF-8 gets only ASCII (redrawn: %s)', (isLive) => {
  const out = paper({ isTTY: isLive, columns: 80, rows: 24 });
  const screen = createScreen(out, { live: isLive, color: false, unicode: false });
  screen.say('Serin’s own');
  screen.show({ ...frame, events: ['“é”', `long ${'word '.repeat(60)}`] });
  expect(out.text()).toContain("Serin's own\n");
  expect(out.text()).toMatch(/"\?"[\s\S]*\.\.\.\n/);
  expect(out.text().replaceAll('\x1b', '')).toMatch(/^[\x20-\x7e\n]*$/);
});
