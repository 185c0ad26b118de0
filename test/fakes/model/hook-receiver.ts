import { type Agent, createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Clock } from '../../../src/base/clock.ts';
import { MemoryNetwork } from '../../../src/embedded/virtual/memory-network.ts';

/** The host of every webhook of a model. */
export const HOOKS = 'http://hooks.test';

export interface ReceivedHook {
  path: string;
  key: string | undefined;
  payload: { phase: string; metadata?: Record<string, string> } & Record<string, unknown>;
}

/** Rounds of the event loop that both ends of a call can need at one moment. */
const ROUNDS = 16;

/** The receiver of all webhooks, over Node's own HTTP in virtual time. */
export class HookReceiver {
  readonly #network: MemoryNetwork;
  readonly #open = new Map<() => boolean, Set<object>>();

  constructor(clock: Clock, answer: (call: ReceivedHook) => number) {
    this.#network = new MemoryNetwork(clock, () => 0);
    this.#network.nameHosts((host) => (host === new URL(HOOKS).hostname ? 80 : undefined));
    const server = createServer(async (request, response) => {
      const payload = JSON.parse(await text(request));
      const key = request.headers['idempotency-key'];
      response.writeHead(answer({ path: request.url ?? '', key: Array.isArray(key) ? key[0] : key, payload })).end();
    });
    void this.#network.listen(server, 80);
  }

  /** For the calls of one process, which neither sends nor gets anything once it is dead. */
  agent(isDead: () => boolean): Agent {
    const open = new Set<object>();
    this.#open.set(isDead, open);
    return this.#network.agentBehind({
      gate: { serve: (fn) => void (isDead() || fn()) },
      opened(socket) {
        open.add(socket);
        socket.once('close', () => open.delete(socket));
      },
    });
  }

  /** Resolves when both ends have done their work of this moment. */
  async calm(): Promise<void> {
    const isBusy = [...this.#open].some(([isDead, open]) => !isDead() && open.size > 0);
    for (let round = 0; isBusy && round < ROUNDS; round += 1) await new Promise((resolve) => setImmediate(resolve));
  }
}
