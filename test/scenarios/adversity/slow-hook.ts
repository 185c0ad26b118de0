import { createServer } from 'node:http';
import { world } from '../world.ts';

export interface SlowHook {
  readonly url: string;
  /** Number of calls. */
  calls(): number;
  stop(): Promise<void>;
}

/** A webhook that never answers its first call, and every later one at once. */
export async function startSlowHook(): Promise<SlowHook> {
  let calls = 0;
  const server = createServer((request, response) => {
    calls += 1;
    request.resume();
    if (calls > 1) response.writeHead(200).end();
  });
  const listener = await world().network.listen(server);
  return {
    url: `${listener.url}/`,
    calls: () => calls,
    stop: () => listener.close(true),
  };
}
