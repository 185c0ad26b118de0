import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { binomialBounds } from '../../../test/fakes/binomial.ts';
import { ask } from '../../../test/scenarios/users.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { laggedView } from './lagged-view.ts';
import { type MeshProxy, startProxy } from './proxy.ts';
import { seededRandom } from './random.ts';

const NODES = ['n1', 'n2', 'n3'];
/** Chance that a share that is right is taken for a wrong one; the seed is fixed, so that it is so once or never. */
const ALPHA = 1e-6;
const REQUESTS = 300;

const servers: Server[] = [];
const proxies: MeshProxy[] = [];
afterEach(async () => {
  await Promise.all(proxies.splice(0).map((proxy) => proxy.stop()));
  for (const server of servers.splice(0)) server.close();
});

/** A Service with a pod on each node, which answers with the node's name as its version, and the proxy of one node. */
async function aProxyAt(node: string, spec: object, nodes: readonly string[] = NODES): Promise<string> {
  const ports = new Map<string, number>();
  for (const name of nodes) {
    const server = createServer((_, response) => response.writeHead(200, { 'x-serin-version': name }).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.push(server);
    ports.set(`10.244.0.${NODES.indexOf(name) + 1}`, (server.address() as AddressInfo).port);
  }
  const metadata = { name: 'web', namespace: 'shop' };
  const view = laggedView(() => 0);
  const endpoints = nodes.map((nodeName) => ({
    addresses: [`10.244.0.${NODES.indexOf(nodeName) + 1}`],
    conditions: { ready: true },
    nodeName,
    targetRef: { kind: 'Pod', name: `web-${nodeName}`, namespace: 'shop' },
  }));
  const labels = { 'kubernetes.io/service-name': 'web' };
  const next: KubeObject[] = [
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { type: 'ClusterIP', ports: [{ port: 80 }], ...spec } },
    { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata: { ...metadata, labels }, ports: [{ port: 80 }], endpoints },
  ];
  for (const object of next) view.hear(object.kind, { next: object });
  const proxy = await startProxy({
    view,
    random: seededRandom(5),
    place: () => ({ node, zone: '' }),
    portOf: (ip) => ports.get(ip),
    podOf: () => undefined,
    onAnswer: () => undefined,
  });
  proxies.push(proxy);
  return proxy.url;
}

async function answersOf(url: string, requests = REQUESTS): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (let done = 0; done < requests; done += 1) {
    const { status, version = status } = await ask(url, 'web.shop');
    counts[version] = (counts[version] ?? 0) + 1;
  }
  return counts;
}

describe('requests to a plain Service', () => {
  it('any of its ready pods answers, each as often as the others', async () => {
    const counts = await answersOf(await aProxyAt('n1', {}));
    const { least, most } = binomialBounds(REQUESTS, 1 / NODES.length, ALPHA);
    expect(Object.keys(counts).toSorted()).toEqual(NODES);
    for (const count of Object.values(counts)) {
      expect(count).toBeGreaterThanOrEqual(least);
      expect(count).toBeLessThanOrEqual(most);
    }
  });
  it('the first choice stays the only one of a client that comes again', async () => {
    const counts = await answersOf(await aProxyAt('n1', { sessionAffinity: 'ClientIP' }), 20);
    expect(Object.values(counts)).toEqual([20]);
  });
  it('under Local the pod of the node answers all, and without one each request is an error', async () => {
    const local = { internalTrafficPolicy: 'Local' };
    expect(await answersOf(await aProxyAt('n2', local), 20)).toEqual({ n2: 20 });
    const away = await aProxyAt('n3', local, ['n1', 'n2']);
    expect(await answersOf(away, 20)).toEqual({ 503: 20 });
    expect(await ask(away, 'web.shop')).toMatchObject({ lost: expect.stringContaining('no healthy upstream') });
  });
});
