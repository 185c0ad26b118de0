import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { sourceOf } from '../../../test/contracts/metric-backends/backend-case.ts';
import { frameOf, splunk as known } from '../../../test/contracts/metric-backends/splunk.ts';
import { readFrame } from './signalflow/data-frame.ts';
import { splunk, splunkUrls } from './splunk.ts';

it.each([
  ['https://api.eu0.signalfx.com'],
  ['https://stream.eu0.signalfx.com'],
  ['wss://stream.eu0.signalfx.com'],
  ['wss://stream.eu0.signalfx.com/'],
])('%s gives the addresses of both of its hosts', (address) => {
  const urls = splunkUrls(address);
  expect(urls?.stream.href).toBe('wss://stream.eu0.signalfx.com/v2/signalflow/connect');
  expect(urls?.probe.href).toBe('https://api.eu0.signalfx.com/v2/metric?limit=1');
});

it.each(['ftp://api.example.org', 'api.example.org:443', 'no url'])('an address that is %s is refused', (address) => {
  expect(splunk(sourceOf(known, 'splunk', address))).toMatchObject({
    problem: expect.stringContaining('must be an http, https, ws or wss URL'),
    placed: { field: 'spec.provider.address' },
  });
});

it('a template can choose among several series', async () => {
  const fake = await known.start();
  fake.answersWith('severalSeries');
  const made = splunk(sourceOf(known, 'splunk', fake.address, { reduce: 'max' }));
  if ('problem' in made) throw new Error(made.problem);
  expect(await made.runQuery(known.query, new AbortController().signal)).toEqual({ kind: 'value', value: 4 });
  await fake.stop();
});

it.each([
  ['answered', { says: '{"type":"control-message","event":"END_OF_CHANNEL"}', reason: /found no series/ }],
  ['refused', { says: '{"type":"error","error":400}', reason: /400/ }],
  ['not answered in time', { timeoutMs: 50, reason: /within 50 ms/ }],
  ['cancelled', { cancel: true, reason: /cancelled/ }],
])('no socket is left open after a query that was %s', async (_, { says, reason, timeoutMs = 600_000, cancel = false }: Ended) => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const cancelling = new AbortController();
  server.on('connection', (socket) => {
    socket.once('message', () => {
      if (says !== undefined) socket.send(says);
      if (cancel) cancelling.abort();
    });
  });
  const { port } = server.address() as AddressInfo;
  const made = splunk({ ...sourceOf(known, 'splunk', `http://127.0.0.1:${port}`), timeoutMs });
  if ('problem' in made) throw new Error(made.problem);
  expect(await made.runQuery(known.query, cancelling.signal)).toMatchObject({
    kind: says?.includes('END') ? 'noData' : 'error',
    reason: expect.stringMatching(reason),
  });
  // First no other socket can be opened, not even by a connection that was made after the time limit; then the last one is closed.
  await new Promise((resolve) => server.close(resolve));
  await expect.poll(() => server.clients.size).toBe(0);
});

interface Ended {
  says?: string;
  reason: RegExp;
  timeoutMs?: number;
  cancel?: boolean;
}

describe('a frame of data', () => {
  const valuesOf = (frame: Buffer) => {
    const read = readFrame(frame);
    return read && 'values' in read ? [...read.values.values()] : undefined;
  };

  it('contains doubles, long and short integers, and points without a value, big-endian', () => {
    const values = [7.25, -3_000_000_000, -12, null];
    const frame = { 1: 7.25, 2: { long: -3_000_000_000n }, 3: { int: -12 }, 4: null };
    expect(valuesOf(frameOf(frame))).toEqual(values);
    expect(valuesOf(frameOf(frame, { zip: true }))).toEqual(values);
  });

  it('distinguishes series whose identities differ only in 64 bits', () => {
    const frame = frameOf({ 1: 1, 2: 2 });
    frame.writeBigUInt64BE(0xffff_ffff_ffff_fffen, 20 + 12 + 1);
    frame.writeBigUInt64BE(0xffff_ffff_ffff_ffffn, 20 + 12 + 17 + 1);
    expect(valuesOf(frame)).toEqual([1, 2]);
  });

  it.each([
    ['a header that is cut off', Buffer.alloc(5), /cut off/],
    ['fewer tuples than it says', frameOf({ 1: 7 }).subarray(0, 40), /cut off/],
    ['another version', Buffer.from([2, 5, ...Buffer.alloc(40)]), /version 2/],
    ['broken compression', Buffer.from([1, 5, 1, 0, ...Buffer.alloc(40)]), /broken/],
  ])('with %s is an error', (_, frame, words) => {
    expect(() => readFrame(frame)).toThrow(words);
  });

  it('that would grow beyond 1 MiB when it is unpacked is an error', () => {
    const bomb = frameOf(Object.fromEntries(Array.from({ length: 400_000 }, (_, id) => [id, 0])), { zip: true });
    expect(bomb.length).toBeLessThan(2_000_000);
    expect(() => readFrame(bomb)).toThrow(/longer than 1 MiB/);
  });

  it('of another kind is ignored, and JSON in a frame is read as text', () => {
    expect(readFrame(Buffer.from([1, 9, 0, 0, ...Buffer.alloc(16)]))).toBeUndefined();
    expect(readFrame(Buffer.concat([Buffer.from([1, 6, 2, 0]), Buffer.alloc(16), Buffer.from('{}')]))).toEqual({ text: '{}' });
  });
});
