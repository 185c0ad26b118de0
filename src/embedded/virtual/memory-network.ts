import { Agent, type Server } from 'node:http';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import type { Network, ServerListener } from '../network.ts';
import { type Gate, type Latency, MemorySocket, openGate, socketError } from './memory-socket.ts';

const FIRST_PORT = 20_001;

interface Serving {
  server: Server;
  gate: Gate;
  sockets: Set<MemorySocket>;
}

/** Connections within this process: Node's HTTP on both ends, and no socket between them. */
export class MemoryNetwork implements Network {
  readonly #clock: Clock;
  readonly #latency: Latency;
  readonly #ports = new Map<number, Serving>();
  #lastPort = FIRST_PORT - 1;
  #portOf: (host: string, port: number) => number | undefined = () => undefined;

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#latency = () => 1 + random();
  }

  async listen(server: Server, port = 0): Promise<ServerListener> {
    return this.listenBehind(openGate, server, port);
  }

  agent(options: { keepAlive?: boolean } = {}): Agent {
    return this.agentBehind({ gate: openGate, opened: () => undefined }, options);
  }

  /** The listener behind a host that is not this machine, or behind a port of it where nothing listens; without one its name is not found, and its address never answers. */
  nameHosts(portOf: (host: string, port: number) => number | undefined): void {
    this.#portOf = portOf;
  }

  /** For a process that can be halted. */
  listenBehind(gate: Gate, server: Server, wanted: number): ServerListener {
    if (this.#ports.has(wanted)) throw socketError('EADDRINUSE', 'listen', `127.0.0.1:${wanted}`);
    if (wanted === 0) this.#lastPort += 1;
    const port = wanted === 0 ? this.#lastPort : wanted;
    const serving: Serving = { server, gate, sockets: new Set() };
    this.#ports.set(port, serving);
    // Node itself would write the date of the machine: a client of this world compares its clock with it (E144).
    server.prependListener('request', (_, response) => response.setHeader('date', new Date(this.#clock.nowMs()).toUTCString()));
    // From here on the server keeps a list of its connections.
    server.emit('listening');
    return { port, url: `http://127.0.0.1:${port}`, close: (now = false) => this.#close(port, serving, now) };
  }

  /** `opened` sees each connection of the agent. */
  agentBehind(from: { gate: Gate; opened(socket: MemorySocket): void }, { keepAlive = false }: { keepAlive?: boolean } = {}): Agent {
    return new MemoryAgent({ keepAlive }, (host, port) => {
      const socket = new MemorySocket({ ...this.#parts(), gate: from.gate, port, allowHalfOpen: false });
      from.opened(socket);
      this.#clock.setTimer(this.#latency(), () => from.gate.serve(() => this.#connect(socket, host, port)));
      return socket;
    });
  }

  #connect(client: MemorySocket, host: string, port: number): void {
    if (client.destroyed) return;
    const isHere = host === '127.0.0.1' || host === 'localhost';
    const wanted = isHere && this.#ports.has(port) ? port : (this.#portOf(host, port) ?? (isHere ? port : undefined));
    if (wanted === undefined) {
      // An address that nothing is behind never answers.
      if (isIP(host) === 0) client.destroy(socketError('ENOTFOUND', 'getaddrinfo', host));
      return;
    }
    const serving = this.#ports.get(wanted);
    if (serving === undefined) {
      client.destroy(socketError('ECONNREFUSED', 'connect', `127.0.0.1:${port}`));
      return;
    }
    const accepted = new MemorySocket({ ...this.#parts(), gate: serving.gate, port: 0, allowHalfOpen: true });
    MemorySocket.connect(client, accepted);
    serving.sockets.add(accepted);
    accepted.once('close', () => serving.sockets.delete(accepted));
    serving.server.emit('connection', accepted);
    client.connected();
  }

  async #close(port: number, serving: Serving, now: boolean): Promise<void> {
    const { server, sockets } = serving;
    if (this.#ports.get(port) === serving) this.#ports.delete(port);
    // Also closes idle connections.
    server.close();
    if (now) server.closeAllConnections();
    await Promise.all([...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
  }

  #parts() {
    return { clock: this.#clock, latency: this.#latency };
  }
}

class MemoryAgent extends Agent {
  readonly #open: (host: string, port: number) => Duplex;

  constructor(options: { keepAlive: boolean }, open: (host: string, port: number) => Duplex) {
    super(options);
    this.#open = open;
  }

  override createConnection(options: { host?: string | null; port?: number | string | null }): Duplex {
    return this.#open(options.host ?? 'localhost', Number(options.port));
  }
}
