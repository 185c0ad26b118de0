import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { watchObjects } from '../../src/embedded/controllers/object-store.ts';
import { loopback } from '../../src/embedded/network.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { raw } from '../fakes/raw.ts';

const NO_ANSWER_MS = 5_000;
/**
 * Each connection comes from the next of these: one that was tried before its Service had rules leaves an entry with the kernel for two minutes, and a later one
 * from the same address and port would hang.
 */
const CLIENTS = 250;
const addressOf = (connection: number): string => `10.244.249.${(connection % CLIENTS) + 1}`;

export interface ServiceClient {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Cluster DNS and a client of Services in one: it asks the Service that the host header names at its cluster IP, by a new connection for each
 * request, so that the kernel's rules choose the pod each time.
 */
export async function startServiceClient(cluster: KubeCluster): Promise<ServiceClient> {
  const services = watchObjects(cluster, { apiVersion: 'v1', kind: 'Service' }, () => undefined);
  await services.synced;
  let connections = 0;
  const send = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const fail = (why: string): void => {
      if (!outgoing.headersSent) outgoing.writeHead(503, { 'x-serin-proxy-error': why.replaceAll(/[^\x20-\x7e]/g, '?') });
      outgoing.end();
    };
    const { host = '' } = incoming.headers;
    const [name, namespace] = host.split('.');
    const service = services.get(`${namespace}/${name}`);
    if (service === undefined) {
      fail(`no Service ${namespace}/${name}`);
      return;
    }
    const ip: string = raw(service).spec.clusterIP;
    const { method = 'GET', url = '/', headers } = incoming;
    connections += 1;
    const call = request({
      ...{ host: ip, port: 80, method, path: url, headers: { ...headers, connection: 'close' } },
      ...{ localAddress: addressOf(connections), agent: false, timeout: NO_ANSWER_MS },
    });
    call.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    call.on('timeout', () => call.destroy(new Error(`no answer within ${NO_ANSWER_MS} ms`)));
    call.on('error', ({ message }) => fail(message));
    incoming.pipe(call);
  };
  const listener = await loopback.listen(createServer(send));
  return {
    url: listener.url,
    async stop() {
      services.stop();
      await listener.close(true);
    },
  };
}
