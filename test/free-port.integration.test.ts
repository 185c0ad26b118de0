import { connect, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { freePort } from './e2e/free-port.ts';

it('a free port stays free until its program starts: no connection and no other server is given it', async () => {
  const ports = await Promise.all(Array.from({ length: 60 }, freePort));
  expect(new Set(ports).size).toBe(60);

  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const client = connect(address.port, '127.0.0.1');
  await new Promise<void>((resolve) => client.once('connect', resolve));
  const givenOut = [address.port, client.localPort ?? 0];
  client.destroy();
  server.close();

  expect(Math.max(...ports)).toBeLessThan(Math.min(...givenOut, 32_768));
});
