import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { type Line, SIZE, TerminalModel } from './terminal-model.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const LOOK_EVERY_MS = 125;
/** Counts change all the time: a picture with only new counts is taken once a second. */
const COUNTS_EVERY_MS = 1_000;

/** Content of the screen from a moment on. */
export interface Picture {
  atMs: number;
  lines: readonly Line[];
}

/** A run of the demo, as its terminal showed it. */
export interface Recording {
  /** Command as a user types it. */
  command: string;
  pictures: readonly Picture[];
}

/** Runs the demo of this checkout to its end, as on a terminal. `all`: every line that was not erased. */
export async function recordDemo(): Promise<{ recording: Recording; exit: number | null; all: readonly Line[] }> {
  const preload = join(import.meta.dirname, 'as-terminal.ts');
  const { NO_COLOR, ...env } = process.env;
  const child = spawn(process.execPath, ['--import', preload, 'src/cli/main.ts', 'demo'], {
    cwd: ROOT,
    env: { ...env, TERM: 'xterm-256color', LC_ALL: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const model = new TerminalModel();
  child.stdout.setEncoding('utf8').on('data', (part: string) => model.write(part));
  const started = Date.now();
  const pictures: Picture[] = [];
  const look = () => {
    const lines = [...model.screen(SIZE.rows)];
    const last = pictures.at(-1);
    const atMs = Date.now() - started;
    if (last === undefined || isOther(lines, last.lines, atMs - last.atMs < COUNTS_EVERY_MS)) pictures.push({ atMs, lines });
  };
  const looking = setInterval(look, LOOK_EVERY_MS);
  const exit = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  }).finally(() => clearInterval(looking));
  look();
  return { recording: { command: 'npm run demo', pictures }, exit, all: model.lines() };
}

function isOther(lines: readonly Line[], before: readonly Line[], isSoon: boolean): boolean {
  const shown = (all: readonly Line[]) => all.map(([text]) => (isSoon && text.startsWith('  users ') ? '' : text)).join('\n');
  return shown(lines) !== shown(before);
}
