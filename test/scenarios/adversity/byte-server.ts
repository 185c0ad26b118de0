import { createServer, type Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** Passes on connections as they are. A `Network` listens for servers of HTTP only, so this is one without its parser. */
export function byteServer(onConnection: (client: Duplex) => void): Server {
  return createServer().removeAllListeners('connection').on('connection', onConnection);
}
