import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refusal } from '../scripts/node/refusal.ts';
import { tracesOf } from '../scripts/node/traces.ts';

const SCRIPT = join(import.meta.dirname, 'node', 'namespaces.sh');
let base: string;
const running = new Set<ChildProcess>();
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'serin-namespaces-')));
  mkdirSync(join(base, 'lock'));
});
afterEach(async () => {
  for (const child of running) {
    child.kill('SIGTERM');
    await once(child, 'close');
  }
  rmSync(base, { recursive: true, force: true });
});

/** Shared folder, which has the same path for every node; here a path that no real node uses. */
const shared = (): string => join(base, 'shared', 'kubelet');

interface Entered {
  readonly folder: string;
  /** Resolves when its command runs. */
  readonly isIn: Promise<unknown>;
  /** Lets its command go on; resolves with its exit code and what it said. */
  goOn(): Promise<{ code: number | null; said: string }>;
  signal(signal: NodeJS.Signals): Promise<{ code: number | null; said: string }>;
}

/** A run with a command that waits, with a child that ignores every signal, until it is let go on; then it does `last`. */
function enter(name: string, last: string): Entered {
  const folder = join(base, name);
  mkdirSync(folder);
  const gate = join(folder, 'gate');
  const waits = `mkfifo ${gate}; (trap '' TERM INT HUP; exec sleep 9999) & echo in; read -r word <${gate}; ${last}`;
  const child = spawn('bash', [SCRIPT, folder, 'sh', '-c', waits], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, SERIN_NODE_FOLDERS: shared(), SERIN_NODE_LOCK: join(base, 'lock') },
  });
  running.add(child);
  child.once('close', () => running.delete(child));
  let said = '';
  const isIn = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part: Buffer) => {
        said += part.toString();
        if (said.includes('in\n')) resolve();
      });
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, said }));
  return {
    folder,
    isIn: Promise.race([isIn, ended.then((end) => Promise.reject(new Error(JSON.stringify(end))))]),
    goOn: () => {
      writeFileSync(gate, 'on\n');
      return ended;
    },
    signal: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}

/** Weight of the group of the command, as it sees it: in the first version of groups, or in the second. */
const WEIGHT =
  'cat /sys/fs/cgroup/cpu/cpu.shares 2>/dev/null || cat /sys/fs/cgroup/cpu,cpuacct/cpu.shares 2>/dev/null || cat /sys/fs/cgroup/cpu.weight';

describe.runIf(refusal() === undefined)('the namespaces of a node', () => {
  it('weigh as much as the programs in them would, and not as much as one process', async () => {
    const run = enter('run', WEIGHT);
    await run.isIn;
    const { said } = await run.goOn();
    // Sixteen times the default.
    expect(said).toMatch(/^(16384|1600)$/m);
  });

  it.each([
    { how: 'its command ends', code: 0, end: (run: Entered) => run.goOn(), last: 'true' },
    { how: 'its command fails', code: 3, end: (run: Entered) => run.goOn(), last: 'exit 3' },
    { how: 'it is interrupted', code: 130, end: (run: Entered) => run.signal('SIGINT'), last: 'true' },
    { how: 'it is terminated', code: 143, end: (run: Entered) => run.signal('SIGTERM'), last: 'true' },
  ])('leave nothing when $how: no group, mount, process or folder', async ({ code, end, last }) => {
    const run = enter('run', last);
    await run.isIn;
    expect(tracesOf(run.folder).map(({ kind }) => kind)).toEqual(expect.arrayContaining(['cgroup', 'process']));
    expect((await end(run)).code).toBe(code);
    expect(tracesOf(run.folder)).toEqual([]);
    expect(existsSync(shared())).toBe(false);
  });

  it('two side by side: the run that created a shared folder ends without removing it from the other', async () => {
    const writes = `touch ${shared()}/written && echo written`;
    const first = enter('first', writes);
    await first.isIn;
    const second = enter('second', writes);
    await second.isIn;
    expect(await first.goOn()).toMatchObject({ code: 0, said: 'in\nwritten\n' });
    expect(await second.goOn()).toMatchObject({ code: 0, said: 'in\nwritten\n' });
    expect([first, second].flatMap(({ folder }) => tracesOf(folder))).toEqual([]);
    expect(existsSync(shared())).toBe(false);
  });

  it('the next run removes all remains of a killed run', async () => {
    const killed = enter('killed', 'true');
    await killed.isIn;
    await killed.signal('SIGKILL');
    expect(new Set(tracesOf(killed.folder).map(({ kind }) => kind))).toEqual(new Set(['cgroup']));
    const next = enter('next', 'true');
    await next.isIn;
    expect((await next.goOn()).code).toBe(0);
    expect([killed, next].flatMap(({ folder }) => tracesOf(folder))).toEqual([]);
    expect(existsSync(shared())).toBe(false);
  });
});
