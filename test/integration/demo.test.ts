import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Picture, type Recording, recordDemo } from '../../scripts/recording/record.ts';
import { program } from '../fakes/program.ts';

const BOUND = { timeout: 90_000, interval: 50 };

let folder: string;
let demo: ChildProcess | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'serin-demo-test-'));
});
afterEach(() => {
  demo?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** The demo, with its temporary folder in ours; `said` is all that it wrote. */
function startDemo(temporary = folder, ...flags: string[]) {
  const child = spawn(process.execPath, [program(), 'demo', ...flags], { env: { ...process.env, TMPDIR: temporary } });
  demo = child;
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (said += part.toString()));
  return { child, said: () => said, ended: new Promise<number | null>((resolve) => child.once('close', resolve)) };
}

const files = (): string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' });
const log = (): string => files().find((file) => file.endsWith('controller.log')) ?? '';
/** The controller writes its log until it ends, as its last line then says. */
const controllerRuns = (): boolean => log() !== '' && readFileSync(join(folder, log()), 'utf8').includes('reconciling Canaries');

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('a demo that is ended by %s leaves nothing behind, and says so', async (signal, code) => {
  const { child, said, ended } = startDemo();
  await expect.poll(controllerRuns, BOUND).toBe(true);
  child.kill(signal);
  expect(await ended).toBe(code);
  expect(said()).toContain('nothing is left running');
  expect(files()).toEqual([]);
});

it.each([
  ['before the cluster is there', /^Serin demo:/m],
  ['while the controller is dead', /kill -9/],
] as const)('Ctrl-C %s leaves nothing behind, too', async (_, moment) => {
  const { child, said, ended } = startDemo();
  await expect.poll(said, BOUND).toMatch(moment);
  child.kill('SIGINT');
  expect(await ended).toBe(130);
  expect(files()).toEqual([]);
});

it('the controller of a demo that is killed hard stops by itself', async () => {
  const { child, ended } = startDemo();
  await expect.poll(controllerRuns, BOUND).toBe(true);
  child.kill('SIGKILL');
  await ended;
  await expect.poll(() => readFileSync(join(folder, log()), 'utf8'), BOUND).toContain('end of the standard input');
});

it('a temporary folder that cannot be written is named, with a remedy', async () => {
  const { said, ended } = startDemo(join(folder, 'absent'));
  expect(await ended).toBe(1);
  expect(said()).toContain(`cannot create a folder in ${join(folder, 'absent')} (ENOENT): set TMPDIR`);
  expect(said()).not.toContain('    at ');
});

/** A line without what another run may print: numbers, bars, and the result of a check. */
const masked = (line: string): string =>
  line
    .replace(/[#.]{5,}/, 'BAR')
    .replace(/\d+(\.\d+)?/g, 'N')
    .replace(/ +N/g, ' N')
    .replace(/ (passed|failed)$/, ' RESULT');
/** Events and checks come at random times, and are not in each picture; a busy machine sends other requests, which can need more lines than one. */
function steady({ lines }: Picture): string[] {
  let isOfRequests = false;
  return lines
    .map(([text]) => text)
    .filter((line) => {
      isOfRequests = /^ {2}API /.test(line) || (isOfRequests && /^ {11}/.test(line));
      return !isOfRequests && !/^ {2}(event|check|phase) /.test(line);
    })
    .map(masked);
}
const steadyLines = ({ pictures }: Recording): string[] => [...new Set(pictures.flatMap(steady))].toSorted();
/** Lines from the exposure on: the more lines the requests need, the fewer of the earlier lines are still on the screen. */
function lastScreen({ pictures }: Recording): string[] {
  const lines = steady(pictures.at(-1) ?? { atMs: 0, lines: [] });
  return lines.slice(lines.findIndex((line) => line.startsWith('  exposure ')));
}

it('the recording in the README shows what the demo prints today, and version 3 has made errors', async () => {
  const { recording, exit, all } = await recordDemo();
  const shown = all.map(([text]) => text).join('\n');
  expect(exit, shown).toBe(0);
  const kept: Recording = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'demo', 'recording.json'), 'utf8'));
  const hint = 'run npm run docs:record';
  expect(steadyLines(kept), hint).toEqual(steadyLines(recording));
  expect(lastScreen(kept), hint).toEqual(lastScreen(recording));
  // Before Serin takes over, the Service leads all requests to the target; after that they follow the route that Serin writes.
  const screens = recording.pictures.map(({ lines }) => lines.map(([text]) => text).join('\n'));
  expect(screens.find((screen) => screen.includes('  primary'))).toMatch(
    /primary +\.+ +0%.*\n +canary +#+ 100%.*\n +routes +as the Service podinfo/,
  );
  const analysed = screens.filter((screen) => screen.includes('(analysing)'));
  expect(analysed.filter((screen) => !screen.includes('routes   as the VirtualService podinfo'))).toEqual([]);
  expect(analysed.some((screen) => /canary +[#.]+ +60%/.test(screen))).toBe(true);
  const [, good, bad] = /exposure +\d+ requests, (\d+) errors +\d+ requests, (\d+) errors/.exec(shown) ?? [];
  expect(Number(good)).toBe(0);
  expect(Number(bad)).toBeGreaterThan(0);
  expect(Math.max(...all.map(([text]) => text.length))).toBeLessThanOrEqual(80);
});
