import type { Agent } from 'node:http';
import { ask } from '../users.ts';
import { monotonicMs, sleep, world } from '../world.ts';

export interface Clients {
  readonly answered: number;
  /** Requests that got no good answer. */
  readonly failures: number;
  /** Errors, each with its place, its count, and its first and last time in seconds. */
  lost(): string[];
  /** Errors that the application did not answer itself. */
  unanswered(): string[];
  stop(): Promise<void>;
}

const PAUSE_MS = 15;

/** Four clients at each proxy that send requests continuously: two on kept connections, two on a new connection each time. */
export function startClients(proxyUrls: readonly string[], host: string, pauseMs = PAUSE_MS): Clients {
  const startedMs = monotonicMs();
  const kept = world().network.agent({ keepAlive: true });
  const fresh = world().network.agent();
  const lost = new Map<string, number[]>();
  const byApplication = new Set<string>();
  let answered = 0;
  let isRunning = true;
  const live = async (url: string, proxy: number, agent: Agent) => {
    while (isRunning) {
      const answer = await ask(url, host, {}, agent);
      if (answer.lost !== undefined || answer.status >= 500) {
        const what = `proxy ${proxy}: ${answer.status} ${answer.lost ?? ''}`;
        if (answer.lost === undefined) byApplication.add(what);
        lost.set(what, [...(lost.get(what) ?? []), Math.round(monotonicMs() - startedMs) / 1000]);
      } else answered += 1;
      await sleep(pauseMs);
    }
  };
  const lines = (isMeant: (what: string) => boolean): string[] =>
    [...lost].flatMap(([what, times]) => (isMeant(what) ? `${what}: ${times.length} times, ${times[0]} to ${times.at(-1)} s` : []));
  const all = proxyUrls.flatMap((url, proxy) => [kept, kept, fresh, fresh].map((agent) => live(url, proxy, agent)));
  return {
    get answered() {
      return answered;
    },
    get failures() {
      return [...lost.values()].reduce((sum, times) => sum + times.length, 0);
    },
    lost: () => lines(() => true),
    unanswered: () => lines((what) => !byApplication.has(what)),
    async stop() {
      isRunning = false;
      await Promise.all(all);
      kept.destroy();
      fresh.destroy();
    },
  };
}
