import { Agent, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One HTTP server that can be reached. */
export interface ServerListener {
  readonly port: number;
  /** Without a trailing slash. */
  readonly url: string;
  /** Stops listening and resolves when no connection is left; requests under way are finished, unless `now`. */
  close(now?: boolean): Promise<void>;
}

/** Connections between the parts of the embedded cluster. HTTP is Node's own on every network: only the transport of its bytes differs. */
export interface Network {
  /** 0, the default, takes any free port. */
  listen(server: Server, port?: number): Promise<ServerListener>;
  /** For clients; with `keepAlive` it keeps connections that are idle. */
  agent(options?: { keepAlive?: boolean }): Agent;
}

/** TCP on one address of this machine. */
export const networkOn = (host: string): Network => ({
  async listen(server, port = 0) {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
    const taken = (server.address() as AddressInfo).port;
    return {
      port: taken,
      url: `http://${host}:${taken}`,
      close: (now = false) =>
        new Promise((resolve) => {
          server.close(() => resolve());
          if (now) server.closeAllConnections();
          else server.closeIdleConnections();
        }),
    };
  },
  agent: ({ keepAlive = false } = {}) => new Agent({ keepAlive }),
});

/** TCP on 127.0.0.1. */
export const loopback = networkOn('127.0.0.1');
