import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
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
function startDemo(temporary = folder) {
  const child = spawn(process.execPath, [program(), 'demo'], { env: { ...process.env, TMPDIR: temporary } });
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
