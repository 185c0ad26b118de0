import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface CuttableProxy {
  readonly port: number;
  /** Nothing passes any more, either way, and nobody is told. */
  cut(): void;
  /** New connections pass again; those of before stay lost. */
  heal(): void;
  stop(): Promise<void>;
}

/** A TCP proxy on loopback that can be cut as a network is; TLS passes through it untouched. */
export async function startCuttableProxy(port: number): Promise<CuttableProxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket.on('close', () => sockets.delete(socket)));
    return socket;
  };
  const server = createServer((client) => {
    keep(client).on('error', () => client.destroy());
    if (isCut) return;
    const upstream = keep(connect(port, '127.0.0.1'));
    upstream.on('error', () => client.destroy());
    upstream.on('close', () => upstream.isPaused() || client.destroy());
    client.on('close', () => upstream.destroy());
    client.pipe(upstream);
    upstream.pipe(client);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    heal() {
      isCut = false;
      for (const socket of sockets) socket.destroy();
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
