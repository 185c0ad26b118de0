import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { type Answering, type KubeServer, kubeServer, refuse, sendJson } from '../../../test/fakes/kube-server.ts';
import { clusterNames } from './cluster-names.ts';

const folder = mkdtempSync(join(tmpdir(), 'serin-look-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let server: KubeServer | undefined;
afterEach(() => server?.close());

/** Long enough on any machine for a server that answers. */
const WITHIN_MS = 60_000;

async function configFor(answer: Answering): Promise<string> {
  server = await kubeServer(answer);
  const file = join(folder, `kubeconfig-${URL.parse(server.url)?.port}`);
  const contexts = ['one', 'two'].map((name) => ({ name, context: { cluster: 'it', user: 'it', namespace: `of-${name}` } }));
  const clusters = [{ name: 'it', cluster: { server: server.url } }];
  writeFileSync(file, JSON.stringify({ 'current-context': 'one', clusters, contexts, users: [{ name: 'it', user: {} }] }));
  return file;
}

/** Canaries of two namespaces, named after them. */
const canaries: Answering = ({ path }, response) => {
  if (path === '/apis/flagger.app/v1beta1')
    return sendJson(response, 200, { kind: 'APIResourceList', resources: [{ name: 'canaries', kind: 'Canary', namespaced: true }] });
  const [, namespace] = /namespaces\/([^/]+)\/canaries$/.exec(path) ?? [];
  if (namespace === undefined) return refuse(response, 404, 'NotFound');
  sendJson(response, 200, { metadata: {}, items: ['b', 'a'].map((name) => ({ metadata: { name: `${name}-${namespace}`, namespace } })) });
};

describe('names for a shell', () => {
  it('of the Canaries in the namespace that the flags or the kubeconfig choose', async () => {
    const file = await configFor(canaries);
    const look = (given: [string, string][], env = {}) => clusterNames('canaries', new Map(given), { env, withinMs: WITHIN_MS });
    expect(await look([['--kubeconfig', file]])).toEqual(['a-of-one', 'b-of-one']);
    expect(await look([['--context', 'two']], { KUBECONFIG: file })).toEqual(['a-of-two', 'b-of-two']);
    expect(await look([['--namespace', 'mine']], { KUBECONFIG: file })).toEqual(['a-mine', 'b-mine']);
  });

  it('of the contexts, without a request', async () => {
    const file = await configFor(() => expect.unreachable('no cluster is asked'));
    expect(await clusterNames('contexts', new Map(), { env: { KUBECONFIG: file }, withinMs: WITHIN_MS })).toEqual(['one', 'two']);
    expect(server?.calls).toEqual([]);
  });

  it('none where the cluster refuses, or has no Canary kind, or the kubeconfig is not found', async () => {
    const refusing = await configFor((_, response) => refuse(response, 403, 'Forbidden'));
    expect(await clusterNames('namespaces', new Map(), { env: { KUBECONFIG: refusing }, withinMs: WITHIN_MS })).toEqual([]);
    expect(await clusterNames('knativeServices', new Map(), { env: { KUBECONFIG: refusing }, withinMs: WITHIN_MS })).toEqual([]);
    expect(await clusterNames('canaries', new Map([['--kubeconfig', join(folder, 'none')]]), { env: {}, withinMs: WITHIN_MS })).toEqual([]);
    expect(await clusterNames('contexts', new Map([['--kubeconfig', join(folder, 'none')]]), { env: {}, withinMs: WITHIN_MS })).toEqual([]);
  });

  it('none where no answer comes in time', async () => {
    const held: ServerResponse[] = [];
    const file = await configFor((_, response) => void held.push(response));
    expect(await clusterNames('canaries', new Map(), { env: { KUBECONFIG: file }, withinMs: 50 })).toEqual([]);
  });
});
