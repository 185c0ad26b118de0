import { execFileSync } from 'node:child_process';
import { get } from 'node:http';
import { describe, expect, it } from 'vitest';
import { freePort } from '../e2e/free-port.ts';
import { raw } from '../fakes/raw.ts';
import { describeBlueGreen } from '../scenarios/blue-green.ts';
import { startController } from '../scenarios/controller.ts';
import { anEnvironment, type RealEnvironment } from '../scenarios/environment.ts';
import { eventually } from '../scenarios/eventually.ts';
import { startGuarded } from '../scenarios/guarded-process.ts';
import { APP, Scenario } from '../scenarios/scenario.ts';
import { type FarNode, startFarNode } from './far-node.ts';
import { type StartPlane, startGround } from './ground.ts';
import { type ProxyMode, startKubeProxy } from './kube-proxy.ts';
import { type ClientPlace, startServiceClient } from './service-client.ts';

/** Denser than where many releases play at once. */
const CROWD = { each: 2, pauseMs: 20 };
/** The chance that one of two equal pods is never chosen is 2^-39. */
const REQUESTS = 40;
const ZONE = 'topology.kubernetes.io/zone';

interface Client {
  readonly url: string;
  stop(): Promise<void>;
}

/** Two nodes in two zones, each with a kube-proxy and a client of its own. With `outside`, the far client sends requests to the ports of the other node. */
const planeOfTwo =
  (mode: ProxyMode, { outside = false } = {}): StartPlane =>
  async ({ cluster, adminKubeconfigFile }) => {
    const nodes = (await cluster.list({ apiVersion: 'v1', kind: 'Node' })).items;
    const [here] = nodes;
    const there = nodes.find(({ metadata }) => metadata.labels?.[ZONE] !== here?.metadata.labels?.[ZONE]);
    const far = await startFarNode(adminKubeconfigFile);
    // kube-proxy serves node ports at the node's addresses that this machine has.
    if (outside) execFileSync('ip', ['address', 'replace', `${addressOf(here)}/32`, 'dev', 'lo']);
    const proxies = [await startKubeProxy(adminKubeconfigFile, { node: here?.metadata.name ?? '', mode })];
    if (!outside) proxies.push(await startKubeProxy(adminKubeconfigFile, { node: there?.metadata.name ?? '', mode, far }));
    const near = await startServiceClient(cluster);
    const distant = await startFarClient(far, (place) =>
      startServiceClient(cluster, { ...place, ...(outside && { nodeAddress: addressOf(here) }) }),
    );
    return {
      ...{ url: near.url, otherUrls: [distant.url] },
      // No program counts requests here, and no check needs them.
      metricsUrl: near.url,
      knows: () => true,
      mirrored: () => ({}),
      async stop() {
        await Promise.all([near.stop(), distant.stop()]);
        await Promise.all(proxies.map((proxy) => proxy.stop()));
        await far.stop();
      },
    };
  };

/** The pod that answers, empty where none does. */
const podAt = (url: string, host: string): Promise<string> =>
  new Promise((resolve, reject) => {
    get(url, { headers: { host } }, (answer) => {
      answer.resume();
      resolve(String(answer.headers['x-serin-pod'] ?? ''));
    }).on('error', reject);
  });

const addressOf = (node: unknown): string => raw(node as object).status.addresses[0].address;

async function startFarClient(far: FarNode, start: (place: ClientPlace) => Promise<Client>): Promise<Client> {
  const port = await freePort();
  const program = `${import.meta.dirname}/send-on.ts`;
  const [command = '', ...words] = [...far.enter, process.execPath, program, far.address, String(port)];
  const sender = startGuarded('send-on', [command, ...words], `${far.kubeconfigFile}.send-on.log`);
  await eventually(`the client of the other node listens:\n${sender.logTail()}`, () =>
    fetch(`http://${far.address}:${port}`, { headers: { 'x-serin-onward': '127.0.0.1:1' } }).then(
      () => true,
      () => false,
    ),
  );
  const client = await start({ far: { host: far.address, port } });
  return {
    url: client.url,
    async stop() {
      await client.stop();
      await sender.stop();
    },
  };
}

async function play(environment: RealEnvironment, namespace: string, run: (scenario: Scenario) => Promise<void>): Promise<void> {
  const controller = startController(environment, { namespace });
  const scenario = await Scenario.begin(environment, controller, namespace);
  try {
    await run(scenario);
    scenario.then.nothingWasLost();
  } finally {
    await scenario.end();
    await controller.stop();
  }
}

describe.each<ProxyMode>(['nftables', 'iptables'])('two nodes with %s', (mode) => {
  const environmentOf = anEnvironment<RealEnvironment>(() => startGround(planeOfTwo(mode)));
  describeBlueGreen(environmentOf, CROWD);

  /** Zones of the pods that answer, by the place of the client. */
  const zonesAt = async (namespace: string): Promise<string[][]> => {
    const { cluster, mesh } = environmentOf();
    const [pods, nodes] = await Promise.all(
      ['Pod', 'Node'].map((kind) => cluster.list({ apiVersion: 'v1', kind, ...(kind === 'Pod' && { namespace }) })),
    );
    const nodeOf = new Map(pods?.items.map((pod) => [pod.metadata.name, raw(pod).spec.nodeName]));
    const zoneOf = new Map(nodes?.items.map(({ metadata: { name, labels } }) => [name, labels?.[ZONE]]));
    const zones: string[][] = [];
    for (const url of mesh.urls) {
      const found = new Set<string>();
      for (let request = 0; request < REQUESTS; request += 1) {
        found.add(zoneOf.get(nodeOf.get(await podAt(url, `${APP}.${namespace}`))) ?? 'none');
      }
      zones.push([...found].toSorted());
    }
    return zones;
  };

  it.each(['PreferSameZone', 'PreferClose'])('with %s users of each zone stay in it before and after a release', (wish) =>
    play(environmentOf(), `zones-${wish.toLowerCase()}`, async ({ namespace, given, when, then }) => {
      await given.aDeployment({ replicas: 6 });
      given.users({}, CROWD);
      const service = { port: 80, targetPort: 'http', trafficDistribution: wish };
      await given.aCanary({ iterations: 2 }, { provider: 'kubernetes', service });
      const stay = (zones: string[][]) => JSON.stringify(zones) === JSON.stringify([['zone-1'], ['zone-2']]);
      await eventually('users stay in their zones', () => zonesAt(namespace), stay);
      await when.imageChanges('2');
      await then.releaseEnds('Succeeded');
      await then.everyoneGets('2');
      await then.scalesTo(APP, 0);
      await eventually('users stay in their zones', () => zonesAt(namespace), stay);
    }),
  );

  it('without a wish users of both zones get pods of both', () =>
    play(environmentOf(), 'zones-none', async ({ namespace, given }) => {
      await given.aDeployment({ replicas: 6 });
      await given.aCanary({ iterations: 2 }, { provider: 'kubernetes' });
      expect(await zonesAt(namespace)).toEqual([
        ['zone-1', 'zone-2'],
        ['zone-1', 'zone-2'],
      ]);
    }));
});

describe.each<ProxyMode>(['nftables', 'iptables'])('a client outside of the cluster with %s', (mode) => {
  const environmentOf = anEnvironment<RealEnvironment>(() => startGround(planeOfTwo(mode, { outside: true })));

  it.each(['Cluster', 'Local'])('at a node port with externalTrafficPolicy %s it loses no request in a release', (policy) =>
    play(environmentOf(), `outside-${policy.toLowerCase()}`, async ({ namespace, given, when, then }) => {
      await given.aDeployment({ replicas: 6, service: { type: 'NodePort', externalTrafficPolicy: policy } });
      given.users({}, CROWD);
      await given.aCanary({ iterations: 2 }, { provider: 'kubernetes' });
      await when.imageChanges('2');
      await then.releaseEnds('Succeeded');
      await then.everyoneGets('2');
      await then.scalesTo(APP, 0);
      const kept = raw(await environmentOf().cluster.get({ apiVersion: 'v1', kind: 'Service', name: APP, namespace })).spec;
      expect([kept.type, kept.externalTrafficPolicy]).toEqual(['NodePort', policy]);
    }),
  );
});
