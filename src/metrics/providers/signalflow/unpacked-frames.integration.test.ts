import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { TooLongError } from '../../../outgoing/read-body.ts';
import { runSignalFlow } from './run-signalflow.ts';

const servers: WebSocketServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    for (const client of server.clients) client.terminate();
    server.close();
  }
});

const end = JSON.stringify({ type: 'control-message', event: 'END_OF_CHANNEL' });

/** Compressed JSON from SignalFlow of a kind that is ignored. */
function zipped(bytes: number): Buffer {
  const header = Buffer.alloc(20);
  header.writeUInt8(1, 0);
  header.writeUInt8(3, 2);
  return Buffer.concat([header, gzipSync(JSON.stringify({ type: 'metadata', pad: ' '.repeat(bytes) }))]);
}

async function run(frames: readonly (Buffer | string)[]) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  servers.push(server);
  server.on('connection', (socket) => {
    socket.once('message', () => {
      for (const frame of [...frames, end]) socket.send(frame);
    });
  });
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const url = new URL(`ws://127.0.0.1:${port}/`);
  const signal = AbortSignal.timeout(60_000);
  return runSignalFlow({ url, token: 't', program: 'p', startMs: 0, stopMs: 1, signal, transport: { timeoutMs: 60_000 } });
}

it('I15: compressed frames of Splunk count with their unpacked length', async () => {
  const frame = zipped(100_000);
  expect(frame.length).toBeLessThan(1_000);
  expect(await run([frame, frame])).toEqual({ series: [] });
  await expect(run(Array.from({ length: 20 }, () => frame))).rejects.toThrow(new TooLongError().message);
});

it('I15: very many short frames of Splunk are not all read', async () => {
  const short = JSON.stringify({ type: 'event' });
  expect(await run(Array.from({ length: 1_000 }, () => short))).toEqual({ series: [] });
  await expect(run(Array.from({ length: 20_000 }, () => short))).rejects.toThrow(new TooLongError().message);
});
