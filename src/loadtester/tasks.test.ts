import { describe, expect, it } from 'vitest';
import type { Program, ProgramResult } from './program.ts';
import { failureText, type Task, type TaskRequest } from './task.ts';
import { Tasks } from './tasks.ts';

/** A program that ends when the test says so, or when it is aborted. */
function held() {
  const { promise, resolve } = Promise.withResolvers<ProgramResult>();
  const runs: AbortSignal[] = [];
  const program: Program = {
    name: 'held',
    secrets: [],
    run({ signal, output }) {
      runs.push(signal);
      output.write('some output');
      return Promise.race([
        promise,
        new Promise<ProgramResult>((end) => signal.addEventListener('abort', () => end({ ok: false, why: 'aborted' }))),
      ]);
    },
  };
  return { program, runs, ends: resolve };
}

const aRequest = (program: Program, over: Partial<TaskRequest> = {}): TaskRequest => ({
  type: 'cmd',
  namespace: 'test',
  name: 'podinfo',
  checksum: 'c1',
  key: 'k',
  logsOutput: false,
  program,
  ...over,
});

function tasksWith(over: Partial<ConstructorParameters<typeof Tasks>[0]> = {}) {
  const ended: Task[] = [];
  const waiters: (() => void)[] = [];
  const tasks = new Tasks({
    timeoutMs: 60_000,
    atMost: 3,
    atMostOfCanary: 2,
    clock: { nowMs: () => 0, monotonicMs: () => 0 },
    onStart: () => undefined,
    onEnd: (task) => {
      ended.push(task);
      for (const wake of waiters.splice(0)) wake();
    },
    ...over,
  });
  /** Resolves when so many have ended. */
  const until = async (count: number) => {
    while (ended.length < count) await new Promise<void>((resolve) => waiters.push(resolve));
  };
  return { tasks, ended, until };
}
const ok: Program = { name: 'ok', secrets: [], run: async () => ({ ok: true }) };
const bad: Program = { name: 'bad', secrets: [], run: async () => ({ ok: false, why: 'no such host' }) };
const never = new AbortController().signal;

describe('tasks in the background', () => {
  it('run once while they run, and again when they have ended', async () => {
    const { tasks, until } = tasksWith();
    const { program, runs, ends } = held();
    const first = tasks.background(aRequest(program));
    const second = tasks.background(aRequest(program));
    expect('task' in first && 'task' in second && first.task.id === second.task.id).toBe(true);
    ends({ ok: true });
    await until(1);
    expect(runs).toHaveLength(1);
    tasks.background(aRequest(program));
    await until(2);
    expect(runs).toHaveLength(2);
  });

  it('that failed are reported at the next call for the same revision, once, and run again', async () => {
    const { tasks, until } = tasksWith();
    expect(tasks.background(aRequest(bad))).not.toHaveProperty('failed');
    await until(1);
    expect(tasks.background(aRequest(ok))).toMatchObject({ failed: { now: { state: 'failed', why: 'no such host' } } });
    await until(2);
    expect(tasks.background(aRequest(ok))).not.toHaveProperty('failed');
  });

  it('that failed for another revision are not reported: a fix is not blamed for the old failure', async () => {
    const { tasks, until } = tasksWith();
    tasks.background(aRequest(bad));
    await until(1);
    expect(tasks.background(aRequest(ok, { checksum: 'c2' }))).not.toHaveProperty('failed');
    await until(2);
    expect(tasks.background(aRequest(ok))).not.toHaveProperty('failed');
  });

  it('are so many of a Canary and in all, and no more', async () => {
    const { tasks } = tasksWith();
    const { program } = held();
    tasks.background(aRequest(program, { key: '1' }));
    tasks.background(aRequest(program, { key: '2' }));
    expect(tasks.background(aRequest(program, { key: '3' }))).toEqual({ busy: '2 tasks of this Canary run already' });
    tasks.background(aRequest(program, { key: '4', namespace: 'other' }));
    expect(tasks.background(aRequest(program, { key: '5', namespace: 'third' }))).toEqual({ busy: '3 tasks run already' });
    expect(tasks.background(aRequest(program, { key: '1' }))).toHaveProperty('task');
    await tasks.drain(0);
  });

  it('I15: of one namespace are fewer than are free for others, and the last slot is for a namespace that has none', async () => {
    const { tasks, ended, until } = tasksWith({ atMost: 8, atMostOfCanary: 100 });
    const { program, ends } = held();
    const start = (namespace: string, nth: number) => tasks.background(aRequest(program, { key: `${namespace} ${nth}`, namespace }));
    const fill = (namespace: string) => Array.from({ length: 8 }, (_, nth) => start(namespace, nth)).filter((one) => 'task' in one).length;
    expect(['greedy', 'second', 'third'].map(fill)).toEqual([4, 2, 1]);
    expect(start('greedy', 9)).toEqual({
      busy: 'namespace greedy runs 4 of 8 tasks, and the rest is kept for others: try again, or raise --max-tasks',
    });
    expect(start('late', 1)).toHaveProperty('task');
    expect(start('latest', 1)).toEqual({ busy: '8 tasks run already' });
    ends({ ok: true });
    await until(8);
    expect(ended).toHaveLength(8);
    expect(fill('latest')).toBe(4);
    await tasks.drain(0);
  });

  it('I15: that are aborted and still end hold the slot of their namespace', async () => {
    const { tasks } = tasksWith({ atMost: 4, atMostOfCanary: 100 });
    const { promise, resolve } = Promise.withResolvers<ProgramResult>();
    const stubborn: Program = { name: 'stubborn', secrets: [], run: () => promise };
    const gone = AbortSignal.abort();
    const waiting = [1, 2].map((nth) => tasks.blocking(aRequest(stubborn, { key: `${nth}`, namespace: 'greedy' }), gone));
    expect(tasks.background(aRequest(stubborn, { key: '3', namespace: 'greedy' }))).toHaveProperty('busy');
    expect(tasks.background(aRequest(stubborn, { key: '4', namespace: 'other' }))).toHaveProperty('task');
    resolve({ ok: true });
    await Promise.all(waiting);
    await tasks.drain(0);
  });

  it('end after the time that a task has', async () => {
    const { tasks, ended, until } = tasksWith({ timeoutMs: 30 });
    tasks.background(aRequest(held().program));
    await until(1);
    expect(ended[0]?.now).toMatchObject({ state: 'timeout', why: 'it did not end within 0.03 s' });
    expect(tasks.background(aRequest(ok))).toMatchObject({ failed: { now: { state: 'timeout' } } });
    await tasks.drain(0);
  });

  it('whose program throws have failed, and nothing else has', async () => {
    const { tasks, ended, until } = tasksWith();
    const throws: Program = { name: 'throws', secrets: [], run: () => Promise.reject(new TypeError('secret')) };
    const throwsAtOnce: Program = {
      name: 'throws',
      secrets: [],
      run: () => {
        throw new RangeError('secret');
      },
    };
    tasks.background(aRequest(throws));
    tasks.background(aRequest(throwsAtOnce, { key: 'other' }));
    await until(2);
    const whys = ended.map(({ now }) => ('why' in now ? now.why : '')).toSorted();
    expect(whys).toEqual(['the load tester could not run it: RangeError', 'the load tester could not run it: TypeError']);
  });
});

describe('blocking tasks', () => {
  it('end with the last request that waits for them, and start again after that', async () => {
    const { tasks, ended, until } = tasksWith();
    const { program, runs } = held();
    const [one, two] = [new AbortController(), new AbortController()];
    const first = tasks.blocking(aRequest(program), one.signal);
    const second = tasks.blocking(aRequest(program), two.signal);
    await Promise.resolve();
    one.abort();
    expect(ended).toEqual([]);
    two.abort();
    const third = tasks.blocking(aRequest(program), never);
    await until(1);
    expect(await first).toMatchObject({ now: { state: 'stopped', why: 'no caller waits for its answer any more' } });
    expect(await second).toBe(await first);
    expect(runs).toHaveLength(2);
    expect(runs.map(({ aborted }) => aborted)).toEqual([true, false]);
    await tasks.drain(0);
    expect(await third).toMatchObject({ now: { state: 'stopped' } });
  });

  it('of a caller that has gone already do not run on', async () => {
    const { tasks } = tasksWith();
    expect(await tasks.blocking(aRequest(held().program), AbortSignal.abort())).toMatchObject({ now: { state: 'stopped' } });
  });

  it('are not reported again', async () => {
    const { tasks } = tasksWith();
    expect(await tasks.blocking(aRequest(bad, { type: 'bash' }), never)).toMatchObject({ now: { state: 'failed' } });
    expect(await tasks.blocking(aRequest(ok, { type: 'bash' }), never)).toMatchObject({ now: { state: 'succeeded' } });
  });
});

it('a stop ends loads at once, waits for tasks whose caller waits, and starts nothing', async () => {
  const { tasks, ended } = tasksWith();
  const [load, check] = [held(), held()];
  tasks.background(aRequest(load.program, { key: '1' }));
  const waiting = tasks.blocking(aRequest(check.program, { key: '2' }), never);
  const drained = tasks.drain(60_000);
  expect(tasks.background(aRequest(ok, { key: '3' }))).toEqual({ busy: 'the load tester is being stopped' });
  while (ended.length < 1) await new Promise((resolve) => setImmediate(resolve));
  expect(ended.map(({ key }) => key)).toEqual(['1']);
  check.ends({ ok: true });
  expect(await waiting).toMatchObject({ now: { state: 'succeeded' } });
  await drained;
});

it('keeps the latest five hundred tasks that have ended', async () => {
  const { tasks, ended, until } = tasksWith({ atMost: 2000, atMostOfCanary: 1000 });
  for (let index = 0; index < 501; index += 1) tasks.background(aRequest(ok, { key: `${index}` }));
  await until(501);
  expect(tasks.find(ended[0]?.id ?? '')).toBeUndefined();
  expect(tasks.find(ended[1]?.id ?? '')).toBe(ended[1]);
});

it('I15: of a namespace that floods are forgotten before tasks of other namespaces, and so are its failures', async () => {
  const { tasks, ended, until } = tasksWith({ atMost: 10_000, atMostOfCanary: 10_000 });
  tasks.background(aRequest(bad, { key: 'mine', namespace: 'calm' }));
  for (let index = 0; index < 600; index += 1) tasks.background(aRequest(bad, { key: `${index}`, namespace: 'flood' }));
  await until(601);
  expect(tasks.find(ended[0]?.id ?? '')).toBe(ended[0]);
  expect(tasks.find(ended[1]?.id ?? '')).toBeUndefined();
  expect(tasks.background(aRequest(ok, { key: 'mine', namespace: 'calm' }))).toHaveProperty('failed');
  await tasks.drain(0);
});

it('a failure is reported with the end of the output, within the length of an event', () => {
  const task = { type: 'bash', id: 'i'.repeat(36), now: { state: 'failed', tookMs: 1, why: 'it ended with exit code 3' } } as Task;
  const text = failureText(task, `${'x'.repeat(10_000)}the end\n`);
  expect(text).toMatch(/^bash task failed: it ended with exit code 3: …x+the end \(all of it: \/tasks\/i+\)$/);
  expect(text.length).toBeLessThan(512);
  expect(failureText(task, '')).toBe(`bash task failed: it ended with exit code 3 (all of it: /tasks/${task.id})`);
});
