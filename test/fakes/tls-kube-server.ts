import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { refuse, sendJson } from './kube-server.ts';

const FOLDER = join(import.meta.dirname, '..', 'fixtures', 'tls');
/** Path of a certificate or key: test/fixtures/tls/generate.sh makes them. */
export const tlsFile = (name: string): string => join(FOLDER, name);
export const tlsText = (name: string): string => readFileSync(tlsFile(name), 'utf8');
export const tlsData = (name: string): string => readFileSync(tlsFile(name)).toString('base64');

/** Identity of a caller, as the server sees it. */
export interface Caller {
  authorization?: string;
  /** Common name and serial number of the client certificate. */
  commonName?: string;
  serial?: string;
}

export interface TlsKubeServer {
  readonly url: string;
  readonly port: number;
  /** Callers of all requests. */
  readonly callers: readonly Caller[];
  stop(): Promise<void>;
}

/** An API server on 127.0.0.1 that serves an empty list of ConfigMaps over TLS to whom `admits`; others get 401, or 403 for `forbidden`. */
export async function startTlsKubeServer(
  admits: (caller: Caller) => boolean | 'forbidden' = () => true,
  certificate = 'server',
): Promise<TlsKubeServer> {
  const callers: Caller[] = [];
  const server = https.createServer(
    {
      cert: tlsText(`${certificate}.crt`),
      key: tlsText(`${certificate}.key`),
      ca: tlsText('ca.crt'),
      requestCert: true,
      rejectUnauthorized: false,
    },
    (request, response) => {
      const caller = callerOf(request);
      callers.push(caller);
      const admitted = admits(caller);
      if (admitted === 'forbidden') refuse(response, 403, 'Forbidden');
      else if (!admitted) refuse(response, 401, 'Unauthorized');
      else if (request.url === '/api/v1')
        sendJson(response, 200, { kind: 'APIResourceList', resources: [{ name: 'configmaps', kind: 'ConfigMap', namespaced: true }] });
      else sendJson(response, 200, { kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: '7' }, items: [] });
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    callers,
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function callerOf(request: IncomingMessage): Caller {
  const socket = request.socket as TLSSocket;
  const { subject, serialNumber } = socket.authorized ? socket.getPeerCertificate() : {};
  const { authorization } = request.headers;
  return {
    ...(authorization === undefined ? {} : { authorization }),
    ...(typeof subject?.CN === 'string' ? { commonName: subject.CN } : {}),
    ...(serialNumber === undefined ? {} : { serial: serialNumber }),
  };
}
