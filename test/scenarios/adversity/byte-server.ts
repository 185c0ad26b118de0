import { createServer, type Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** Passes on the bytes of connections unmodified. A `Network` only listens for HTTP servers, so this is an HTTP server without its parser. */
export function byteServer(onConnection: (client: Duplex) => void): Server {
  return createServer().removeAllListeners('connection').on('connection', onConnection);
}
