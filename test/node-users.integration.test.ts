import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { startUsers } from './node/users.ts';

let server: Server;
afterEach(() => void server.closeAllConnections());

/** Answers each request of a connection, by its number there, and says when one more was answered. */
async function serve(answer: (response: ServerResponse, ofConnection: number, connection: string) => void): Promise<string> {
  const counts = new WeakMap<object, number>();
  server = createServer((request, response) => {
    const count = (counts.get(request.socket) ?? 0) + 1;
    counts.set(request.socket, count);
    answer(response, count, request.headers.connection ?? '');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

it('a request is sent again where a kept connection is closed before any of its answer, as clients of HTTP do', async () => {
  const url = await serve((response, count) => {
    if (count === 1) response.end('one');
    else response.socket?.destroy();
  });
  const users = startUsers(url, (text) => text);
  await expect.poll(() => users.asked.resent).toBeGreaterThan(0);
  const { lost, answers, sent } = await users.stop();
  expect(lost).toEqual([]);
  expect(answers.get('one')).toBe(sent);
  server.close();
});

it('a request is lost where its connection is refused, and no entry of the kernel has led it there; the line says from which port, and after how long', async () => {
  const url = await serve((response) => void response.end('one'));
  server.close();
  const users = startUsers(url, (text) => text);
  await expect.poll(() => users.asked.lost.length).toBeGreaterThan(2);
  const { lost, misled } = await users.stop();
  expect(misled).toEqual([]);
  const ports = lost.map((line) => / ECONNREFUSED \S+ from port (\d+) \(after \d+ ms\)$/.exec(line)?.[1]);
  expect(ports).not.toContain('0');
  expect(new Set(ports).size).toBe(lost.length);
});

it('a lost request counts at the time when it was sent, and not at its late end', async () => {
  const arrivedMs: number[] = [];
  const held: (() => void)[] = [];
  const url = await serve((response) => {
    arrivedMs.push(Date.now());
    held.push(() => void response.writeHead(500).end());
  });
  const users = startUsers(url, (text) => text);
  await expect.poll(() => held.length).toBeGreaterThan(2);
  const endMs = Date.now();
  for (const release of held) release();
  await expect.poll(() => users.asked.lost.length).toBeGreaterThan(2);
  server.close();
  server.closeAllConnections();
  const { lost } = await users.stop();
  const [, at = '', after] = /^(\S+) \w+: status 500 \(after (\d+) ms\)$/.exec(lost.toSorted()[0] ?? '') ?? [];
  expect(Date.parse(at)).toBeLessThanOrEqual(arrivedMs[0] ?? 0);
  expect(Date.parse(at) + Number(after)).toBeGreaterThanOrEqual(endMs);
});

it('a request is lost where a new connection is closed before any of its answer, or a kept one within it', async () => {
  const url = await serve((response, count, connection) => {
    if (count === 1 && connection === 'keep-alive') return void response.end('one');
    if (connection === 'keep-alive') response.write('half of', () => response.socket?.destroy());
    else response.socket?.destroy();
  });
  const users = startUsers(url, (text) => text);
  await expect.poll(() => new Set(users.asked.lost.map((line) => line.split(' ')[1]))).toEqual(new Set(['new:', 'kept:']));
  expect((await users.stop()).resent).toBe(0);
  server.close();
});
