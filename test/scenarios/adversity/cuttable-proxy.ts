import { createServer, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { world } from '../world.ts';

export interface CuttableProxy {
  readonly port: number;
  /** Nothing passes any more, either way, without an end or an error. */
  cut(): void;
  /** New connections pass again; the old ones stay lost. */
  heal(): void;
  stop(): Promise<void>;
}

/** A proxy of bytes that can be cut as a network is; TLS passes through it untouched. */
export async function startCuttableProxy(port: number): Promise<CuttableProxy> {
  const { network } = world();
  const agent = network.agent();
  const sockets = new Set<Duplex>();
  let isCut = false;
  const keep = (socket: Duplex): Duplex => {
    sockets.add(socket.on('close', () => sockets.delete(socket)));
    return socket;
  };
  const server = byteServer((client) => {
    keep(client).on('error', () => client.destroy());
    if (isCut) return;
    const upstream = keep(agent.createConnection({ host: '127.0.0.1', port }) as Duplex);
    upstream.on('error', () => client.destroy());
    upstream.on('close', () => upstream.isPaused() || client.destroy());
    client.on('close', () => upstream.destroy());
    client.pipe(upstream);
    upstream.pipe(client);
  });
  const listener = await network.listen(server);
  return {
    port: listener.port,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    heal() {
      isCut = false;
      for (const socket of sockets) socket.destroy();
    },
    stop() {
      const closed = listener.close(true);
      for (const socket of sockets) socket.destroy();
      return closed;
    },
  };
}

/** Passes on the bytes of connections unmodified. A `Network` only listens for HTTP servers, so this is an HTTP server without its parser. */
function byteServer(onConnection: (client: Duplex) => void): Server {
  return createServer().removeAllListeners('connection').on('connection', onConnection);
}
