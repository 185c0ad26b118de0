import { Session } from 'node:inspector/promises';

// Before the code under test is loaded: what is compiled earlier has no counters.
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

/**
 * Blocks of code that ran while `does` did: functions, loop bodies and branches, in all modules of this thread. The same input always gives the
 * same number, however busy the machine is; work in native code counts only by its callbacks. Import it first.
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
