import { once } from 'node:events';
import { Agent, createServer, get, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { startFakePrometheus } from './bench/at-once/fake-prometheus.ts';
import { startFaultProxy } from './bench/at-once/fault-proxy.ts';
import { startClients } from './bench/users/clients.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('users of the bench', () => {
  it('a request has failed when its answer is from 500 on or when no application answers, and the reason names the version', async () => {
    let count = 0;
    const url = await serve((request, response) => {
      count += 1;
      if (request.headers.host === 'shut.bench') return void response.socket?.destroy();
      if (request.headers.host === 'refused.bench') return void response.writeHead(503, { 'x-serin-proxy-error': 'no endpoint' }).end();
      response.writeHead(request.headers.host === 'bad.bench' ? 500 : 404, { 'x-serin-version': '7' }).end();
    });
    const clients = startClients(url, ['good.bench', 'bad.bench', 'refused.bench', 'shut.bench']);
    await expect.poll(() => count).toBeGreaterThan(20);
    const [good, bad, refused, shut] = await clients.stop();
    expect(good).toEqual({ sent: good?.sent, answers: { 7: good?.sent }, failed: {} });
    expect(bad).toEqual({ sent: bad?.sent, answers: {}, failed: { '500 of 7': bad?.sent } });
    expect(refused).toEqual({ sent: refused?.sent, answers: {}, failed: { 'no endpoint': refused?.sent } });
    expect(shut?.answers).toEqual({});
    expect(Object.values(shut?.failed ?? {}).reduce((sum, failed) => sum + failed, 0)).toBe(shut?.sent);
  });

  it('each application gets as many requests as another, one in five of an insider', async () => {
    const seen: Record<string, { all: number; insiders: number }> = {};
    let count = 0;
    const url = await serve(({ headers: { host = '', 'x-user': user } }, response) => {
      count += 1;
      seen[host] ??= { all: 0, insiders: 0 };
      seen[host].all += 1;
      if (user === 'insider') seen[host].insiders += 1;
      response.writeHead(200, { 'x-serin-version': '1' }).end();
    });
    const clients = startClients(url, ['a.bench', 'b.bench']);
    await expect.poll(() => count).toBeGreaterThan(30);
    const asked = await clients.stop();
    expect(Math.abs((asked[0]?.sent ?? 0) - (asked[1]?.sent ?? 0))).toBeLessThanOrEqual(1);
    for (const { all, insiders } of Object.values(seen)) expect(insiders).toBe(Math.ceil(all / 5));
  });
});

describe('faults of the bench', () => {
  it('an API server that is throttled to a tenth answers one of ten requests, and each of watches and leases', async () => {
    const proxy = await startFaultProxy(await serve((_, response) => void response.end('{}')));
    const statusOf = async (path: string) => (await fetch(`${proxy.url}${path}`)).status;
    const statuses = (path: string) => Promise.all(Array.from({ length: 20 }, () => statusOf(path)));
    proxy.set('tenth');
    const read = await statuses('/api/v1/services');
    expect(read.filter((status) => status === 200)).toHaveLength(2);
    expect(read.filter((status) => status === 429)).toHaveLength(18);
    expect(proxy.refused()).toBe(18);
    expect(new Set(await statuses('/apis/coordination.k8s.io/v1/namespaces/a/leases/b'))).toEqual(new Set([200]));
    expect(new Set(await statuses('/api/v1/services?watch=true'))).toEqual(new Set([200]));
    proxy.set(undefined);
    expect(new Set(await statuses('/api/v1/services'))).toEqual(new Set([200]));
    await proxy.stop();
  });

  it('a client of Go, which sends no token over plain HTTP, has its own token at the API server', async () => {
    const proxy = await startFaultProxy(await serve(({ headers }, response) => void response.end(headers.authorization)), 'secret');
    expect(await fetch(proxy.url).then((answer) => answer.text())).toBe('Bearer secret');
    await proxy.stop();
  });

  it('a Prometheus that is down takes no connection, also a kept one, and answers again afterwards', async () => {
    const prometheus = await startFakePrometheus();
    const kept = new Agent({ keepAlive: true, maxSockets: 1 });
    const answered = () =>
      new Promise<string>((resolve) => {
        const call = get(`${prometheus.url}/api/v1/query?query=up`, { agent: kept }, (answer) => {
          const by = call.reusedSocket ? 'a kept connection' : 'a new connection';
          answer.resume().once('end', () => setImmediate(resolve, by));
        });
        call.once('error', () => resolve('not'));
      });
    expect(await answered()).toBe('a new connection');
    expect(await answered()).toBe('a kept connection');
    prometheus.setDown(true);
    expect(await answered()).toBe('not');
    prometheus.setDown(false);
    expect(await answered()).toBe('a new connection');
    kept.destroy();
    await prometheus.stop();
  });
});
