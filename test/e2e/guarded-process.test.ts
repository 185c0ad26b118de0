import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startGuarded } from '../scenarios/guarded-process.ts';

const MODULE = join(import.meta.dirname, '..', 'scenarios', 'guarded-process.ts');
/** A program that says its pid and never ends. */
const PROGRAM = "console.log(process.pid); setInterval(() => {}, 1000); process.on('SIGTERM', () => process.exit(7))";

const pidIn = (log: string): number => Number(readFileSync(log, 'utf8'));
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // no such process
  }
};

/** A process of its own group that starts the program guarded. */
async function startParent(log: string, program: string) {
  const script = `const { startGuarded } = await import(${JSON.stringify(MODULE)});
    startGuarded('program', [process.execPath, '-e', ${JSON.stringify(program)}], ${JSON.stringify(log)});
    setInterval(() => {}, 1000); console.log('started');`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  await once(parent.stdout, 'data');
  return parent;
}

it.each([
  { how: 'killed hard', end: (parent: ChildProcess) => parent.kill('SIGKILL'), program: PROGRAM },
  // A CI runner or `timeout` ends a test run like this; the program takes its time, as kube-apiserver does without its etcd.
  {
    how: 'ended by a SIGTERM to its whole process group',
    end: ({ pid = 0 }: ChildProcess) => process.kill(-pid, 'SIGTERM'),
    program: "console.log(process.pid); setInterval(() => {}, 1000); process.on('SIGTERM', () => {})",
  },
])('a guarded program dies with the process that started it, also when that is $how', async ({ end, program }) => {
  const folder = mkdtempSync(join(tmpdir(), 'serin-guard-'));
  const log = join(folder, 'log');
  const parent = await startParent(log, program);
  await expect.poll(() => pidIn(log), { timeout: 60_000 }).toBeGreaterThan(0);
  const pid = pidIn(log);
  expect(isAlive(pid)).toBe(true);
  end(parent);
  try {
    await expect.poll(() => isAlive(pid), { timeout: 60_000 }).toBe(false);
  } finally {
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  }
  rmSync(folder, { recursive: true });
});

it('a guarded program receives SIGTERM, and its exit code is reported', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'serin-guard-'));
  const log = join(folder, 'log');
  const guarded = startGuarded('program', [process.execPath, '-e', PROGRAM], log);
  await expect.poll(() => pidIn(log), { timeout: 60_000 }).toBeGreaterThan(0);
  await guarded.stop('TERM');
  expect(await guarded.exited).toBe(7);
  expect(isAlive(pidIn(log))).toBe(false);
  rmSync(folder, { recursive: true });
});

it('a signal that is sent right after the start is not lost', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'serin-guard-'));
  const codes: number[] = [];
  for (let n = 0; n < 20; n += 1) {
    // Without a signal it ends by itself, with 0.
    const program = startGuarded('program', ['sleep', '3'], join(folder, `log-${n}`));
    await program.stop('TERM');
    codes.push(await program.exited);
  }
  expect(new Set(codes)).toEqual(new Set([128 + 15]));
  rmSync(folder, { recursive: true });
});
