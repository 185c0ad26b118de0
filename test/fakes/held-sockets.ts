import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Connections of an attacker to this machine, which are held. */
export class HeldSockets {
  readonly #sockets: Socket[] = [];
  readonly #port: number;

  constructor(port: number) {
    this.#port = port;
  }

  /** Opens so many connections from this address; each sends only this text. Resolves when all are open. */
  async open(count: number, localAddress: string, said = ''): Promise<void> {
    for (let opened = 0; opened < count; opened += 100)
      await Promise.all(Array.from({ length: Math.min(100, count - opened) }, () => this.#openOne(localAddress, said)));
  }

  async #openOne(localAddress: string, said: string): Promise<void> {
    const socket = connect({ port: this.#port, host: '127.0.0.1', localAddress });
    this.#sockets.push(socket);
    socket.on('error', () => undefined).resume();
    await once(socket, 'connect');
    socket.write(said);
  }

  /** Number of connections that the server has not ended. */
  get held(): number {
    return this.#sockets.filter((socket) => !socket.closed).length;
  }

  close(): void {
    for (const socket of this.#sockets.splice(0)) socket.destroy();
  }
}
