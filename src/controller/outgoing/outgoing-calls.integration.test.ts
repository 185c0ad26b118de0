import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { egressSettings } from '../../../test/fakes/egress.ts';
import { hookedCanary } from '../../../test/fakes/hooked-canary.ts';
import { canary, endMs } from '../../../test/fakes/measuring.ts';
import type { Canary, Metric } from '../../api/canary.ts';
import { measure } from '../../metrics/measure.ts';
import { egressPolicy } from '../../outgoing/egress-policy.ts';
import { openEgress } from '../../outgoing/own-egress.ts';
import { observerFor } from '../../routers/index.ts';
import { runHooks } from '../../webhooks/run-hooks.ts';
import { type CallKind, OutgoingCalls } from './outgoing-calls.ts';

const vector = '{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"1"]}]}}';
const stopping = new AbortController();
const servers: (() => void)[] = [];
afterEach(() => {
  for (const stop of servers.splice(0)) stop();
});

/** Requests under way, and their highest number at once. */
interface Served {
  address: string;
  open: Set<ServerResponse>;
  seen: IncomingMessage[];
}

async function served(answer: (response: ServerResponse) => void): Promise<Served> {
  const open = new Set<ServerResponse>();
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    open.add(response);
    response.once('close', () => open.delete(response));
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, open, seen };
}

const never = () => undefined;
const good = (response: ServerResponse) => void response.end(vector);

function outgoingCalls(resolve?: LookupFunction) {
  const clock = handClock();
  const egress = egressPolicy({ ...egressSettings, allowedAddresses: ['127.0.0.0/8'] });
  const calls = new OutgoingCalls({ clock, threads: 32, egress, ownEgress: openEgress, ...(resolve && { resolve }) });
  const figures = (kind: CallKind) => calls.figures().find((one) => one.kind === kind);
  /** Under way and waiting. */
  const asked = (kind: CallKind) => (figures(kind)?.running ?? 0) + (figures(kind)?.waiting ?? 0);
  return { clock, calls, figures, asked };
}

function measured(calls: OutgoingCalls, namespace: string, address: string, metrics = 1, signal = stopping.signal) {
  const all: Metric[] = Array.from({ length: metrics }, (_, nth) => ({
    name: `m-${nth}`,
    templateRef: { name: 't' },
    thresholdRange: { max: 1 },
  }));
  const own = canary(all);
  return measure({ ...own, metadata: { ...own.metadata, namespace } } as Canary, {
    ...{ metricsServer: address, observerFor, meshProvider: 'istio', secret: async () => undefined, nowMs: endMs, timeoutMs: 600_000 },
    template: async () => ({ spec: { provider: { type: 'prometheus', address }, query: 'q' } }),
    ...calls.queriesOf(namespace),
    signal,
  });
}

describe('I15: queries of a namespace whose backends never answer', () => {
  it('hold no more sockets than they have turns, and a neighbour is measured at once', async () => {
    const { calls, figures, asked } = outgoingCalls();
    const [tarpit, backend] = [await served(never), await served(good)];
    const over = new AbortController();
    const hostile = Array.from({ length: 20 }, () => measured(calls, 'hostile', tarpit.address, 60, over.signal));
    await expect.poll(() => asked('query')).toBe(1_200);
    await expect.poll(() => tarpit.open.size).toBe(figures('query')?.running);
    expect(tarpit.seen.length).toBeLessThanOrEqual(96);
    expect(await measured(calls, 'neighbour', backend.address)).toMatchObject([{ verdict: 'passed' }]);
    over.abort(new Error('superseded'));
    await Promise.all(hostile);
    expect([figures('query')?.running, figures('query')?.waiting]).toEqual([0, 0]);
  });

  it('that wait too long are unmeasured and say why, without a request', async () => {
    const { calls, clock, figures, asked } = outgoingCalls();
    const tarpit = await served(never);
    const over = new AbortController();
    const pending = measured(calls, 'hostile', tarpit.address, 100, over.signal);
    await expect.poll(() => asked('query')).toBe(100);
    const waiting = figures('query')?.waiting ?? 0;
    expect(waiting).toBeGreaterThan(0);
    await expect.poll(() => tarpit.seen.length).toBe(100 - waiting);
    clock.advance(30_000);
    await expect.poll(() => figures('query')?.refused).toBe(waiting);
    over.abort(new Error('superseded'));
    const verdicts = await pending;
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(Array.from({ length: 100 }, () => 'unmeasured'));
    expect(verdicts.at(-1)?.reason).toContain(`the query was not sent: this namespace has ${100 - waiting} calls under way`);
    expect(tarpit.seen.length).toBe(100 - waiting);
  });
});

describe('I15: answers', () => {
  const block = 'x'.repeat(128 * 1024);

  it('that become large are read four at a time of a namespace, and a large one of a neighbour is read beside them', async () => {
    const { calls, figures, asked } = outgoingCalls();
    const dripping = await served((response) => void response.write(block));
    const backend = await served((response) => void response.end(`${vector}${' '.repeat(500_000)}`));
    const over = new AbortController();
    const hostile = measured(calls, 'hostile', dripping.address, 60, over.signal);
    await expect.poll(() => figures('large_answer')).toMatchObject({ running: 4, waiting: 56 });
    expect(await measured(calls, 'neighbour', backend.address, 6)).toMatchObject(Array.from({ length: 6 }, () => ({ verdict: 'passed' })));
    over.abort(new Error('superseded'));
    await hostile;
    await expect.poll(() => asked('large_answer')).toBe(0);
  });

  it('are cut off at 1 MiB while they are unpacked, and not read on', async () => {
    const { calls } = outgoingCalls();
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const zipped = await served((response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.write(bomb);
    });
    const [verdict] = await measured(calls, 'hostile', zipped.address);
    expect(verdict).toMatchObject({ verdict: 'unmeasured', reason: expect.stringContaining('longer than 1 MiB') });
    await expect.poll(() => zipped.open.size).toBe(0);
  });

  it('leave no socket open behind them', async () => {
    const { calls } = outgoingCalls();
    const backend = await served(good);
    await measured(calls, 'hostile', backend.address, 10);
    expect(backend.seen.map(({ headers }) => headers.connection)).toEqual(Array.from({ length: 10 }, () => 'close'));
  });
});

it('I15: look-ups of names that no resolver answers take few threads, and those of a neighbour go on', async () => {
  let hanging = 0;
  const backend = await served(good);
  const resolve: LookupFunction = (name, _, callback) => {
    if (name === 'slow.invalid') hanging += 1;
    else callback(null, [{ address: '127.0.0.1', family: 4 }]);
  };
  const { calls, figures } = outgoingCalls(resolve);
  const over = new AbortController();
  const hostile = measured(calls, 'hostile', 'http://slow.invalid', 60, over.signal);
  await expect.poll(() => figures('lookup')).toMatchObject({ running: 4, waiting: 56 });
  expect(hanging).toBe(4);
  const named = backend.address.replace('127.0.0.1', 'quick.invalid');
  expect(await measured(calls, 'neighbour', named)).toMatchObject([{ verdict: 'passed' }]);
  over.abort(new Error('superseded'));
  await hostile;
  // Their threads are still taken.
  expect(figures('lookup')?.running).toBe(4);
});

it('I15: a name that was found before is called while look-ups of 200 namespaces take all threads', async () => {
  const backend = await served(good);
  const resolve: LookupFunction = (name, _, callback) => {
    if (name === 'quick.invalid') callback(null, [{ address: '127.0.0.1', family: 4 }]);
  };
  const { calls, clock, figures } = outgoingCalls(resolve);
  const named = backend.address.replace('127.0.0.1', 'quick.invalid');
  expect(await measured(calls, 'neighbour', named)).toMatchObject([{ verdict: 'passed' }]);
  const over = new AbortController();
  const hostile = Array.from({ length: 200 }, (_, nth) => measured(calls, `hostile-${nth}`, 'http://slow.invalid', 4, over.signal));
  await expect.poll(() => figures('lookup')).toMatchObject({ running: 30, waiting: 770 });
  const again = measured(calls, 'neighbour', named);
  await expect.poll(() => figures('lookup')?.waiting).toBe(771);
  clock.advance(1_000);
  expect(await again).toMatchObject([{ verdict: 'passed' }]);
  over.abort(new Error('superseded'));
  await Promise.all(hostile);
});

it('I15: gates of 200 namespaces that never answer leave those of a neighbour on time', async () => {
  const { calls, figures } = outgoingCalls();
  const over = new AbortController();
  const held = (namespace: string) => calls.messagesOf(namespace).turns.run(() => new Promise(never), over.signal);
  for (let nth = 0; nth < 200; nth += 1) for (let gate = 0; gate < 16; gate += 1) held(`hostile-${nth}`).catch(never);
  expect(figures('message')?.waiting).toBeGreaterThan(500);
  const answered = Array.from({ length: 20 }, () => calls.messagesOf('neighbour').turns.run(async () => 'ok', stopping.signal));
  expect(await Promise.all(answered)).toEqual(Array.from({ length: 20 }, () => 'ok'));
  over.abort(new Error('superseded'));
});

it('I15: gates of a namespace that never answer leave those of a neighbour on time', async () => {
  const { calls, figures, asked } = outgoingCalls();
  const [tarpit, gate] = [await served(never), await served((response) => void response.end('ok'))];
  const over = new AbortController();
  const ask = (namespace: string, url: string, signal: AbortSignal) => {
    const hooked = hookedCanary([{ name: 'gate', type: 'confirm-rollout', url, timeout: '60m' }]);
    const own = { ...hooked, metadata: { ...hooked.metadata, namespace } };
    return runHooks(own, 'confirm-rollout', { key: 'k', phase: 'Progressing', checksum: '', signal, ...calls.gatesOf(namespace) });
  };
  const hostile = Array.from({ length: 400 }, () => ask('hostile', tarpit.address, over.signal).catch((error: unknown) => error));
  await expect.poll(() => asked('gate')).toBe(400);
  await expect.poll(() => tarpit.open.size).toBe(figures('gate')?.running);
  expect(tarpit.seen.length).toBeLessThanOrEqual(192);
  expect(await ask('neighbour', gate.address, stopping.signal)).toMatchObject({ outcome: 'passed' });
  over.abort(new Error('superseded'));
  expect(new Set(await Promise.all(hostile))).toEqual(new Set([over.signal.reason]));
});

it('a gate does not wait for the load tests of its own namespace', async () => {
  const { calls, figures } = outgoingCalls();
  const [slow, gate] = [await served(never), await served((response) => void response.end('ok'))];
  const over = new AbortController();
  const about = { key: 'k', phase: 'Progressing' as const, checksum: '' };
  const loads = hookedCanary([{ name: 'load', type: 'rollout', url: slow.address, timeout: '60m' }]);
  const all = Array.from({ length: 400 }, () =>
    runHooks(loads, 'rollout', { ...about, signal: over.signal, ...calls.messagesOf('shop') }).catch((error: unknown) => error),
  );
  await expect.poll(() => figures('message')?.waiting).toBeGreaterThan(0);
  const stop = hookedCanary([{ name: 'stop', type: 'rollback', url: gate.address }]);
  expect(await runHooks(stop, 'rollback', { ...about, signal: stopping.signal, ...calls.gatesOf('shop') })).toMatchObject({
    outcome: 'passed',
  });
  over.abort(new Error('superseded'));
  await Promise.all(all);
});
