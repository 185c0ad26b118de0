import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A refusal in place of the API server's own answer; undefined lets the request through. */
export type Refuse = (method: string, path: string) => 403 | 404 | undefined;

/** Stands between the controller and the API server, to play what the embedded server does not have: RBAC, and a CRD that is away. */
export async function startApiProxy(apiUrl: string, refuse: Refuse): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer((incoming, answer) => {
    const { method = 'GET', url = '/' } = incoming;
    const code = refuse(method, url);
    if (code !== undefined) {
      const reason = code === 403 ? 'Forbidden' : 'NotFound';
      const message =
        code === 403
          ? `User "serin" cannot ${method.toLowerCase()} ${url.split('?')[0]}`
          : 'the server could not find the requested resource';
      answer.writeHead(code, { 'content-type': 'application/json' });
      answer.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, code }));
      return;
    }
    const onward = request(`${apiUrl}${url}`, { method, headers: incoming.headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      answer.flushHeaders();
      response.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    answer.on('close', () => onward.destroy());
    incoming.pipe(onward);
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
