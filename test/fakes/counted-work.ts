import { Session } from 'node:inspector/promises';
import { join } from 'node:path';

const SOURCES = join(import.meta.dirname, '..', '..', 'src', '/');

const session = new Session();
session.connect();
await refuseEarlierModules();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

/**
 * Blocks of code that ran while `does` did: functions, loop bodies and branches, in all modules of this thread. The same input always gives the
 * same number, however busy the machine is; work in native code counts only by its callbacks. Import it first, in a file that has a process of its
 * own (`OWN_PROCESS` of vitest.config.ts).
 */
export async function countedWork(does: () => unknown): Promise<number> {
  await taken();
  await does();
  return (await taken()).reduce((sum, count) => sum + count, 0);
}

/** Counts since the last time. */
async function taken(): Promise<number[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result.flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)));
}

/** @throws Error when the code under test was loaded before: what is compiled without counters gets some only when V8 compiles it again. */
async function refuseEarlierModules(): Promise<void> {
  const loaded: string[] = [];
  session.on('Debugger.scriptParsed', ({ params }) => loaded.push(params.url));
  await session.post('Debugger.enable');
  await session.post('Debugger.disable');
  const early = loaded.find((url) => url.includes(SOURCES) && !url.includes('.test.ts'));
  if (early !== undefined) {
    throw new Error(
      `counted-work.ts must be imported before the code whose work is counted, in a process of its own; ${early} was loaded before it`,
    );
  }
}
