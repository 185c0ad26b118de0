import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

/** Below the ports that Linux (32768 and up) and macOS (49152 and up) give to connections and to servers that request any port. */
const [LOWEST, HIGHEST] = [20_000, 32_767];

/**
 * A TCP port of 127.0.0.1 for a program that cannot report which one it took. Between the choice and the program's start no one else takes it: the
 * operating system hands out no port of this range, and each test process claims a port by binding UDP to the same number until it ends.
 */
export async function freePort(): Promise<number> {
  const first = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST + 1));
  for (let port = first; ; port = port === HIGHEST ? LOWEST : port + 1) {
    if ((await claim(port)) && (await canListen(port))) return port;
    if (port === first - 1) throw new Error(`no free port from ${LOWEST} to ${HIGHEST}`);
  }
}

async function claim(port: number): Promise<boolean> {
  const socket = createSocket('udp4').unref();
  return new Promise((resolve) => {
    socket.once('error', () => resolve(false));
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(true));
  });
}

async function canListen(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
