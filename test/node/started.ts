import { setTimeout as sleep } from 'node:timers/promises';
import { runProgram } from '../e2e/helm.ts';
import type { GuardedProcess } from '../scenarios/guarded-process.ts';

const READY_WITHIN_MS = 120_000;
const LOOK_AGAIN_MS = 100;

/** Tries again, soon, what cannot be watched: a program that is just starting. */
export async function until(program: GuardedProcess, what: string, isSo: () => Promise<unknown>): Promise<void> {
  const deadlineMs = performance.now() + READY_WITHIN_MS;
  for (let last: unknown = 'not yet'; ; await sleep(LOOK_AGAIN_MS)) {
    if (program.hasExited()) throw new Error(`${program.name} ended before ${what}:\n${program.logTail()}`);
    try {
      await isSo();
      return;
    } catch (error) {
      last = error;
    }
    if (performance.now() >= deadlineMs)
      throw new Error(`${what}: not within ${READY_WITHIN_MS / 1000} s\n${program.logTail()}`, { cause: last });
  }
}

/** Standard output of a program; throws what it complained where it failed. */
export async function ranCommand(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { code, said, complained } = await runProgram(program, args, env);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} (code ${code})\n${complained || said}`);
  return said;
}
