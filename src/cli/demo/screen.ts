import type { Verdict } from '../../api/canary-status.ts';
import type { Terminal } from '../output/terminal.ts';
import { cut, inAscii, wrapped } from '../output/text.ts';
import type { DemoFrame } from './demo-frame.ts';

/** The size of a terminal that does not report it. */
const USUAL = { columns: 80, rows: 24 };
const EVENTS = 4;
const CHECKS = 3;
/** Characters of an event where lines are not redrawn: that of an unmeasured check holds its whole query. */
const LONGEST_EVENT = 200;

/** Output of the demo: a frame that is redrawn, and lines. */
export interface Screen {
  say(line: string): void;
  show(frame: DemoFrame): void;
  /** Keeps the last frame; further lines come below it. */
  settle(): void;
}

/** The stream that the demo writes to. */
export interface DemoStream {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  rows?: number | undefined;
  write(text: string): unknown;
}

type Abilities = Pick<Terminal, 'color' | 'unicode' | 'live'>;

/** Redraws a frame in place if the terminal can, else prints plain lines for each change. */
export function createScreen(out: DemoStream, terminal: Abilities): Screen {
  return terminal.live ? liveScreen(out, terminal) : plainScreen(out, terminal);
}

function plainScreen(out: DemoStream, terminal: Abilities): Screen {
  let last = '';
  let act = '';
  let shownEvents = 0;
  const say = (line: string) => void out.write(`${inCharacters(line, terminal)}\n`);
  return {
    say,
    show(frame) {
      if (frame.act !== act) say(frame.act);
      act = frame.act;
      for (const event of frame.events.slice(shownEvents)) for (const line of eventLines(event)) say(line);
      shownEvents = frame.events.length;
      const line = stateLine(frame);
      if (line !== last) for (const each of [line, ...frame.verdicts.map(plainCheck)]) say(each);
      last = line;
    },
    settle() {
      last = '';
    },
  };
}

function eventLines(event: string): string[] {
  const lines = wrapped(cut(event, LONGEST_EVENT, { unicode: true }), USUAL.columns - 7);
  return lines.map((line, index) => `${index === 0 ? '    ' : '      '}${line}`);
}

function stateLine({ phase, routes, primaryReady, canaryReady, users }: DemoFrame): string {
  const side = (name: string, weight: number, ready: string) => `${name} ${inPercent(weight)} (${ready} ready)`;
  return `  ${phase.padEnd(14)}${side('primary', routes.primary, primaryReady)}  ${side('canary', routes.canary, canaryReady)}  ${users.lost} lost`;
}

const plainCheck = (one: Verdict): string => `    ${one.verdict}: ${one.check} ${withUnit(one.value, one)} (${one.limit ?? 'no limit'})`;

function liveScreen(out: DemoStream, terminal: Abilities): Screen {
  let drawn = 0;
  const erase = () => {
    if (drawn > 0) out.write(`\x1b[${drawn}A\x1b[0J`);
    drawn = 0;
  };
  return {
    say(line) {
      erase();
      // An indented line is a table or a command, and is not wrapped.
      const lines = line.startsWith(' ') ? [line] : wrapped(line, (out.columns ?? USUAL.columns) - 1);
      for (const each of lines) out.write(`${inCharacters(each, terminal)}\n`);
    },
    show(frame) {
      erase();
      const { columns = USUAL.columns, rows = USUAL.rows } = out;
      // A line that wraps or a frame that scrolls could not be erased.
      const lines = linesOf(frame, columns)
        .slice(0, rows - 1)
        .map(({ text, color }) => painted(cut(inCharacters(text, terminal), columns - 1, terminal), terminal.color ? color : undefined));
      out.write(`${lines.join('\n')}\n`);
      drawn = lines.length;
    },
    settle() {
      drawn = 0;
    },
  };
}

const inCharacters = (line: string, { unicode }: Abilities): string => (unicode ? line : inAscii(line));

const COLORS = { failed: '\x1b[31m', passed: '\x1b[32m', phase: '\x1b[1m' } as const;

interface ScreenLine {
  text: string;
  color?: keyof typeof COLORS | undefined;
}

const painted = (text: string, color: ScreenLine['color']): string => (color ? `${COLORS[color]}${text}\x1b[0m` : text);

/** At most 14 lines; every bar has its number beside it. */
function linesOf(frame: DemoFrame, columns: number): ScreenLine[] {
  const { users, routes } = frame;
  // The text beside a bar takes 40 characters.
  const width = Math.max(5, Math.min(50, columns - 40));
  const side = (name: string, weight: number, ready: string) =>
    `  ${name.padEnd(8)} ${bar(weight, width)} ${inPercent(weight)}  pods ready ${ready}`;
  return [
    { text: '' },
    { text: `  ${frame.act}` },
    { text: `  phase    ${frame.phase}${frame.step ? ` (${frame.step})` : ''}`, color: 'phase' },
    { text: side('primary', routes.primary, frame.primaryReady) },
    { text: side('canary', routes.canary, frame.canaryReady) },
    { text: `  routes   as the ${routes.by} has them` },
    ...frame.verdicts.slice(0, CHECKS).map(checkLine),
    { text: `  users    ${users.answered} answered, ${users.appErrors} errors of the application, ${users.lost} lost by Serin` },
    ...frame.events.slice(-EVENTS).map((event) => ({ text: `  event    ${event}` })),
  ];
}

function bar(percent: number, width: number): string {
  const filled = Math.round((percent / 100) * width);
  return '#'.repeat(filled) + '.'.repeat(width - filled);
}

const inPercent = (weight: number): string => `${String(weight).padStart(3)}%`;

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
