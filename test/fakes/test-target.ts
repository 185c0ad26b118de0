import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface RecordedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/**
 * An application that is tested, on loopback: `/token` answers like podinfo, `/status/N` with that status, `/moved` redirects to `/token`, `/never`
 * does not answer, `/huge` pours 2 MB, `/long-type` has a content type of 8 KB. For tests.
 */
export async function startTarget(): Promise<{ url: string; port: number; asked: RecordedRequest[]; stop(): Promise<void> }> {
  const asked: RecordedRequest[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    asked.push({ method, path, headers, body: await text(request) });
    const status = /^\/status\/(\d+)/.exec(path)?.[1];
    if (path === '/never') return;
    if (path === '/moved') response.writeHead(302, { location: '/token' }).end();
    else if (path === '/huge') response.end('x'.repeat(2_000_000));
    else if (path === '/long-type') response.writeHead(200, { 'content-type': 'x'.repeat(8_192) }).end();
    else if (path.startsWith('/token')) response.end('{"token":"abc"}\n');
    else response.writeHead(Number(status ?? 200)).end(`you asked for ${path}\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    asked,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
