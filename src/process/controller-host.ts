import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { hostname } from 'node:os';
import pino from 'pino';
import { type Clock, systemClock } from '../base/clock.ts';
import { randomWords } from '../controller/random-words.ts';
import { type Connection, loadConnection } from '../kube/connect.ts';
import type { OutgoingConnection } from '../outgoing/connection.ts';
import type { IdleMemoryOptions } from './idle-memory.ts';

/** The controller's view of its process: tests and rehearsals bring their own. */
export interface ControllerHost {
  /** Identity of this process among the replicas that compete for the lease. */
  readonly identity: string;
  readonly clock: Clock;
  /** 0 ≤ x < 1. */
  random(): number;
  /** Sixteen hexadecimal digits that no one guesses: the value of a cookie. */
  word(): string;
  /** Lines of the log. */
  readonly log: { write(line: string): void };
  /** Prints an error that keeps it from starting. */
  complain(text: string): void;
  connect(kubeconfig: string, master: string | undefined, env: NodeJS.ProcessEnv): Promise<Connection>;
  /** Agents for calls of Canaries that are not made by TCP. */
  readonly agents?: OutgoingConnection['agent'];
  /** Serves its own endpoints if they are not reached by TCP. */
  listen?(server: Server, port: number): Promise<{ port: number; close(now: boolean): Promise<void> }>;
  /** Lets an idle process collect its garbage. */
  readonly memory?: Omit<IdleMemoryOptions, 'clock'> | undefined;
  /** Resolves with why it is to stop. */
  ended(endWithStdin: boolean): Promise<string>;
  /** Releases stdin, so that the process no longer waits for it. */
  release(): void;
}

/** Collects as if memory were short: a usual collection keeps the pages that it empties. */
const collectAll = (): void => void globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });

const emptyBytes = (): number => {
  const { heapTotal, heapUsed } = process.memoryUsage();
  return heapTotal - heapUsed;
};

const workedMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** A process of its own. */
export const processHost = (): ControllerHost => ({
  identity: `${hostname()}_${randomUUID()}`,
  clock: systemClock,
  random: Math.random,
  word: randomWords(),
  log: pino.destination({ fd: 2, sync: true }),
  complain: (text) => void process.stderr.write(text),
  connect: (kubeconfig, master, env) =>
    loadConnection({ userAgent: 'serin-controller', env, ...(kubeconfig && { kubeconfig }), ...(master && { master }) }),
  memory: globalThis.gc && { usedBytes: () => process.memoryUsage.rss(), emptyBytes, workedMs, collect: collectAll },
  ended: (endWithStdin) =>
    new Promise((resolve) => {
      for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => resolve(name));
      if (endWithStdin) process.stdin.once('end', () => resolve('end of the standard input')).resume();
    }),
  release: () => void process.stdin.destroy(),
});
