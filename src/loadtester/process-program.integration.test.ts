import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../test/scenarios/eventually.ts';
import { BoundedOutput } from './bounded-output.ts';
import { type ProcessLimits, processProgram } from './process-program.ts';
import { processesOf, signalTo } from './task-processes.ts';

const LIMITS: ProcessLimits = { processes: 64, memoryBytes: 512 * 1_048_576, outputBytes: 1_048_576 };
const env = { PATH: process.env.PATH ?? '' };
/** Programs whose limits are judged by /proc. */
const onLinux = process.platform === 'linux';

async function run(
  script: string,
  { limits = {}, signal = new AbortController().signal }: { limits?: Partial<ProcessLimits>; signal?: AbortSignal } = {},
) {
  const output = new BoundedOutput(65_536);
  const ending = await processProgram('sh', ['-c', script], env, { ...LIMITS, ...limits }).run({ output, signal });
  return { ending, text: output.text() };
}

/** A killed process that its parent has not reaped yet is inactive. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    // It is gone.
    return false;
  }
}

describe('a process of a task', () => {
  it('gives both outputs and the exit code', async () => {
    expect(await run('echo out; echo err >&2')).toEqual({ ending: { ok: true }, text: expect.stringMatching(/out\n|err\n/) });
    expect(await run('echo no; exit 3')).toEqual({ ending: { ok: false, why: 'it ended with exit code 3' }, text: 'no\n' });
    expect((await run('kill -9 $$')).ending).toEqual({ ok: false, why: 'it was ended by SIGKILL' });
    const missing = processProgram('no-such-program', [], env, LIMITS);
    expect(await missing.run({ output: new BoundedOutput(10), signal: new AbortController().signal })).toEqual({
      ok: false,
      why: 'no-such-program is not installed beside this load tester',
    });
  });

  it.runIf(onLinux)('takes its children with it, also those that left its group and those that hold its output', async () => {
    const { ending, text } = await run('sleep 600 & echo $!; setsid sleep 600 >/dev/null 2>&1 & echo $!; sleep 0.2');
    expect(ending).toEqual({ ok: true });
    const pids = text.trim().split('\n').map(Number);
    expect(pids).toHaveLength(2);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it.runIf(onLinux)('ends when it is aborted, also when it ignores SIGTERM', async () => {
    const controller = new AbortController();
    const output = new BoundedOutput(1000);
    const script = 'trap "" TERM; echo $$; while :; do sleep 0.1; done';
    const running = processProgram('sh', ['-c', script], env, LIMITS).run({ output, signal: controller.signal });
    await eventually('it has started', () => output.total > 0);
    controller.abort(new Error('enough'));
    expect(await running).toEqual({ ok: false, why: 'it was ended by SIGKILL' });
    expect(isAlive(Number(output.text().trim()))).toBe(false);
  });

  it('is killed when it writes without end', async () => {
    const { ending, text } = await run('yes', { limits: { outputBytes: 100_000 } });
    expect(ending).toEqual({ ok: false, why: 'it wrote more than 98 KiB' });
    expect(text.length).toBeLessThan(70_000);
  });

  it.runIf(onLinux)('is killed with all that it has started when that is too much, as a fork bomb is', async () => {
    // Bounded, should the watch fail: forty that sleep.
    const { ending, text } = await run(
      'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do (sleep 100 & sleep 100) & done; echo $$; wait',
      {
        limits: { processes: 10 },
      },
    );
    expect(ending).toEqual({ ok: false, why: 'it ran more than 10 processes' });
    expect(isAlive(Number(text.trim()))).toBe(false);
  });

  it.runIf(onLinux)('is killed when it holds too much memory', async () => {
    const script = `const held = []; for (let at = 0; at < 20; at += 1) held.push(Buffer.alloc(10_000_000, 1)); setTimeout(() => held, 100_000);`;
    const program = processProgram(process.execPath, ['-e', script], env, { ...LIMITS, memoryBytes: 100 * 1_048_576 });
    expect(await program.run({ output: new BoundedOutput(10), signal: new AbortController().signal })).toEqual({
      ok: false,
      why: 'it held more than 100 MiB of memory',
    });
  });

  it('does not run at all when it was given up before', async () => {
    await expect(run('echo', { signal: AbortSignal.abort(new Error('given up')) })).rejects.toThrow('given up');
  });
});

it('an unknown task has no processes, and none gets its signal', async () => {
  expect(await processesOf('no-such-task')).toEqual([]);
  signalTo(2 ** 22 - 3, 'SIGTERM');
});
