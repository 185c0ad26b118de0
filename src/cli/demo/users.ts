import { Agent, request } from 'node:http';
import { APP, NAMESPACE } from './demo-cluster.ts';

const PAUSE_MS = 20;

/** Clients that send requests through the proxies all the time. */
export interface DemoUsers {
  counts(): { sent: number; answered: number; appErrors: number; lost: number; lastLost?: string };
  stop(): Promise<void>;
}

/** Users that never stop: each waits for an answer, then sends the next request. An error that no application made counts as lost by Serin. */
export function startDemoUsers(proxyUrls: readonly string[], perProxy: number): DemoUsers {
  const seen: ReturnType<DemoUsers['counts']> = { sent: 0, answered: 0, appErrors: 0, lost: 0 };
  let running = true;
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const ask = (url: string) =>
    new Promise<void>((resolve) => {
      seen.sent += 1;
      const lose = (why: string) => {
        seen.lost += 1;
        seen.lastLost = why;
        resolve();
      };
      const call = request(url, { agent, headers: { host: `${APP}.${NAMESPACE}` } }, (answer) => {
        answer.resume();
        answer.on('end', () => {
          if (answer.headers['x-serin-proxy-error']) return lose(String(answer.headers['x-serin-proxy-error']));
          seen.answered += 1;
          if ((answer.statusCode ?? 0) >= 500) seen.appErrors += 1;
          resolve();
        });
      });
      call.on('error', (error) => lose(error.message));
      call.end();
    });
  const live = async (url: string) => {
    while (running) {
      await ask(url);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
  const all = proxyUrls.flatMap((url) => Array.from({ length: perProxy }, () => live(url)));
  return {
    counts: () => ({ ...seen }),
    async stop() {
      running = false;
      await Promise.all(all);
      agent.destroy();
    },
  };
}
