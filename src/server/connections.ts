import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Keeps the connections of a server to a number, and the newest one in: of the address that holds most of them the oldest goes, first one without a
 * request. So clients that hold theirs, however many, keep neither the kubelet nor Prometheus out.
 */
export function limitConnections(server: Server, most: number): void {
  const open = new Set<Socket>();
  const busy = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      busy.delete(socket);
    });
    if (open.size > most) oldestOf(open, busy, socket)?.destroy();
  });
  server.on('request', ({ socket }, response) => {
    busy.add(socket);
    response.once('close', () => busy.delete(socket));
  });
}

function oldestOf(open: ReadonlySet<Socket>, busy: ReadonlySet<Socket>, newest: Socket): Socket | undefined {
  const byAddress = new Map<string, Socket[]>();
  for (const socket of open) {
    const { remoteAddress = '' } = socket;
    const row = byAddress.get(remoteAddress);
    if (socket.destroyed || socket === newest) continue;
    if (row) row.push(socket);
    else byAddress.set(remoteAddress, [socket]);
  }
  const [longest = []] = [...byAddress.values()].toSorted((a, b) => b.length - a.length);
  return longest.find((socket) => !busy.has(socket)) ?? longest[0];
}
