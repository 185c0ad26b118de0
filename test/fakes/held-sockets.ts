import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Connections of an attacker to this machine, which are held. */
export class HeldSockets {
  readonly #sockets: Socket[] = [];
  readonly #port: number;
  readonly #ended: number[] = [];
  /** Opens again what the server ends. */
  readonly #insists: boolean;
  /** Connections that were opened in place of others. */
  reopened = 0;

  constructor(port: number, insists = false) {
    this.#port = port;
    this.#insists = insists;
  }

  /** Opens so many connections from this address; each sends only this text. Resolves when all are open. */
  async open(count: number, localAddress: string, said = ''): Promise<void> {
    for (let opened = 0; opened < count; opened += 100)
      await Promise.all(Array.from({ length: Math.min(100, count - opened) }, () => this.#openOne(localAddress, said)));
  }

  async #openOne(localAddress: string, said: string): Promise<void> {
    const socket = connect({ port: this.#port, host: '127.0.0.1', localAddress });
    this.#sockets.push(socket);
    let status = 0;
    socket.once('data', (head) => {
      status = Number(/^HTTP\/1.1 (\d+)/.exec(head.toString('latin1'))?.[1] ?? 0);
    });
    socket.once('close', () => this.#ended.push(status));
    socket.on('error', () => undefined).resume();
    if (this.#insists) socket.once('close', () => this.#openAgain(socket, localAddress, said));
    await once(socket, 'connect');
    socket.write(said);
  }

  #openAgain(lost: Socket, localAddress: string, said: string): void {
    const index = this.#sockets.indexOf(lost);
    if (index < 0) return;
    this.#sockets.splice(index, 1);
    this.reopened += 1;
    // A connection that is reset before it is open is tried again by its own end.
    this.#openOne(localAddress, said).catch(() => undefined);
  }

  /** Number of connections that the server has not ended. */
  get held(): number {
    return this.#sockets.filter((socket) => !socket.closed).length;
  }

  /** Number of connections that the server has ended for want of room: without an answer, or with 503. A connection that is too slow gets 408. */
  get displaced(): number {
    return this.#ended.filter((status) => status === 0 || status === 503).length;
  }

  close(): void {
    for (const socket of this.#sockets.splice(0)) socket.destroy();
  }
}
