import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface AnswerServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** A server on loopback whose every request one function answers, given the body as text. */
export async function startAnswerServer(
  answer: (request: IncomingMessage, body: string, response: ServerResponse) => unknown,
): Promise<AnswerServer> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    await answer(request, Buffer.concat(parts).toString(), response);
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
