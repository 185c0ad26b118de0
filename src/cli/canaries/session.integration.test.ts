import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { kubeServer, refuse, sendJson } from '../../../test/fakes/kube-server.ts';
import { ReadingError } from '../../reading/reading-error.ts';
import { CommandError } from '../output/exit-codes.ts';
import { type ClusterFlags, onCluster, type Session } from './session.ts';

const folder = mkdtempSync(join(tmpdir(), 'serin-session-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function kubeconfig(server: string): string {
  const file = join(folder, `kubeconfig-${Math.abs(server.length)}-${URL.parse(server)?.port}`);
  const contexts = ['one', 'two'].map((name) => ({ name, context: { cluster: 'it', user: 'it', namespace: `of-${name}` } }));
  const users = [{ name: 'it', user: {} }];
  writeFileSync(file, JSON.stringify({ 'current-context': 'one', clusters: [{ name: 'it', cluster: { server } }], contexts, users }));
  return file;
}

async function run(flags: ClusterFlags, act: (session: Session) => Promise<'done'>, env: NodeJS.ProcessEnv = {}) {
  let err = '';
  const streams = { out: { write: () => undefined }, err: { write: (text: string) => (err += text) } };
  return { code: await onCluster(flags, act, { env, streams }), err };
}

describe('a command on a cluster', () => {
  it('uses the given context and namespace, as kubectl does', async () => {
    const server = kubeconfig('http://127.0.0.1:1');
    const seen: (string | undefined)[] = [];
    const look = async ({ namespace }: Session) => {
      seen.push(namespace);
      return 'done' as const;
    };
    for (const flags of [{}, { context: 'two' }, { context: 'two', namespace: 'mine' }, { allNamespaces: true }])
      await run({ kubeconfig: server, ...flags }, look);
    await run({}, look, { KUBECONFIG: server });
    expect(seen).toEqual(['of-one', 'of-two', 'mine', undefined, 'of-one']);
  });

  it('knows the flags that lead to its cluster, as a shell takes them', async () => {
    const file = kubeconfig('http://127.0.0.1:1');
    const seen: (readonly string[] | undefined)[] = [];
    const look = async ({ clusterFlags }: Session) => {
      seen.push(clusterFlags);
      return 'done' as const;
    };
    await run({ kubeconfig: file, context: 'two' }, look);
    await run({}, look, { KUBECONFIG: file });
    writeFileSync(join(folder, "it's mine"), readFileSync(file));
    await run({ kubeconfig: join(folder, "it's mine") }, look);
    expect(seen).toEqual([[`--kubeconfig=${file}`, '--context=two'], [], [`--kubeconfig='${folder}/it'\\''s mine'`]]);
  });

  const asks = async ({ cluster }: Session) => {
    await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'a', name: 'b' });
    return 'done' as const;
  };
  it.each<{ title: string; flags: ClusterFlags; code: number; err: RegExp }>([
    { title: 'a server that is not there', flags: {}, code: 2, err: /^Error: .*cannot be reached/ },
    { title: 'a file that is not there', flags: { kubeconfig: join(folder, 'none') }, code: 2, err: /^Error: .*none/ },
    { title: 'a context that is not found', flags: { context: 'three' }, code: 2, err: /no context named three \(contexts: one, two\)/ },
    {
      title: 'a duration that is none',
      flags: { requestTimeout: 'soon' },
      code: 64,
      err: /--request-timeout soon must be a duration above 0/,
    },
  ])('says $title in a line, and never by a stack trace', async ({ flags, code, err }) => {
    const got = await run({ kubeconfig: kubeconfig('http://127.0.0.1:1'), ...flags }, asks);
    expect(got.code).toBe(code);
    expect(got.err.replace(/\n(?=.)/g, ' ')).toMatch(err);
    expect(got.err).not.toMatch(/^\s+at /m);
  });
  it('gives a refusal and a bug different exit codes', async () => {
    const server = await kubeServer((_, response) => refuse(response, 403, 'Forbidden'));
    try {
      expect(await run({ kubeconfig: kubeconfig(server.url) }, asks)).toMatchObject({
        code: 2,
        err: expect.stringContaining('403 Forbidden'),
      });
    } finally {
      await server.close();
    }
    const faulty = await run({ kubeconfig: kubeconfig('http://127.0.0.1:1') }, () => Promise.reject(new TypeError('x is undefined')));
    expect(faulty).toMatchObject({ code: 70, err: expect.stringContaining('a bug in Serin') });
    const none = await run({ kubeconfig: kubeconfig('http://127.0.0.1:1') }, () => Promise.reject(new CommandError('notFound', 'none')));
    expect(none).toEqual({ code: 4, err: 'Error: none\n' });
    const unread = await run({ kubeconfig: kubeconfig('http://127.0.0.1:1') }, () => Promise.reject(new ReadingError('refused', 'later')));
    expect(unread).toEqual({ code: 5, err: 'Error: later\n' });
  });
  it('sends requests to the server of --master instead of the kubeconfig’s, with its credentials', async () => {
    const server = await kubeServer((_, response) => refuse(response, 404, 'NotFound'));
    onTestFinished(() => server.close());
    expect(await run({ kubeconfig: kubeconfig('http://127.0.0.1:1'), master: server.url }, asks)).toEqual({ code: 0, err: '' });
    expect(server.calls.map(({ path }) => path)).toContain('/api/v1/namespaces/a/configmaps/b');
  });
  it('ends with 0 where it got its answer', async () => {
    const server = await kubeServer((_, response) =>
      sendJson(response, 200, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' } }),
    );
    onTestFinished(() => server.close());
    expect(await run({ kubeconfig: kubeconfig(server.url) }, asks)).toEqual({ code: 0, err: '' });
  });
});
