import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { terminalOf } from '../output/terminal.ts';
import { type DemoOptions, endingSignals, type Leftovers } from './demo-options.ts';
import { createScreen, type Screen } from './screen.ts';

const INTRODUCTION = [
  'Serin demo: three parts on a cluster inside this process.',
  'Real: the controller, its API calls, HTTP requests, metrics and queries.',
  'Simulated: pods are small HTTP servers; mesh and Prometheus are Serin’s own.',
  'Checks run every 1 s here (--min-analysis-interval); users have 10 s or more.',
];

/** Three parts on a cluster in this process; exit code 0 only if version 2 was promoted, 3 rolled back, and no request was lost. */
export async function demoCommand(options: DemoOptions): Promise<number> {
  const startedMs = Date.now();
  const out = options.json ? process.stderr : process.stdout;
  const screen = createScreen(out, terminalOf({ env: process.env, out, color: true, plain: false }));
  const folder = temporaryFolder(screen);
  if (folder === undefined) return 1;
  const leftovers: Leftovers = { folder, isKept: false, child: undefined };
  cleanUpAtExit(leftovers, screen);
  for (const line of INTRODUCTION) screen.say(line);
  try {
    // The cluster is loaded after the first lines, so that the screen is never empty.
    const { runDemo } = await import('./demo-run.ts');
    return await runDemo(options, screen, leftovers, startedMs);
  } catch (error) {
    screen.settle();
    const isUnwritable = error instanceof Error && 'syscall' in error && ['open', 'write'].includes(String(error.syscall));
    if (isUnwritable) screen.say(unwritable('write to', folder, error));
    else {
      leftovers.isKept = true;
      screen.say(`Failed: ${error instanceof Error ? error.message : error}`);
      screen.say(`The demo's files: ${folder}`);
    }
    return 1;
  }
}

function temporaryFolder(screen: Screen): string | undefined {
  try {
    return mkdtempSync(join(tmpdir(), 'serin-demo-'));
  } catch (error) {
    screen.say(unwritable('create a folder in', tmpdir(), error));
    return undefined;
  }
}

function unwritable(what: string, folder: string, error: unknown): string {
  const why = error instanceof Error && 'code' in error ? error.code : error;
  const setting = process.platform === 'win32' ? 'TEMP' : 'TMPDIR';
  return `Failed: cannot ${what} ${folder} (${why}): set ${setting} to a writable folder with free space`;
}

/** A signal ends the demo at once: everything but the controller lives in this process. */
function cleanUpAtExit(leftovers: Leftovers, screen: Screen): void {
  process.once('exit', () => {
    void leftovers.child?.kill('SIGKILL');
    if (!leftovers.isKept) rmSync(leftovers.folder, { recursive: true, force: true });
  });
  for (const [signal, code] of Object.entries(endingSignals))
    process.once(signal, () => {
      screen.settle();
      screen.say('Interrupted; nothing is left running.');
      process.exit(code);
    });
  // The reader may stop reading: `serin demo | head`.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(1));
}
