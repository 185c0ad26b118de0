import { Agent, get } from 'node:http';
import type { Socket } from 'node:net';
import { versionOf } from '../applications.ts';
import { type Client, type Entry, PATIENCE_MS, Tally } from './client.ts';

const NEW_EVERY_MS = 100;
const KEPT_EVERY_MS = 200;
const KEPT_CONNECTIONS = 4;
/** Time to live of CoreDNS' answers. */
const ADDRESSES_FOR_MS = 5_000;

/** A connection for each request. */
export function newConnections(entry: Entry): Client {
  const tally = new Tally();
  const underWay = new Set<Promise<void>>();
  const running = tally.again(NEW_EVERY_MS, () => {
    tally.seen.connections += 1;
    const one = ask(entry, new Agent(), tally).finally(() => underWay.delete(one));
    underWay.add(one);
  });
  return { stop: () => tally.stop(running.then(() => Promise.all(underWay))) };
}

/** Connections that are kept as long as the server keeps them, each with one request after the other. */
export function keptConnections(entry: Entry): Client {
  const tally = new Tally();
  const kept = Array.from({ length: KEPT_CONNECTIONS }, () => {
    const agent = watched(new Agent({ keepAlive: true, maxSockets: 1 }), tally);
    return tally.again(KEPT_EVERY_MS, () => ask(entry, agent, tally)).finally(() => agent.destroy());
  });
  return { stop: () => tally.stop(...kept) };
}

/** Resolves a headless Service itself, and keeps a connection to each of its current addresses. */
export function resolvedAddresses(resolve: () => Promise<readonly string[]>, port: number): Client {
  const tally = new Tally();
  const agents = new Map<string, Agent>();
  // Agents that the client itself ends.
  const leaving = new WeakSet<Agent>();
  let addresses: readonly string[] = [];
  let turn = 0;
  const resolving = tally.again(ADDRESSES_FOR_MS, async () => {
    addresses = await resolve();
    for (const [address, agent] of agents)
      if (!addresses.includes(address)) {
        leaving.add(agent);
        agents.delete(address);
        agent.destroy();
      }
  });
  const underWay = new Set<Promise<void>>();
  const asking = tally.again(NEW_EVERY_MS, () => {
    const address = addresses[turn++ % addresses.length];
    if (address === undefined) return;
    const agent = agents.get(address) ?? watched(new Agent({ keepAlive: true }), tally, leaving);
    agents.set(address, agent);
    const one = ask({ url: `http://${address}:${port}/` }, agent, tally).finally(() => underWay.delete(one));
    underWay.add(one);
  });
  return {
    async stop() {
      const seen = await tally.stop(
        resolving,
        asking.then(() => Promise.all(underWay)),
      );
      for (const agent of agents.values()) agent.destroy();
      return seen;
    },
  };
}

const ASKED_TO_LEAVE = new WeakSet<Socket>();

/** Counts the connections of an agent, and how they end. */
function watched(agent: Agent, tally: Tally, leaving?: WeakSet<Agent>): Agent {
  const createConnection = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const socket = createConnection(options, callback) as Socket;
    socket.once('connect', () => {
      tally.seen.connections += 1;
      socket.once('close', () => {
        if (!leaving?.has(agent)) tally.ended(ASKED_TO_LEAVE.has(socket));
      });
    });
    return socket;
  };
  return agent;
}

/** Never rejects: a request without an answer is counted. */
function ask({ url, host }: Entry, agent: Agent, tally: Tally): Promise<void> {
  return new Promise((resolve) => {
    const fail = ({ message }: Error): void => {
      tally.lost(message);
      resolve();
    };
    const request = get(url, { agent, timeout: PATIENCE_MS, headers: host === undefined ? {} : { host } }, (answer) => {
      if (answer.headers.connection === 'close') ASKED_TO_LEAVE.add(answer.socket);
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => (text += part));
      answer.on('error', fail);
      answer.on('end', () => {
        if ((answer.statusCode ?? 0) >= 500) return fail(new Error(`status ${answer.statusCode}`));
        tally.answered(versionOf(text));
        resolve();
      });
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${PATIENCE_MS} ms`)));
    request.on('error', fail);
  });
}
