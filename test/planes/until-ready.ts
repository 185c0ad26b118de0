import { setTimeout as sleep } from 'node:timers/promises';
import type { startGuarded } from '../scenarios/guarded-process.ts';

interface Starting {
  /** Name in an error. */
  name: string;
  /** Answers with success once the plane is ready. */
  url: string;
  processes: readonly Pick<ReturnType<typeof startGuarded>, 'hasExited'>[];
  logTail(): string;
  stop(): Promise<void>;
  withinMs?: number;
}

/** Waits until a plane reports that it is ready. A plane that ends or is late is stopped, and the error contains the end of its log. */
export async function untilReady({ name, url, processes, logTail, stop, withinMs = 60_000 }: Starting): Promise<void> {
  const deadlineMs = performance.now() + withinMs;
  while (!(await answers(url))) {
    if (processes.some((each) => each.hasExited()) || performance.now() > deadlineMs) {
      const tail = logTail();
      await stop();
      throw new Error(`${name} did not become ready:\n${tail}`);
    }
    await sleep(50);
  }
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
