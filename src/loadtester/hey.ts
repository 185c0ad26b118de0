import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode, exchange, openConnections, type SentRequest } from './exchange.ts';
import type { HeyOptions } from './hey-options.ts';
import { LoadFigures } from './load-figures.ts';
import type { Program } from './program.ts';
import type { TargetPolicy } from './target-policy.ts';

const MOST_REDIRECTS = 10;
const REST_AFTER_ERROR_MS = 10;

/**
 * The load of `hey`, without a process: workers send requests until the duration is over or all requests are made. Statuses are for the checks to judge; the
 * load fails only if no request was answered. Certificates are not verified, as in hey.
 */
export function hey(options: HeyOptions, policy: TargetPolicy): Program {
  return {
    name: 'hey',
    secrets: options.secrets,
    async run({ output, signal }) {
      const figures = new LoadFigures();
      const connections = openConnections(policy, { keepAlive: options.keepAlive, verifyTls: false, atMost: options.workers });
      const startedMs = performance.now();
      const endMs = startedMs + (options.durationMs ?? Number.POSITIVE_INFINITY);
      let left = options.durationMs === undefined ? options.requests : Number.POSITIVE_INFINITY;
      const asked: SentRequest = { ...options, redirects: options.followRedirects ? MOST_REDIRECTS : 0, keepBytes: 0 };
      const worker = async (index: number) => {
        const periodMs = options.rate > 0 ? 1000 / options.rate : 0;
        // One after the other, so that a rate is a stream and no bursts.
        let dueMs = startedMs + (periodMs * index) / options.workers;
        while (left > 0 && !signal.aborted) {
          const waitMs = dueMs - performance.now();
          if (dueMs >= endMs || performance.now() >= endMs) return;
          if (waitMs > 0) await sleep(waitMs, undefined, { signal });
          if (left <= 0) return;
          left -= 1;
          const sentMs = performance.now();
          try {
            const answer = await exchange(asked, connections, signal);
            figures.answer(answer.status, performance.now() - sentMs);
          } catch (error) {
            signal.throwIfAborted();
            figures.error(errorCode(error));
            // Without a pause, an address that refuses at once would get requests as fast as the machine can send them.
            if (periodMs === 0) await sleep(REST_AFTER_ERROR_MS, undefined, { signal });
          }
          dueMs = Math.max(dueMs + periodMs, performance.now() - periodMs);
        }
      };
      try {
        await Promise.all(Array.from({ length: options.workers }, (_, index) => worker(index)));
      } finally {
        connections.close();
        output.write(figures.summary(performance.now() - startedMs));
      }
      return figures.answered > 0 ? { ok: true } : { ok: false, why: `no request was answered: ${figures.errors()}` };
    },
  };
}
