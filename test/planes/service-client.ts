import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { watchObjects } from '../../src/embedded/controllers/object-store.ts';
import { loopback } from '../../src/embedded/network.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { raw } from '../fakes/raw.ts';
import { ONWARD_HEADER, refuse, sendOn } from './onward.ts';

/**
 * Each connection has the next of these source addresses. A connection that was tried before its Service had rules leaves a kernel entry for two minutes, and a
 * later connection from the same address and port would hang.
 */
const CLIENTS = 250;
const addressOf = (connection: number): string => `10.244.249.${(connection % CLIENTS) + 1}`;

export interface ServiceClient {
  readonly url: string;
  stop(): Promise<void>;
}

/** Place from which a client dials: the tier's own network namespace, or a node that sends requests on. */
export interface ClientPlace {
  /** Address of `send-on.ts`. */
  far?: { host: string; port: number };
  /** Sends requests to node ports at this address instead of cluster IPs. */
  nodeAddress?: string;
}

/**
 * Cluster DNS and a client of Services in one. It sends each request to the cluster IP of the Service in the host header, by a new connection, so that the
 * kernel's rules choose the pod each time.
 */
export async function startServiceClient(cluster: KubeCluster, { far, nodeAddress }: ClientPlace = {}): Promise<ServiceClient> {
  const services = watchObjects(cluster, { apiVersion: 'v1', kind: 'Service' }, () => undefined);
  await services.synced;
  let connections = 0;
  const send = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const { host = '' } = incoming.headers;
    const [name, namespace] = host.split('.');
    const service = services.get(`${namespace}/${name}`);
    if (service === undefined) {
      refuse(outgoing, `no Service ${namespace}/${name}`);
      return;
    }
    const { clusterIP, ports } = raw(service).spec;
    const to = nodeAddress === undefined ? { host: clusterIP, port: 80 } : { host: nodeAddress, port: ports[0].nodePort };
    connections += 1;
    if (far) sendOn(incoming, outgoing, { ...far, headers: { [ONWARD_HEADER]: `${to.host}:${to.port}` } });
    else sendOn(incoming, outgoing, { ...to, localAddress: addressOf(connections) });
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
