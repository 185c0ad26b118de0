import type { RequestListener, Server } from 'node:http';
import { createServer as createHttp2, type ServerHttp2Session } from 'node:http2';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Network, ServerListener } from '../../src/embedded/network.ts';

/** First bytes of a client that knows that the server speaks HTTP/2. Source: RFC 9113, section 3.4. */
const PREFACE = 'PRI * HTTP/2.0';

/** TCP on one address, where an HTTP server answers both HTTP/1.1 and HTTP/2 without TLS; a call of gRPC also has the trailers of success. */
export const http2On = (host: string): Pick<Network, 'listen'> => ({
  async listen(server: Server, port = 0): Promise<ServerListener> {
    const http2 = createHttp2((request, response) => {
      if (request.headers['content-type']?.startsWith('application/grpc')) response.addTrailers({ 'grpc-status': '0' });
      for (const answer of server.listeners('request') as RequestListener[]) answer(request as never, response as never);
    });
    const sessions = new Set<ServerHttp2Session>();
    http2.on('session', (session) => {
      sessions.add(session);
      session.once('close', () => sessions.delete(session));
    });
    const others = new Set<Socket>();
    const listening = createServer((socket) => {
      // A client of either version can break off.
      socket.on('error', () => socket.destroy());
      others.add(socket);
      socket.once('close', () => others.delete(socket));
      socket.once('data', (first: Buffer) => {
        socket.pause();
        socket.unshift(first);
        const isHttp2 = first.toString('latin1').startsWith(PREFACE);
        if (isHttp2) others.delete(socket);
        (isHttp2 ? http2 : server).emit('connection', socket);
        if (!isHttp2) socket.resume();
      });
    });
    await new Promise<void>((resolve, reject) => listening.once('error', reject).listen(port, host, resolve));
    const taken = (listening.address() as AddressInfo).port;
    return {
      port: taken,
      url: `http://${host}:${taken}`,
      close: (now = false) =>
        new Promise((resolve) => {
          listening.close(() => resolve());
          // Only probes use HTTP/1.1.
          for (const socket of others) socket.destroy();
          for (const session of sessions)
            if (now) session.destroy();
            else session.close();
        }),
    };
  },
});
