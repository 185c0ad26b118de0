import { readdir, readFile } from 'node:fs/promises';

/** Variable that every process of a task inherits, and keeps in any group or session. */
export const TASK_VARIABLE = 'SERIN_TASK';

export interface TaskProcess {
  pid: number;
  /** Memory that it holds. */
  residentBytes: number;
}

/** The processes of a task that live now; none without /proc. */
export async function processesOf(task: string): Promise<TaskProcess[]> {
  const entries = await readdir('/proc').catch((): string[] => []);
  const pids = entries.filter((entry) => /^\d+$/.test(entry));
  const found = await Promise.all(
    pids.map(async (pid) => {
      // Processes of other users cannot be read, and some end meanwhile.
      const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
      if (!environment.split('\0').includes(`${TASK_VARIABLE}=${task}`)) return [];
      const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
      return [{ pid: Number(pid), residentBytes: Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024 }];
    }),
  );
  return found.flat();
}

/** Sends a signal, if the process still exists. */
export function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
