import { once } from 'node:events';
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { handClock } from '../../test/fakes/clock.ts';
import { type HealthServerOptions, startHealthServer } from './http-server.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of open.splice(0)) await stop();
});

interface State {
  unlive?: string;
  unready?: string;
  metrics?: () => Promise<string>;
  limits?: HealthServerOptions['limits'];
  clock?: HealthServerOptions['clock'];
}

async function served(state: State = {}) {
  const { ask } = await servedAt(state);
  return ask;
}

async function servedAt(state: State = {}) {
  const server = await startHealthServer({
    port: 0,
    host: '127.0.0.1',
    metrics: async () => ({ contentType: 'text/plain; version=0.0.4', text: (await state.metrics?.()) ?? 'up 1\n' }),
    unlive: () => state.unlive,
    unready: () => state.unready,
    ...(state.limits && { limits: state.limits }),
    ...(state.clock && { clock: state.clock }),
  });
  open.push(server.stop);
  const { port } = server;
  return {
    port,
    ask: async (path: string, method = 'GET') => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method });
      return { status: answer.status, text: await answer.text() };
    },
  };
}

describe('probes and scrapes', () => {
  it('D2: a process that is well says OK under the three names of health', async () => {
    const ask = await served();
    for (const path of ['/livez', '/readyz', '/healthz']) expect(await ask(path)).toEqual({ status: 200, text: 'OK' });
    expect(await ask('/healthz?verbose')).toEqual({ status: 200, text: 'OK' });
    expect((await ask('/metrics')).text).toBe('up 1\n');
  });

  it('a process that is not ready says why, and is not restarted for that', async () => {
    const ask = await served({ unready: 'the watch of Canary has been silent for 301 s' });
    expect(await ask('/readyz')).toEqual({ status: 503, text: 'the watch of Canary has been silent for 301 s\n' });
    expect((await ask('/livez')).status).toBe(200);
  });

  it("a process that has to restart says why, under Flagger's name as well", async () => {
    const ask = await served({ unlive: 'it hangs' });
    for (const path of ['/livez', '/healthz']) expect(await ask(path)).toEqual({ status: 503, text: 'it hangs\n' });
  });

  it('other paths and methods are refused, and a scrape that fails says so', async () => {
    const ask = await served({ metrics: () => Promise.reject(new Error('no numbers')) });
    expect((await ask('/debug')).status).toBe(404);
    expect((await ask('/livez', 'POST')).status).toBe(405);
    expect(await ask('/metrics')).toEqual({ status: 500, text: 'Error: no numbers\n' });
  });
});

describe('I15: clients that hold their connections', () => {
  const clients: Socket[] = [];
  afterEach(() => {
    for (const client of clients.splice(0)) client.destroy();
  });

  /** Sends this text and nothing else. */
  async function client(port: number, said = '', localAddress = '127.0.0.1'): Promise<Socket> {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    clients.push(socket);
    socket.on('error', () => undefined).resume();
    await once(socket, 'connect');
    socket.write(said);
    return socket;
  }

  /** Eight connections, and long deadlines: a connection must not end for the wrong reason. */
  const EIGHT = { limits: { connections: 8, headersMs: 600_000, requestMs: 600_000 } };
  const held = () => clients.filter((socket) => !socket.closed).length;

  it.each([
    ['say nothing', ''],
    ['never end their headers', 'GET /livez HTTP/1.1\r\nhost: x\r\n'],
    ['never end their request', 'POST /livez HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n'],
    ['ask, and stay', 'GET /livez HTTP/1.1\r\nhost: x\r\n\r\n'],
  ])('and %s take at most the limit, and every new one is answered', async (_, said) => {
    const { port, ask } = await servedAt(EIGHT);
    for (let nth = 0; nth < 40; nth += 1) await client(port, said);
    await expect.poll(held).toBeLessThanOrEqual(8);
    expect((await ask('/livez')).status).toBe(200);
  });

  it('keep no other address out, however many they open: its connection stays', async () => {
    const { port } = await servedAt(EIGHT);
    const kubelet = await client(port, '', '127.0.0.2');
    for (let nth = 0; nth < 40; nth += 1) await client(port);
    await expect.poll(held).toBeLessThanOrEqual(8);
    const answered = once(kubelet, 'data');
    kubelet.write('GET /livez HTTP/1.1\r\nhost: x\r\n\r\n');
    expect(String(await answered)).toContain('200 OK');
  });

  it('lose them when their headers do not end in time', async () => {
    const { port } = await servedAt({ limits: { headersMs: 20 } });
    const slow = await client(port, 'GET /livez HTTP/1.1\r\n');
    await expect.poll(() => slow.closed).toBe(true);
  });

  it('lose them when they do not read their answer in time', async () => {
    const text = 'x'.repeat(32 * 1024 * 1024);
    const clock = handClock();
    const { port } = await servedAt({ metrics: async () => text, clock });
    const slow = await client(port, 'GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n');
    slow.pause();
    await expect.poll(() => slow.bytesRead).toBeGreaterThan(0);
    clock.advance(10_000);
    slow.resume();
    await expect.poll(() => slow.closed).toBe(true);
    expect(slow.bytesRead).toBeLessThan(text.length);
  });

  it('are refused with headers beyond the limit', async () => {
    const { port } = await servedAt();
    const headers = { long: 'x'.repeat(10_000) };
    const [response] = await once(get({ port, host: '127.0.0.1', path: '/livez', headers }), 'response');
    response.resume();
    expect(response.statusCode).toBe(431);
  });

  it('and request metrics together share one rendering, and a failed rendering is not kept', async () => {
    let renders = 0;
    const rendered = Promise.withResolvers<string>();
    const metrics = () => {
      renders += 1;
      return renders === 1 ? rendered.promise : Promise.resolve('up 2\n');
    };
    const { ask } = await servedAt({ metrics, clock: handClock() });
    const first = ask('/metrics');
    await expect.poll(() => renders).toBe(1);
    const others = Array.from({ length: 20 }, () => ask('/metrics'));
    rendered.reject(new Error('no numbers'));
    expect((await first).status).toBe(500);
    await Promise.all(others);
    expect(renders).toBeLessThanOrEqual(2);
    expect((await ask('/metrics')).text).toBe('up 2\n');
  });
});
