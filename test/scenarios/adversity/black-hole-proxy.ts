import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

export interface WatchStream {
  /** Plural of what is watched. */
  readonly resource: string;
  readonly isOpen: boolean;
  /** From now on nothing passes in either direction, and no connection is closed. */
  blackHole(): void;
}

export interface BlackHoleProxy {
  readonly url: string;
  /** Watch streams in the order in which they were opened. */
  streams(): readonly WatchStream[];
  /** Resolves when a further watch stream is opened. */
  nextStream(): Promise<void>;
  stop(): Promise<void>;
}

interface Stream extends WatchStream {
  isOpen: boolean;
}

/**
 * A TCP proxy before an API server that can lose a connection as a NAT does: without an end, an error or a reset. It is spoken to over
 * plain HTTP, so that it sees which connection carries which watch; `ca` is for a server that wants TLS.
 */
export async function startBlackHoleProxy(serverUrl: string, ca?: string | Buffer): Promise<BlackHoleProxy> {
  const { protocol, hostname, port } = new URL(serverUrl);
  const reach = (): Socket =>
    protocol === 'https:' ? connectTls({ host: hostname, port: Number(port), ca }) : connect(Number(port), hostname);
  const streams: Stream[] = [];
  const sockets = new Set<Socket>();
  let opened = Promise.withResolvers<void>();
  const server = createServer((client) => {
    const upstream = reach();
    let isLost = false;
    let current: Stream | undefined;
    const end = (): void => {
      if (current) current.isOpen = false;
      // A lost connection stays open on the other side, as it does when packets are dropped.
      if (!isLost || client.destroyed) upstream.destroy();
      if (!isLost) client.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', end);
      socket.on('close', () => {
        sockets.delete(socket);
        end();
      });
    }
    client.on('data', (chunk) => {
      if (isLost) return;
      const resource = watchedIn(chunk.toString('latin1'));
      if (resource !== undefined) {
        current = {
          resource,
          isOpen: true,
          blackHole: () => {
            isLost = true;
          },
        };
        streams.push(current);
        opened.resolve();
        opened = Promise.withResolvers<void>();
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => void (isLost || client.write(chunk)));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    streams: () => streams,
    nextStream: () => opened.promise,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** `canaries` where a request line opens a watch: HTTP/1.1 without pipelining begins each request in a chunk of its own. */
function watchedIn(text: string): string | undefined {
  const [, path, query] = /^GET ([^?\s]+)\?(\S+) HTTP/.exec(text) ?? [];
  if (path === undefined || new URLSearchParams(query).get('watch') !== 'true') return undefined;
  return path.split('/').at(-1);
}
