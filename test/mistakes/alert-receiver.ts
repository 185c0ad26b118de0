import { createServer } from 'node:http';
import { world } from '../scenarios/world.ts';

export interface AlertReceiver {
  url(namespace: string): string;
  /** Texts of the alerts of a namespace since this moment, in milliseconds of `performance.now()`. */
  since(namespace: string, fromMs: number): { atMs: number; text: string }[];
  stop(): Promise<void>;
}

/** Takes alerts of AlertProviders of type `webhook`. */
export async function startAlertReceiver(): Promise<AlertReceiver> {
  const taken: { namespace: string; atMs: number; text: string }[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += String(part);
    taken.push({ namespace: (request.url ?? '').slice(1), atMs: performance.now(), text });
    response.end();
  });
  const listener = await world().network.listen(server);
  return {
    url: (namespace) => `${listener.url}/${namespace}`,
    since: (namespace, fromMs) => taken.filter((one) => one.namespace === namespace && one.atMs >= fromMs),
    stop: () => listener.close(true),
  };
}
