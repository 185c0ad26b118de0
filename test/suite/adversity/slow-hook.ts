import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SlowHook {
  readonly url: string;
  /** How often it was called. */
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
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    calls: () => calls,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
