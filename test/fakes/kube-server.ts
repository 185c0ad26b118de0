import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenCall {
  method: string;
  /** Path without query. */
  path: string;
  query: URLSearchParams;
  headers: http.IncomingHttpHeaders;
  body: string;
}

export type Answering = (call: SeenCall, response: http.ServerResponse) => void;

export interface KubeServer {
  url: string;
  calls: SeenCall[];
  close(): Promise<void>;
}

/** A scripted API server on loopback: discovery of ConfigMaps, Pods, Events and Leases is answered, all else is the test's. */
export async function kubeServer(answer: Answering): Promise<KubeServer> {
  const calls: SeenCall[] = [];
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const call = {
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: Buffer.concat(chunks).toString('utf8'),
    };
    calls.push(call);
    const kinds = builtIn[url.pathname];
    if (kinds !== undefined) sendJson(response, 200, { kind: 'APIResourceList', resources: kinds });
    else answer(call, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

export function sendJson(response: http.ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export function refuse(response: http.ServerResponse, code: number, reason: string, headers: Record<string, string> = {}): void {
  const details = code === 404 ? { name: 'named' } : {};
  sendJson(response, code, { kind: 'Status', apiVersion: 'v1', code, reason, message: `refused: ${reason}`, details }, headers);
}

const builtIn: Record<string, object[]> = {
  '/api/v1': [
    { name: 'configmaps', kind: 'ConfigMap', namespaced: true },
    { name: 'pods', kind: 'Pod', namespaced: true },
    { name: 'pods/binding', kind: 'Binding', namespaced: true },
    { name: 'events', kind: 'Event', namespaced: true },
  ],
  '/apis/coordination.k8s.io/v1': [{ name: 'leases', kind: 'Lease', namespaced: true }],
};
