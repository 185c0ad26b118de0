import type { Verdict } from '../../api/canary-status.ts';
import { cut } from '../output/text.ts';
import type { DemoFrame } from './demo-frame.ts';

/** The size of a terminal that does not report it. */
const USUAL = { columns: 80, rows: 24 };
const EVENTS = 4;
const CHECKS = 3;
/** Characters of an event on a line of its own: that of an unmeasured check holds its whole query. */
const LONGEST_EVENT = 160;

/** Output of the demo: a frame that is redrawn, and lines. */
export interface Screen {
  say(line: string): void;
  show(frame: DemoFrame): void;
  /** Keeps the last frame; further lines come below it. */
  settle(): void;
}

/** The stream that the demo writes to. */
export interface Output {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  rows?: number | undefined;
  write(text: string): unknown;
}

/** On a terminal one frame that is redrawn in place, else a plain line for each change. */
export function createScreen(out: Output, useColor: boolean): Screen {
  return out.isTTY ? terminalScreen(out, useColor) : plainScreen(out);
}

function plainScreen(out: Output): Screen {
  let last = '';
  let act = '';
  let shownEvents = 0;
  return {
    say: (line) => void out.write(`${line}\n`),
    show(frame) {
      if (frame.act !== act) out.write(`${frame.act}\n`);
      act = frame.act;
      for (const event of frame.events.slice(shownEvents)) out.write(`    ${cut(event, LONGEST_EVENT, { unicode: true })}\n`);
      shownEvents = frame.events.length;
      const line = `  ${frame.phase}, canary ${frame.weight} %, pods primary ${frame.primaryReady} canary ${frame.canaryReady}, ${frame.users.lost} requests lost`;
      if (line !== last) out.write(`${line}${checksInline(frame)}\n`);
      last = line;
    },
    settle() {
      last = '';
    },
  };
}

function checksInline({ verdicts }: DemoFrame): string {
  if (verdicts.length === 0) return '';
  return `; ${verdicts.map((v) => `${v.check} ${withUnit(v.value, v)} (${v.limit ?? 'no limit'}) ${v.verdict}`).join(', ')}`;
}

function terminalScreen(out: Output, useColor: boolean): Screen {
  let drawn = 0;
  const erase = () => {
    if (drawn > 0) out.write(`\x1b[${drawn}A\x1b[0J`);
    drawn = 0;
  };
  return {
    say(line) {
      erase();
      out.write(`${line}\n`);
    },
    show(frame) {
      erase();
      const { columns = USUAL.columns, rows = USUAL.rows } = out;
      // A line that wraps or a frame that scrolls could not be erased.
      const lines = linesOf(frame, columns)
        .slice(0, rows - 1)
        .map(({ text, color }) => ({ text: text.slice(0, columns - 1), color }));
      out.write(`${lines.map(({ text, color }) => (useColor && color ? `${COLORS[color]}${text}\x1b[0m` : text)).join('\n')}\n`);
      drawn = lines.length;
    },
    settle() {
      drawn = 0;
    },
  };
}

const COLORS = { failed: '\x1b[31m', passed: '\x1b[32m', phase: '\x1b[1m' } as const;

interface ScreenLine {
  text: string;
  color?: keyof typeof COLORS | undefined;
}

/** At most 13 lines; every bar has its number beside it. */
function linesOf(frame: DemoFrame, columns: number = USUAL.columns): ScreenLine[] {
  const { users } = frame;
  // The text beside a bar takes 40 characters.
  const width = Math.max(5, Math.min(50, columns - 40));
  const side = (name: string, weight: number, ready: string) =>
    `  ${name.padEnd(8)} ${bar(weight, width)} ${String(weight).padStart(3)} %  pods ready ${ready}`;
  return [
    { text: '' },
    { text: `  ${frame.act}` },
    { text: `  phase    ${frame.phase}${frame.step ? ` (${frame.step})` : ''}`, color: 'phase' },
    { text: side('primary', 100 - frame.weight, frame.primaryReady) },
    { text: side('canary', frame.weight, frame.canaryReady) },
    ...frame.verdicts.slice(0, CHECKS).map(checkLine),
    { text: `  users    ${users.answered} answered, ${users.appErrors} errors of the application, ${users.lost} lost by Serin` },
    ...frame.events.slice(-EVENTS).map((event) => ({ text: `  event    ${event}` })),
  ];
}

function bar(percent: number, width: number): string {
  const filled = Math.round((percent / 100) * width);
  return '#'.repeat(filled) + '.'.repeat(width - filled);
}

function checkLine(one: Verdict): ScreenLine {
  const { check, verdict, value, baseline, limit = 'no limit' } = one;
  const text = `  check    ${verdict.padEnd(10)} ${check} ${withUnit(value, one)}, ${limit}; primary ${withUnit(baseline, one)}`;
  return { text, color: verdict === 'unmeasured' ? undefined : verdict };
}

const UNITS: Readonly<Record<string, string>> = { 'request-success-rate': '%', 'request-duration': 'ms' };

/** `99.5%`: rounded, in the unit of the check. */
export function withUnit(value: number | undefined, { check }: Pick<Verdict, 'check'>): string {
  return value === undefined ? '-' : `${Math.round(value * 100) / 100}${UNITS[check] ?? ''}`;
}
