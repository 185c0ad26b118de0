import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { callers, egressSettings, outgoing } from '../../../test/fakes/egress.ts';
import { sendRequest } from '../../metrics/http/send-request.ts';

const egress = outgoing({ ...egressSettings, allowedAddresses: ['127.0.0.1'] });
const signal = AbortSignal.timeout(60_000);
const servers: (() => void)[] = [];
afterEach(() => {
  for (const stop of servers.splice(0)) stop();
});

/** Writes this for each connection, and leaves it open. */
async function writing(text: string): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write(text));
  }).listen(0, '127.0.0.1');
  servers.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

it.each(callers)('I15: %s end where more interim answers come than a server needs', async (_, call) => {
  const address = await writing('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_001));
  expect(await call(address, egress)).toMatch(/EPIECES|1000 interim answers/);
});

it.each(callers)('I15: %s wait for the answer that follows some interim ones', async (_, call) => {
  const address = await writing(`${'HTTP/1.1 102 Processing\r\n\r\n'.repeat(900)}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}`);
  expect(await call(address, egress)).toMatch(/^200/);
});

const asked = async (pieces: number) => {
  const url = new URL(await writing(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(pieces)}0\r\n\r\n`));
  return sendRequest({ url }, { who: 'X', timeoutMs: 60_000, secrets: [], signal, egress });
};

it('I15: an answer in very many pieces is not read to its end, however short it is', async () => {
  expect(await asked(16_385)).toEqual({ kind: 'error', reason: expect.stringContaining('16384 pieces') });
});

it('I15: an answer in many pieces is read', async () => {
  expect(await asked(10_000)).toEqual({ status: 200, body: 'x'.repeat(10_000) });
});
