import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { FairSlots } from './fair-slots.ts';

/** Bounds of the connections of a server. */
export interface BoundedConnections {
  /** Keeps a connection out of the count, and open, until the returned function is called. */
  spare(socket: Socket): () => void;
}

/**
 * Limits the number of open connections of a server. A new connection is always accepted: the peer with most connections loses its oldest, an idle connection
 * first. So a client that holds many connections does not keep out the kubelet, Prometheus or a user of the dashboard.
 */
export function limitConnections(server: Server, most: number): BoundedConnections {
  const open = new Map<Name, Socket>();
  const busy = new Set<Name>();
  const spared = new Map<Name, number>();
  const slots = new FairSlots<Name>(most, (name) => !busy.has(name));
  const take = (name: Name, socket: Socket) => {
    const lost = slots.take(name, socket.remoteAddress ?? '');
    if (lost !== undefined) open.get(lost)?.destroy();
  };
  server.on('connection', (socket: Socket) => {
    const name = nameOf(socket);
    open.set(name, socket);
    socket.once('close', () => {
      // A client can reuse its port before this event arrives.
      if (open.get(name) !== socket) return;
      open.delete(name);
      busy.delete(name);
      slots.free(name);
    });
    take(name, socket);
  });
  server.on('request', ({ socket }, response) => {
    const name = nameOf(socket);
    busy.add(name);
    response.once('close', () => busy.delete(name));
  });
  return {
    spare(one) {
      const name = nameOf(one);
      spared.set(name, (spared.get(name) ?? 0) + 1);
      slots.free(name);
      return () => {
        const left = (spared.get(name) ?? 1) - 1;
        if (left > 0) return void spared.set(name, left);
        spared.delete(name);
        const socket = open.get(name);
        if (socket && !socket.destroyed) take(name, socket);
      };
    },
  };
}

/** Name of one connection at a time. With TLS the socket of a request is another object than that of its connection, of the same client. */
type Name = string | Socket;
const nameOf = (socket: Socket): Name => (socket.remotePort === undefined ? socket : `${socket.remoteAddress} ${socket.remotePort}`);
