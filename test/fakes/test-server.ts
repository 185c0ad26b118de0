import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface ServedRequest {
  method: string;
  path: string;
  body: string;
  authorization?: string;
}

/** Runs `use` against an HTTP server on loopback that answers with `answer`; `seen` lists its requests. For tests. */
export async function withServer(
  answer: (request: IncomingMessage, response: ServerResponse, count: number) => void,
  use: (url: string, seen: ServedRequest[]) => Promise<void>,
): Promise<void> {
  const seen: ServedRequest[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const body = await text(request);
    seen.push({ method, path: url, body, ...(headers.authorization && { authorization: headers.authorization }) });
    answer(request, response, seen.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
