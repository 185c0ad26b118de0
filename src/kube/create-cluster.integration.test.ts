import { afterEach, describe, expect, it } from 'vitest';
import { handClock } from '../../test/fakes/clock.ts';
import { type Answering, type KubeServer, kubeServer, refuse, sendJson } from '../../test/fakes/kube-server.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { connectionTo } from './connect.ts';
import { type ClusterOptions, createCluster } from './create-cluster.ts';
import { ApiError, isConflict, isForbidden, isInvalid, RequestTimeoutError, UnreachableError } from './errors.ts';
import type { KubeCluster } from './kube-cluster.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function given(answer: Answering, options: ClusterOptions = {}): Promise<{ cluster: KubeCluster; server: KubeServer }> {
  const server = await kubeServer(answer);
  const cluster = createCluster(connectionTo(server.url, { userAgent: 'serin-test' }), options);
  open.push(
    () => cluster.close(),
    () => server.close(),
  );
  return { cluster, server };
}

const settings = { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', namespace: 'test' };
const object = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings', namespace: 'test', managedFields: [{}] },
  odd: { deep: [1] },
};
const writesOf = (server: KubeServer) => server.calls.filter(({ method }) => method !== 'GET');
const answers: Answering = (_, response) => sendJson(response, 200, object);

describe('createCluster', () => {
  it('E144: compares its clock with the dates of answers', async () => {
    const clock = handClock();
    const aheadMs = 300_000;
    const dated: Answering = (call, response) => {
      response.setHeader('date', new Date(clock.nowMs() - aheadMs).toUTCString());
      return answers(call, response);
    };
    const { cluster } = await given(dated, { clock });
    expect(cluster.aheadMs?.()).toBe(0);
    await cluster.get(settings);
    expect(Math.abs((cluster.aheadMs?.() ?? 0) - aheadMs)).toBeLessThanOrEqual(1_000);
    expect(cluster.at?.('rollback').aheadMs?.()).toBe(cluster.aheadMs?.());
  });

  it('sends each write as its own verb, type and manager', async () => {
    const { cluster, server } = await given(answers);
    await cluster.create(object);
    await cluster.replace(object, { subresource: 'status' });
    await cluster.apply(object);
    await cluster.patch(settings, { data: { a: 'b' } });
    await cluster.patch(settings, [{ op: 'remove', path: '/data' }], { subresource: 'scale' });
    await cluster.patch(settings, { data: {} }, { dryRun: true });
    const one = '/api/v1/namespaces/test/configmaps/settings';
    expect(writesOf(server).map((call) => [call.method, call.path, call.headers['content-type'], call.query.toString()])).toEqual([
      ['POST', '/api/v1/namespaces/test/configmaps', 'application/json', 'fieldManager=serin'],
      ['PUT', `${one}/status`, 'application/json', 'fieldManager=serin'],
      ['PATCH', one, 'application/apply-patch+yaml', 'fieldManager=serin&force=true'],
      ['PATCH', one, 'application/merge-patch+json', 'fieldManager=serin'],
      ['PATCH', `${one}/scale`, 'application/json-patch+json', 'fieldManager=serin'],
      ['PATCH', one, 'application/merge-patch+json', 'fieldManager=serin&dryRun=All'],
    ]);
    const applied = JSON.parse(writesOf(server)[2]?.body ?? '{}');
    expect(applied).toMatchObject({ odd: { deep: [1] } });
    expect(applied.metadata).not.toHaveProperty('managedFields');
    expect(server.calls.filter(({ path }) => path === '/api/v1')).toHaveLength(1);
    expect(writesOf(server)[0]?.headers['user-agent']).toBe('serin-test');
  });

  it.each([
    { ...settings, name: '..' },
    { ...settings, name: '.' },
    { ...settings, namespace: '..' },
    { ...settings, namespace: '.' },
  ])('requests no other address than that of an object: $namespace/$name', async (ref) => {
    const { cluster, server } = await given(answers);
    const refused = expect.objectContaining({ message: expect.stringContaining('cannot be the name or namespace of an object') });
    await expect(cluster.get(ref)).rejects.toEqual(refused);
    await expect(cluster.delete(ref)).rejects.toEqual(refused);
    await expect(cluster.patch(ref, { data: {} })).rejects.toEqual(refused);
    expect(server.calls.map(({ path }) => path).filter((path) => path !== '/api/v1')).toEqual([]);
  });

  it.each(['../../other/secrets/s', 's%2f..', '/'])('knows without a request that no object has the name %j', async (name) => {
    const { cluster, server } = await given(answers);
    expect(await cluster.get({ ...settings, name })).toBeUndefined();
    await expect(cluster.patch({ ...settings, name }, { data: {} })).rejects.toThrow('cannot be the name or namespace of an object');
    await expect(cluster.get({ ...settings, namespace: name })).rejects.toThrow('cannot be the name or namespace of an object');
    expect(server.calls.map(({ path }) => path).filter((path) => path !== '/api/v1')).toEqual([]);
  });

  it.each(['../api/v1/namespaces/test/secrets/s', 'v1/../../x', '..', 'apps/..', 'v1?x=1', 'v1#', 'a/v1/b', ''])(
    'requests no other address than that of a group and its version: %j',
    async (apiVersion) => {
      const { cluster, server } = await given(answers);
      await expect(cluster.patch({ ...settings, apiVersion }, {})).rejects.toThrow('does not serve');
      expect(server.calls).toEqual([]);
    },
  );

  it('passes fields that it does not know through unchanged', async () => {
    const { cluster } = await given(answers);
    expect(await cluster.get(settings)).toEqual(object);
  });

  it('binds a pod and deletes without grace', async () => {
    const { cluster, server } = await given(answers);
    await cluster.bind({ apiVersion: 'v1', kind: 'Pod', name: 'web', namespace: 'test' }, 'node-1');
    await cluster.forceDelete(settings);
    const [binding, removal] = writesOf(server);
    expect(binding?.path).toBe('/api/v1/namespaces/test/pods/web/binding');
    expect(JSON.parse(binding?.body ?? '')).toMatchObject({ kind: 'Binding', target: { kind: 'Node', name: 'node-1' } });
    expect(JSON.parse(removal?.body ?? '')).toMatchObject({ gracePeriodSeconds: 0 });
  });

  it('reads an absent object as undefined and deletes it without an error', async () => {
    const { cluster } = await given((_, response) => refuse(response, 404, 'NotFound'));
    expect(await cluster.get(settings)).toBeUndefined();
    await expect(cluster.delete(settings)).resolves.toBeUndefined();
    await expect(cluster.patch(settings, {})).rejects.toMatchObject({ status: 404, reason: 'NotFound' });
  });

  it.each([
    { status: 409, reason: 'Conflict', is: isConflict },
    { status: 403, reason: 'Forbidden', is: isForbidden },
    { status: 422, reason: 'Invalid', is: isInvalid },
  ])('turns a $status into an ApiError of reason $reason', async ({ status, reason, is }) => {
    const { cluster } = await given((_, response) => refuse(response, status, reason));
    const error: unknown = await cluster.create(object).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status, reason });
    expect(is(error)).toBe(true);
  });

  it('sends again after Retry-After and counts both answers', async () => {
    const statuses: number[] = [];
    let calls = 0;
    const { cluster } = await given(
      (_, response) => {
        calls += 1;
        if (calls === 1) refuse(response, 429, 'TooManyRequests', { 'Retry-After': '0' });
        else sendJson(response, 200, object);
      },
      { onRequest: ({ resource, status }) => resource === 'configmaps' && statuses.push(status) },
    );
    await cluster.get(settings);
    expect(statuses).toEqual([429, 200]);
  });

  it('waits as long as Retry-After says', async () => {
    const clock = handClock();
    let calls = 0;
    const { cluster } = await given(
      (_, response) => {
        calls += 1;
        if (calls === 1) refuse(response, 503, 'ServiceUnavailable', { 'Retry-After': '3' });
        else sendJson(response, 200, object);
      },
      { clock },
    );
    const got = cluster.get(settings);
    await expect.poll(() => calls === 1 && clock.pending === 2).toBe(true);
    clock.advance(2_999);
    expect(clock.pending).toBe(2);
    expect(calls).toBe(1);
    clock.advance(1);
    expect(await got).toEqual(object);
  });

  it('passes a Retry-After beyond the deadline to the caller', async () => {
    const { cluster } = await given((_, response) => refuse(response, 503, 'ServiceUnavailable', { 'Retry-After': '3600' }));
    await expect(cluster.get(settings)).rejects.toMatchObject({ status: 503, retryAfterMs: 3_600_000 });
  });

  it('gives up at the deadline, also in the middle of a body', async () => {
    const { cluster } = await given((_, response) => void response.writeHead(200).write('{"half":'), { requestTimeoutMs: 60 });
    await expect(cluster.get(settings)).rejects.toBeInstanceOf(RequestTimeoutError);
  });

  it('ends a request with its signal', async () => {
    const abort = new AbortController();
    const { cluster } = await given(() => abort.abort(new Error('no longer wanted')));
    await expect(cluster.get(settings, { signal: abort.signal })).rejects.toThrow('no longer wanted');
  });

  it('distinguishes an unreachable server from an error answer', async () => {
    const { cluster, server } = await given(answers);
    await server.close();
    await expect(cluster.get(settings)).rejects.toBeInstanceOf(UnreachableError);
  });

  it('a request that beforeSend rejects is never sent (I9)', async () => {
    const { cluster, server } = await given(answers, {
      beforeSend: ({ verb }) => {
        if (verb === 'create') throw new Error('lease could have ended');
      },
    });
    await expect(cluster.create(object)).rejects.toThrow('lease could have ended');
    expect(writesOf(server)).toEqual([]);
  });

  it('holds requests beyond the burst to qps', async () => {
    const clock = handClock();
    const { cluster, server } = await given(answers, { clock, qps: 10, burst: 2 });
    await cluster.get(settings); // with discovery: both tokens
    const third = cluster.get(settings);
    await expect.poll(() => clock.pending).toBe(1);
    expect(server.calls).toHaveLength(2);
    clock.advance(100);
    await third;
    expect(server.calls).toHaveLength(3);
  });

  it('reads a list page by page and gives each item its kind', async () => {
    const { cluster, server } = await given((call, response) => {
      const second = call.query.get('continue') === 'more';
      const metadata = { resourceVersion: '7', ...(second ? {} : { continue: 'more' }) };
      sendJson(response, 200, { metadata, items: [{ metadata: { name: second ? 'b' : 'a' } }] });
    });
    const { items, resourceVersion } = await cluster.list({ apiVersion: 'v1', kind: 'ConfigMap' }, { labelSelector: 'x=y' });
    expect(items.map((item) => [item.kind, item.metadata.name])).toEqual([
      ['ConfigMap', 'a'],
      ['ConfigMap', 'b'],
    ]);
    expect(resourceVersion).toBe('7');
    const pages = server.calls.filter(({ path }) => path.endsWith('configmaps'));
    expect(pages.map(({ query }) => [query.get('limit'), query.get('labelSelector')])).toEqual([
      ['500', 'x=y'],
      ['500', 'x=y'],
    ]);
  });

  it('gives the first list of a watch as its handler wants to keep it, each item as its page comes', async () => {
    const seen: string[] = [];
    const { cluster } = await given((call, response) => {
      if (call.query.get('watch') === 'true') return void response.writeHead(200).write('\n');
      const second = call.query.get('continue') === 'more';
      seen.push(second ? 'second page' : 'first page');
      const metadata = { resourceVersion: '7', ...(second ? {} : { continue: 'more' }) };
      sendJson(response, 200, { metadata, items: [{ metadata: { name: second ? 'b' : 'a' }, data: { large: 'text' } }] });
    });
    const listed = Promise.withResolvers<readonly KubeObject[]>();
    const slim = (item: KubeObject): KubeObject => {
      seen.push(`${item.kind} ${item.metadata.name}`);
      return { apiVersion: item.apiVersion, kind: item.kind, metadata: item.metadata };
    };
    const watch = cluster.watch({ apiVersion: 'v1', kind: 'ConfigMap' }, { slim, onEvent: () => undefined, onList: listed.resolve });
    const items = await listed.promise;
    watch.stop();
    expect(seen).toEqual(['first page', 'ConfigMap a', 'second page', 'ConfigMap b']);
    expect(items.map(({ data }) => data)).toEqual([undefined, undefined]);
  });

  it('requests metadata only and keeps nothing else', async () => {
    const { cluster, server } = await given((_, response) =>
      sendJson(response, 200, { metadata: {}, items: [{ metadata: { name: 'a' }, data: { key: 'secret' } }] }),
    );
    const { items } = await cluster.list({ apiVersion: 'v1', kind: 'ConfigMap' }, { metadataOnly: true });
    expect(items).toEqual([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }]);
    expect(server.calls.at(-1)?.headers.accept).toContain('as=PartialObjectMetadataList');
  });

  it('finds a kind whose CRD was installed later', async () => {
    let installed = false;
    const { cluster } = await given((call, response) => {
      if (!installed) response.writeHead(404).end('404 page not found');
      else if (call.path === '/apis/example.dev/v1')
        sendJson(response, 200, { resources: [{ name: 'things', kind: 'Thing', namespaced: true }] });
      else sendJson(response, 200, object);
    });
    const thing = { apiVersion: 'example.dev/v1', kind: 'Thing', name: 'one', namespace: 'test' };
    expect(await cluster.get(thing)).toBeUndefined();
    await expect(cluster.list(thing)).rejects.toMatchObject({ status: 404, reason: 'KindNotServed' });
    const canaries = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary' };
    await expect(cluster.list(canaries)).rejects.toThrow('flagger.app/v1beta1 Canary: install the CRDs of Serin: serin crds apply');
    installed = true;
    expect(await cluster.get(thing)).toEqual(object);
  });
});
