import type { Clock } from '../../base/clock.ts';
import type { Network } from '../network.ts';
import type { MemorySocket } from './memory-socket.ts';
import type { VirtualWorld } from './virtual-world.ts';

/**
 * A part of this process that can be halted and killed like a process of its own: the timers and bytes that it waits for reach it only while it is served. The
 * work of that very moment goes on to its end, which is the next time that it waits.
 */
export class VirtualProcess {
  readonly clock: Clock;
  readonly network: Network;
  readonly #sockets = new Set<MemorySocket>();
  readonly #closers = new Set<() => Promise<void>>();
  #state: 'runs' | 'halted' | 'dead' = 'runs';
  #missed: (() => void)[] = [];

  constructor({ clock, network }: VirtualWorld) {
    const gate = { serve: (fn: () => void) => this.#serve(fn) };
    this.clock = {
      nowMs: clock.nowMs,
      monotonicMs: clock.monotonicMs,
      setTimer: (ms, fn) => {
        let isOff = false;
        const cancel = clock.setTimer(ms, () => this.#serve(() => void (isOff || fn())));
        return () => {
          isOff = true;
          cancel();
        };
      },
    };
    this.network = {
      agent: (options) => network.agentBehind({ gate, opened: (socket) => this.#opened(socket) }, options),
      listen: async (server, port = 0) => {
        const listener = network.listenBehind(gate, server, port);
        this.#closers.add(() => listener.close(true));
        return listener;
      },
    };
  }

  /** SIGSTOP. */
  halt(): void {
    if (this.#state === 'runs') this.#state = 'halted';
  }

  /** SIGCONT: it gets all missed events now, in order. */
  resume(): void {
    if (this.#state !== 'halted') return;
    this.#state = 'runs';
    this.#catchUp();
  }

  /** SIGKILL: its connections are closed by the system, and nothing reaches it any more. Bytes that it has sent are on their way. */
  kill(): void {
    this.#state = 'dead';
    this.#missed = [];
    for (const socket of this.#sockets) socket.destroy();
    for (const close of this.#closers) void close();
  }

  #serve(fn: () => void): void {
    if (this.#state === 'runs' && this.#missed.length === 0) fn();
    else if (this.#state !== 'dead') this.#missed.push(fn);
  }

  /** A turn for each, as a process has: work that one begins can go on before the next. */
  readonly #catchUp = (): void => {
    if (this.#state !== 'runs') return;
    const fn = this.#missed.shift();
    if (fn === undefined) return;
    setImmediate(this.#catchUp);
    fn();
  };

  #opened(socket: MemorySocket): void {
    if (this.#state === 'dead') socket.destroy();
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }
}
