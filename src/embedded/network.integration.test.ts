import { createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http';
import got from 'got';
import { describe, expect, it } from 'vitest';
import type { Network, ServerListener } from './network.ts';
import { virtualWorld } from './virtual/virtual-world.ts';
import { realWorld, type World } from './world.ts';

const textOf = async (stream: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
};

/** The answer's head; a failure rejects. */
function open(network: Network, url: string, options: { keepAlive?: boolean; body?: string } = {}): Promise<IncomingMessage> {
  const { keepAlive = false, body } = options;
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent: network.agent({ keepAlive }), method: body === undefined ? 'GET' : 'POST' }, resolve);
    asked.once('error', reject).end(body);
  });
}

const virtual = (): { world: World; play: <T>(work: () => Promise<T>) => Promise<T> } => {
  const world = virtualWorld(7);
  return { world, play: (work) => world.clock.play(work) };
};
const real = (): ReturnType<typeof virtual> => ({ world: realWorld, play: (work) => work() });

describe.each([
  { name: 'TCP on loopback', start: real },
  { name: 'connections within the process', start: virtual },
])('HTTP over $name', ({ start }) => {
  const within = async (answer: RequestListener, work: (network: Network, listener: ServerListener, server: Server) => Promise<void>) => {
    const { world, play } = start();
    await play(async () => {
      const server = createServer(answer);
      const listener = await world.network.listen(server);
      try {
        await work(world.network, listener, server);
      } finally {
        await listener.close(true);
      }
    });
  };

  it('carries status, headers and bodies both ways', async () => {
    const body = 'é'.repeat(3_000_000);
    await within(
      async (asked, response) => {
        const text = await textOf(asked);
        response.writeHead(418, { 'x-length': text.length }).end(text);
      },
      async (network, { url }) => {
        const answer = await open(network, url, { body });
        expect([answer.statusCode, answer.headers['x-length']]).toEqual([418, String(body.length)]);
        expect((await textOf(answer)) === body).toBe(true);
      },
    );
  });

  it('brings the frames of a stream one by one, and the server sees that the client left', async () => {
    const left = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    await within(
      async (_, response) => {
        response.on('close', () => left.resolve());
        response.writeHead(200).write('one\n');
        await goOn.promise;
        response.write('two\n');
      },
      async (network, { url }) => {
        const answer = await open(network, url);
        const frames = answer[Symbol.asyncIterator]();
        expect(String((await frames.next()).value)).toBe('one\n');
        goOn.resolve();
        expect(String((await frames.next()).value)).toBe('two\n');
        answer.destroy();
        await left.promise;
      },
    );
  });

  it('refuses where nothing listens', async () => {
    await within(
      (_, response) => void response.end(),
      async (network, listener) => {
        await listener.close();
        await expect(open(network, listener.url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
      },
    );
  });

  it('resolves no unknown name', async () => {
    await within(
      (_, response) => void response.end(),
      async (network) => {
        await expect(open(network, 'http://nowhere.invalid/')).rejects.toMatchObject({ code: 'ENOTFOUND' });
      },
    );
  });

  it('fails a request whose connection is closed without an answer', async () => {
    await within(
      (asked) => void asked.socket.destroy(),
      async (network, { url }) => {
        await expect(open(network, url)).rejects.toMatchObject({ code: 'ECONNRESET' });
      },
    );
  });

  it('fails an answer that is cut in the middle', async () => {
    await within(
      (asked, response) => {
        response.writeHead(200, { 'content-length': 100 }).write('half');
        setImmediate(() => asked.socket.destroy());
      },
      async (network, { url }) => {
        const answer = await open(network, url);
        await expect(textOf(answer)).rejects.toMatchObject({ code: 'ECONNRESET' });
      },
    );
  });

  it('answers a client that has ended its half', async () => {
    await within(
      (asked, response) => void asked.resume().once('end', () => response.end(String(asked.socket.readableEnded))),
      async (network, { url }) => {
        const answer = await open(network, url, { body: 'all' });
        expect(answer.statusCode).toBe(200);
        await textOf(answer);
      },
    );
  });

  it('keeps a connection for the next request where both sides want it', async () => {
    const connections = new Set<object>();
    await within(
      (asked, response) => {
        connections.add(asked.socket);
        response.end('ok');
      },
      async (network, { url }) => {
        const agent = network.agent({ keepAlive: true });
        for (let nth = 0; nth < 3; nth += 1) {
          const text = await got(url, { agent: { http: agent }, retry: { limit: 0 } }).text();
          expect(text).toBe('ok');
        }
        agent.destroy();
      },
    );
    expect(connections.size).toBe(1);
  });

  it('a server that closes answers what is under way, and then no more', async () => {
    const asked = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    await within(
      async (_, response) => {
        asked.resolve();
        await goOn.promise;
        response.end('late');
      },
      async (network, listener) => {
        const answering = open(network, listener.url);
        await asked.promise;
        const closed = listener.close();
        await expect(open(network, listener.url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
        goOn.resolve();
        expect(await textOf(await answering)).toBe('late');
        await closed;
      },
    );
  });

  it('a port that is taken is refused', async () => {
    await within(
      (_, response) => void response.end(),
      async (network, { port }) => {
        await expect(network.listen(createServer(), port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
      },
    );
  });

  it('holds up a writer whose reader does not read', async () => {
    let written = 0;
    const chunk = Buffer.alloc(1_000_000);
    await within(
      (_, response) => {
        const more = (): void => {
          written += 1;
          if (written < 40) response.write(chunk, more);
          else response.end();
        };
        more();
      },
      async (network, { url }) => {
        const answer = await open(network, url);
        for (let turn = 0; turn < 500; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        expect(written).toBeLessThan(40);
        expect((await textOf(answer)).length).toBe(39_000_000);
      },
    );
  });
});

it('E144: answers within the process have the date of their world', async () => {
  const { clock, network } = virtualWorld(7);
  await clock.play(async () => {
    const listener = await network.listen(createServer((_, response) => void response.end()));
    const { headers } = await open(network, listener.url);
    expect(headers.date).toBe(new Date(clock.nowMs()).toUTCString());
    await listener.close(true);
  });
});
