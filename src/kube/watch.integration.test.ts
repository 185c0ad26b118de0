import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { handClock } from '../../test/fakes/clock.ts';
import { type Answering, type KubeServer, kubeServer, refuse, sendJson } from '../../test/fakes/kube-server.ts';
import type { Clock } from '../base/clock.ts';
import type { WatchHandle } from './cluster.ts';
import { connectionTo } from './connect.ts';
import { createCluster } from './create-cluster.ts';
import { createJsonLines } from './json-lines.ts';
import type { WatchSettings } from './watch.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

const fast: Partial<WatchSettings> = { backOffMs: { from: 5, to: 20 }, unavailableMs: { from: 10, to: 20 } };

/** Lists are answered with version 10 unless the test does; `streams` are the watches opened so far. */
async function given(
  onStream: (response: ServerResponse, nth: number) => void,
  options: { settings?: Partial<WatchSettings>; onList?: Answering; metadataOnly?: boolean; clock?: Clock } = {},
): Promise<{ reported: string[]; lists: () => number; versions: () => (string | null)[]; server: KubeServer; watch: WatchHandle }> {
  let streams = 0;
  const server = await kubeServer((call, response) => {
    if (call.query.get('watch') === 'true') {
      response.writeHead(200);
      response.flushHeaders();
      streams += 1;
      onStream(response, streams);
    } else if (options.onList !== undefined) options.onList(call, response);
    else sendJson(response, 200, { metadata: { resourceVersion: '10' }, items: [{ metadata: { name: 'a', resourceVersion: '9' } }] });
  });
  const { settings, clock } = options;
  const cluster = createCluster(connectionTo(server.url), { watch: { ...fast, ...settings }, random: () => 0, ...(clock && { clock }) });
  open.push(
    () => cluster.close(),
    () => server.close(),
  );
  const reported: string[] = [];
  const watch = cluster.watch(
    { apiVersion: 'v1', kind: 'ConfigMap' },
    {
      onList: (items) => reported.push(`list ${items.map(({ metadata }) => metadata.name)}`),
      onEvent: ({ type, object }) => reported.push(`${type} ${object.kind} ${object.metadata.name}`),
      onUnavailable: (cause) => reported.push(cause),
    },
    { metadataOnly: options.metadataOnly ?? false },
  );
  const watches = () => server.calls.filter(({ query }) => query.get('watch') === 'true');
  return {
    reported,
    server,
    watch,
    lists: () => server.calls.filter(({ query }) => query.has('limit')).length,
    versions: () => watches().map(({ query }) => query.get('resourceVersion')),
  };
}

const line = (type: string, name: string, resourceVersion: string): string =>
  `${JSON.stringify({ type, object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, resourceVersion } } })}\n`;

describe('a watch', () => {
  it('lists, reports the events that follow, and requests bookmarks', async () => {
    const { reported, watch, server } = await given(
      (response) => void response.write(line('ADDED', 'b', '11') + line('DELETED', 'a', '12')),
    );
    await watch.synced;
    await expect.poll(() => reported).toEqual(['list a', 'ADDED ConfigMap b', 'DELETED ConfigMap a']);
    const query = server.calls.at(-1)?.query;
    expect([query?.get('allowWatchBookmarks'), query?.get('timeoutSeconds'), query?.get('resourceVersion')]).toEqual(['true', '300', '10']);
    expect(watch.restarts).toBe(0);
  });

  it('that keeps a part of each item lists managers with no fields but that of the spec; events, other lists and reads are whole', async () => {
    const entry = { manager: 'kubectl', operation: 'Update', time: '2026-01-01T00:00:00Z' };
    const managedFields = [
      { ...entry, fieldsV1: { 'f:spec': { 'f:ports': {} } } },
      { ...entry, fieldsV1: { 'f:metadata': { 'f:labels': {} } } },
    ];
    const item = { metadata: { name: 'a', resourceVersion: '9', managedFields } };
    const object = { ...item, kind: 'ConfigMap', apiVersion: 'v1' };
    const server = await kubeServer(({ query, path }, response) => {
      if (query.get('watch') === 'true') response.writeHead(200).write(`${JSON.stringify({ type: 'MODIFIED', object })}\n`);
      else if (path.endsWith('/a')) sendJson(response, 200, object);
      else sendJson(response, 200, { metadata: { resourceVersion: '10' }, items: [item] });
    });
    const cluster = createCluster(connectionTo(server.url), { watch: fast });
    open.push(
      () => cluster.close(),
      () => server.close(),
    );
    const kind = { apiVersion: 'v1', kind: 'ConfigMap' };
    const seen: unknown[] = [];
    const events: unknown[] = [];
    cluster.watch(kind, {
      slim: (each) => {
        seen.push(each.metadata.managedFields);
        return each;
      },
      onList: () => undefined,
      onEvent: (event) => events.push(event.object.metadata.managedFields),
    });
    await expect.poll(() => events).toEqual([managedFields]);
    expect(seen).toEqual([
      [
        { ...entry, fieldsV1: { 'f:spec': {} } },
        { ...entry, fieldsV1: {} },
      ],
    ]);
    const { items } = await cluster.list(kind);
    const read = await cluster.get({ ...kind, name: 'a' });
    expect([items[0]?.metadata.managedFields, read?.metadata.managedFields]).toEqual([managedFields, managedFields]);
  });

  it('that is stopped by its list opens no stream, which would never end', async () => {
    const server = await kubeServer((call, response) => {
      if (call.query.get('watch') === 'true') response.writeHead(200).flushHeaders();
      else sendJson(response, 200, { metadata: { resourceVersion: '10' }, items: [] });
    });
    const cluster = createCluster(connectionTo(server.url), { watch: fast });
    open.push(
      () => cluster.close(),
      () => server.close(),
    );
    const noEvents = { onEvent: () => undefined };
    const first = cluster.watch({ apiVersion: 'v1', kind: 'ConfigMap' }, { ...noEvents, onList: () => first.stop() });
    await first.synced;
    cluster.watch({ apiVersion: 'v1', kind: 'Pod' }, { ...noEvents, onList: () => undefined });
    const streams = () => server.calls.filter(({ query }) => query.get('watch') === 'true').map(({ path }) => path);
    await expect.poll(streams).toContain('/api/v1/pods');
    expect(streams()).toEqual(['/api/v1/pods']);
  });

  it('reopens an ended stream from its last event or bookmark, without a list', async () => {
    const { versions, lists, reported, watch } = await given((response, nth) => {
      if (nth === 1) response.end(line('MODIFIED', 'a', '15'));
      else if (nth === 2) response.end(line('BOOKMARK', '', '20'));
    });
    await expect.poll(versions).toEqual(['10', '15', '20']);
    expect(lists()).toBe(1);
    expect(reported).toEqual(['list a', 'MODIFIED ConfigMap a']);
    expect(watch.restarts).toBe(2);
  });

  it('reopens a silent stream from its last version, without a list', async () => {
    const clock = handClock();
    const { reported, versions, lists, watch } = await given(
      (response) => void response.write(line('BOOKMARK', '', '25') + line('MODIFIED', 'a', '30')),
      { settings: { silentMs: 60_000 }, clock },
    );
    await expect.poll(() => reported).toHaveLength(2);
    clock.advance(59_999);
    expect(watch.ageMs()).toBe(59_999);
    clock.advance(1);
    await expect.poll(() => reported).toHaveLength(3);
    expect(watch.ageMs()).toBe(0);
    clock.advance(60_000);
    await expect.poll(versions).toEqual(['10', '30', '30']);
    expect(lists()).toBe(1);
  });

  it('that is never dead for silence requests no bookmarks', async () => {
    const { watch, server } = await given(() => undefined, { settings: { silentMs: undefined } });
    await watch.synced;
    await expect.poll(() => server.calls.at(-1)?.query.get('watch')).toBe('true');
    expect(server.calls.at(-1)?.query.has('allowWatchBookmarks')).toBe(false);
  });

  it('lists again when its version is gone', async () => {
    const gone = `${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' } })}\n`;
    const { reported, lists } = await given((response, nth) => void (nth === 1 && response.end(gone)));
    await expect.poll(() => reported).toEqual(['list a', 'list a']);
    expect(lists()).toBe(2);
  });

  it('backs off after an error and goes on', async () => {
    let calls = 0;
    const { reported } = await given(() => {}, {
      onList(_, response) {
        calls += 1;
        if (calls < 3) refuse(response, 500, 'InternalError');
        else sendJson(response, 200, { metadata: { resourceVersion: '10' }, items: [] });
      },
    });
    await expect.poll(() => reported).toEqual(['list ']);
    expect(calls).toBe(3);
  });

  it.each([
    { status: 403, reason: 'Forbidden', cause: 'forbidden' },
    { status: 404, reason: 'NotFound', cause: 'absent' },
  ])('says $cause on a $status and finds the kind once it exists', async ({ status, reason, cause }) => {
    let calls = 0;
    const { reported } = await given(() => {}, {
      onList(_, response) {
        calls += 1;
        if (calls < 3) refuse(response, status, reason);
        else sendJson(response, 200, { metadata: { resourceVersion: '10' }, items: [] });
      },
    });
    await expect.poll(() => reported).toEqual([cause, cause, 'list ']);
  });

  it('says that the connection is lost, and when it goes on', async () => {
    const said: string[] = [];
    let isDown = true;
    const server = await kubeServer((call, response) => {
      if (isDown) refuse(response, 503, 'ServiceUnavailable');
      else if (call.query.get('watch') === 'true') response.writeHead(200).flushHeaders();
      else sendJson(response, 200, { metadata: { resourceVersion: '10' }, items: [] });
    });
    const cluster = createCluster(connectionTo(server.url), { watch: fast, random: () => 0 });
    open.push(
      () => cluster.close(),
      () => server.close(),
    );
    const onConnection = (lost: string | undefined) => said.push(lost === undefined ? 'back' : 'lost');
    cluster.watch({ apiVersion: 'v1', kind: 'ConfigMap' }, { onList: () => undefined, onEvent: () => undefined, onConnection });
    await expect.poll(() => said).toContain('lost');
    isDown = false;
    await expect.poll(() => said.at(-1)).toBe('back');
    expect(said.filter((one) => one === 'back')).toHaveLength(1);
  });

  it('reports metadata only as the requested kind', async () => {
    const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'b', resourceVersion: '11' } };
    const stream = `${JSON.stringify({ type: 'ADDED', object: partial })}\n`;
    const { reported, server } = await given((response) => void response.write(stream), { metadataOnly: true });
    await expect.poll(() => reported).toEqual(['list a', 'ADDED ConfigMap b']);
    expect(server.calls.at(-1)?.headers.accept).toContain('as=PartialObjectMetadata;');
  });

  it('says nothing more once stopped', async () => {
    let stream: ServerResponse | undefined;
    const { reported, watch } = await given((response) => {
      stream = response;
    });
    await expect.poll(() => stream !== undefined).toBe(true);
    const closed = new Promise((resolve) => stream?.once('close', resolve));
    watch.stop();
    await closed;
    expect(reported).toEqual(['list a']);
  });
});

describe('JSON lines', () => {
  it('are whole wherever the bytes are split, also inside a character', () => {
    const bytes = Buffer.from('{"name":"Grüße 🐦"}\n\n{"n":2}\n{"half"');
    for (let at = 0; at <= bytes.length; at += 1) {
      const values: unknown[] = [];
      const lines = createJsonLines((value) => values.push(value));
      lines.push(bytes.subarray(0, at));
      lines.push(bytes.subarray(at));
      expect(values).toEqual([{ name: 'Grüße 🐦' }, { n: 2 }]);
    }
  });
});
