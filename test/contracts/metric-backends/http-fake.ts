import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { FakeBackend, Scenario, SeenRequest } from './backend-case.ts';

type Body = string | { status: number; body: string } | ((request: SeenRequest) => string);
/** Answers of one API in its own cases; the others are the same for all of HTTP. */
export type Bodies = Partial<Record<Scenario, Body>> & { value: Body };

const JSON_TYPE = { 'content-type': 'application/json' };

const transport: Partial<Record<Scenario, (response: ServerResponse) => void>> = {
  down: (response) => response.writeHead(503).end('a page of a proxy with planted-page'),
  slow: () => undefined,
  cutOff: (response) => response.writeHead(200, { 'content-length': '999' }).write('{"', () => response.destroy()),
  wrongJson: (response) => response.writeHead(200, JSON_TYPE).end('{"broken'),
  otherJson: (response) => response.writeHead(200, JSON_TYPE).end('{"hello":["world",null]}'),
  hugeBody: (response) => response.writeHead(200, JSON_TYPE).end(`"${'x'.repeat(6 * 1024 * 1024)}"`),
  redirect: (response) => response.writeHead(302, { location: 'http://127.0.0.2:9/elsewhere' }).end(),
  badCredentials: (response) => response.writeHead(403, JSON_TYPE).end('{}'),
};

/** A server on loopback that answers each request as the scenario says. */
export async function httpFake(bodies: Bodies): Promise<FakeBackend> {
  const requests: SeenRequest[] = [];
  let scenario: Scenario = 'value';
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const seen = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
    requests.push(seen);
    const said = bodies[scenario];
    const own = typeof said === 'function' ? said(seen) : said;
    if (own === undefined) {
      const play = transport[scenario];
      if (play) play(response);
      // An answer that the case forgot fails its test at once, with this status in the message.
      else response.writeHead(501).end(`the scenario ${scenario} has no answer`);
    } else if (typeof own === 'string') response.writeHead(200, JSON_TYPE).end(own);
    else response.writeHead(own.status, JSON_TYPE).end(own.body);
  });
  // A busy machine comes back to an idle connection so late that it would be closed under the next request.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answersWith: (next) => {
      scenario = next;
    },
    requests,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
