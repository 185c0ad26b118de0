import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { HeldSockets } from '../../test/fakes/held-sockets.ts';
import { tlsFile } from '../../test/fakes/tls-kube-server.ts';
import { limitConnections } from './connections.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const [cert, key] = ['server.crt', 'server.key'].map((file) => readFileSync(tlsFile(file)));
const kinds: { kind: string; server: () => Server; dial: (port: number) => Socket; ready: string }[] = [
  { kind: 'HTTP', server: () => createServer(), dial: (port) => connect(port, '127.0.0.1'), ready: 'connect' },
  {
    kind: 'HTTPS',
    server: () => createTlsServer({ cert, key }),
    dial: (port) => connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }),
    ready: 'secureConnect',
  },
];

describe.each(kinds)('I15: connections by $kind, of which four may be open', ({ server: create, dial, ready }) => {
  async function served({ spares } = { spares: true }) {
    const server = create();
    const { spare } = limitConnections(server, 4);
    const asked: { response: ServerResponse; end: () => void }[] = [];
    server.on('request', ({ socket }, response) => asked.push({ response, end: spares ? spare(socket) : () => undefined }));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    ends.push(
      () => new Promise((resolve) => server.close(resolve)),
      () => server.closeAllConnections(),
    );
    const others = new HeldSockets(port);
    ends.push(() => others.close());
    /** A client whose request is under way. */
    const client = async () => {
      const socket = dial(port);
      ends.push(() => socket.destroy());
      socket.on('error', () => undefined).resume();
      await once(socket, ready);
      const before = asked.length;
      socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
      await expect.poll(() => asked.length).toBe(before + 1);
      const { response, end } = asked.at(-1) ?? expect.fail('asked');
      return { socket, response, end };
    };
    return { others, client };
  }

  it('a spared connection stays open and takes no place of other connections', async () => {
    const { others, client } = await served();
    const clients = [await client(), await client()];
    await others.open(12, '127.0.0.1');
    await expect.poll(() => others.held).toBe(4);
    expect(clients.map(({ socket }) => socket.closed)).toEqual([false, false]);
  });

  it('an idle connection is closed before an older connection whose request is under way, until the answer is sent', async () => {
    const { others, client } = await served({ spares: false });
    const { socket, response } = await client();
    await others.open(12, '127.0.0.1');
    await expect.poll(() => others.held).toBe(3);
    expect(socket.closed).toBe(false);
    response.end();
    await once(response, 'close');
    await others.open(1, '127.0.0.1');
    await expect.poll(() => [socket.closed, others.held]).toEqual([true, 4]);
  });

  it('a connection that is no longer spared counts again, as the newest of its address', async () => {
    const { others, client } = await served();
    const { socket, response, end } = await client();
    await others.open(4, '127.0.0.1');
    response.end();
    end();
    await expect.poll(() => others.held).toBe(3);
    await others.open(4, '127.0.0.1');
    await expect.poll(() => socket.closed).toBe(true);
    await expect.poll(() => others.held).toBe(4);
  });
});
