import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Chat server and webhook endpoint in one: answers at once, or takes every call and never says anything. */
export async function startReceiver(answers: boolean) {
  let calls = 0;
  let open = 0;
  let mostOpen = 0;
  const server = createServer((request, response) => {
    calls += 1;
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    response.once('close', () => {
      open -= 1;
    });
    request.resume();
    if (answers) response.writeHead(200).end('ok');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Calls so far, and the most that were open at once. */
    seen: () => ({ calls, mostOpen }),
    stop: (): Promise<void> => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
