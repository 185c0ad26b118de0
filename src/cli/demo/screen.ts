import type { Scene } from './scene.ts';

const WIDTH = 80;
const BAR = 40;

export interface Screen {
  say(line: string): void;
  show(scene: Scene): void;
  /** What is shown now stays; further lines come below it. */
  settle(): void;
}

export interface Output {
  isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** On a terminal one frame that is redrawn in place, else a plain line for each change. */
export function createScreen(out: Output, useColor: boolean): Screen {
  return out.isTTY ? terminalScreen(out, useColor) : plainScreen(out);
}

function plainScreen(out: Output): Screen {
  let last = '';
  let toldEvents = '';
  return {
    say: (line) => void out.write(`${line}\n`),
    show(scene) {
      const event = scene.events.at(-1) ?? '';
      if (event !== toldEvents && event !== '') out.write(`    ${event}\n`);
      toldEvents = event;
      const line = `  ${scene.phase}, canary ${scene.weight} %, pods primary ${scene.primaryReady} canary ${scene.canaryReady}, ${scene.users.lost} requests lost`;
      if (line !== last) out.write(`${line}${checksInline(scene)}\n`);
      last = line;
    },
    settle() {
      last = '';
    },
  };
}

function checksInline({ verdicts }: Scene): string {
  if (verdicts.length === 0) return '';
  return `; ${verdicts.map((v) => `${v.check} ${number(v.value)} (${v.limit ?? 'no limit'}) ${v.verdict}`).join(', ')}`;
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
    show(scene) {
      erase();
      const lines = frame(scene).map((line) => line.slice(0, WIDTH - 1));
      out.write(`${lines.map((line) => (useColor ? colored(line) : line)).join('\n')}\n`);
      drawn = lines.length;
    },
    settle() {
      drawn = 0;
    },
  };
}

/** At most 16 lines of at most 79 characters; every bar has its number beside it. */
export function frame(scene: Scene): string[] {
  const { users } = scene;
  return [
    '',
    `  ${scene.act}`,
    `  phase    ${scene.phase}${scene.step ? ` (${scene.step})` : ''}`,
    `  primary  ${bar(100 - scene.weight)} ${String(100 - scene.weight).padStart(3)} %  pods ${scene.primaryReady}`,
    `  canary   ${bar(scene.weight)} ${String(scene.weight).padStart(3)} %  pods ${scene.canaryReady}`,
    ...scene.verdicts
      .slice(0, 3)
      .map(
        (v) =>
          `  check    ${v.check.padEnd(21)} ${number(v.value).padStart(6)} (primary ${number(v.baseline)}), ${v.limit ?? 'no limit'}  ${v.verdict}`,
      ),
    `  users    ${users.answered} answered, ${users.appErrors} errors of the application, ${users.lost} lost by Serin`,
    ...scene.events.map((event) => `  event    ${event}`),
  ];
}

function bar(percent: number): string {
  const filled = Math.round((percent / 100) * BAR);
  return '#'.repeat(filled) + '.'.repeat(BAR - filled);
}

const number = (value: number | undefined): string => (value === undefined ? '-' : String(Math.round(value * 100) / 100));

function colored(line: string): string {
  if (line.endsWith('failed')) return `\x1b[31m${line}\x1b[0m`;
  if (line.endsWith('passed')) return `\x1b[32m${line}\x1b[0m`;
  return line.startsWith('  phase') ? `\x1b[1m${line}\x1b[0m` : line;
}
