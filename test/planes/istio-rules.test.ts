import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type KubeObject, refOf } from '../../src/api/kube-object.ts';
import { allToPrimary } from '../../src/api/routes.ts';
import { istio } from '../../src/routers/istio/router.ts';
import { aCanary, anApex } from '../contracts/routers-cases.ts';
import { type Raw, raw } from '../fakes/raw.ts';
import { eventually } from '../scenarios/eventually.ts';
import { ask } from '../scenarios/istio/ask.ts';
import { namespacesFor } from '../scenarios/shares/split-app.ts';
import { afterAll, beforeAll } from '../scenarios/world.ts';
import { startIstioGround } from './istio-plane.ts';

const ROOT = 'istio-system';
const PORT = 80;
const tls = { tls: { mode: 'SIMPLE', sni: 'shop.example.org', insecureSkipVerify: true } };
const full = {
  ...tls,
  outlierDetection: { consecutive5xxErrors: 3 },
  connectionPool: { tcp: { maxConnections: 5 } },
  loadBalancer: { simple: 'ROUND_ROBIN' },
};
const ejecting = { outlierDetection: { consecutive5xxErrors: 7 } };

interface Given {
  host: string;
  in?: string;
  trafficPolicy?: object;
  exportTo?: string[];
}

/** `HERE` is the namespace of the Service. The proxy is of another one. */
const TABLE: Readonly<Record<string, readonly Given[]>> = {
  'the short name': [{ host: 'shop', trafficPolicy: full }],
  'the whole name': [{ host: 'shop.HERE.svc.cluster.local', trafficPolicy: full }],
  'the namespace': [{ host: '*.HERE.svc.cluster.local', trafficPolicy: full }],
  'every host': [{ host: '*', trafficPolicy: full }],
  'one without domain, which is of no Service': [{ host: 'shop.HERE', trafficPolicy: full }],
  'settings of a port': [{ host: 'shop', trafficPolicy: { portLevelSettings: [{ port: { number: PORT }, ...full }] } }],
  'the most specific of three': [
    { host: '*.local', trafficPolicy: full },
    { host: 'shop', trafficPolicy: ejecting },
    { host: '*.HERE.svc.cluster.local', trafficPolicy: tls },
  ],
  'the older of two': [
    { host: 'shop', trafficPolicy: ejecting },
    { host: 'shop.HERE.svc.cluster.local', trafficPolicy: full },
  ],
  'the one of two that says something': [{ host: 'shop' }, { host: 'shop.HERE.svc.cluster.local', trafficPolicy: full }],
  'one that says nothing before one for all': [{ host: 'shop' }, { host: '*.local', trafficPolicy: full }],
  'for clients of its namespace alone': [{ host: 'shop', exportTo: ['.'], trafficPolicy: full }],
  'for clients of the namespace of the proxy': [{ host: 'shop', exportTo: ['gateways'], trafficPolicy: full }],
  'the root namespace, for all hosts': [{ in: ROOT, host: '*.local', trafficPolicy: full }],
  'the root namespace, for the Service': [{ in: ROOT, host: 'shop.HERE.svc.cluster.local', trafficPolicy: full }],
  'the root namespace, by the short name, which is of no Service': [{ in: ROOT, host: 'shop', trafficPolicy: full }],
  'the root namespace, for itself alone': [{ in: ROOT, host: '*.local', exportTo: ['.'], trafficPolicy: full }],
  'the namespace before the root namespace': [
    { in: ROOT, host: 'shop.HERE.svc.cluster.local', trafficPolicy: full },
    { host: '*.local', trafficPolicy: ejecting },
  ],
};

describe("I17: DestinationRules for a Service also hold for the Services of its sides in istiod's configuration", () => {
  let environment: Awaited<ReturnType<typeof startIstioGround>>;
  beforeAll(async () => {
    environment = await startIstioGround();
  }, 180_000);
  afterAll(() => environment?.stop());

  /** Clusters of the proxy by their names, without what differs between any two Services. */
  async function clusters(): Promise<ReadonlyMap<string, object>> {
    const answer = await fetch(`${environment.gatewayAdmin}/config_dump?resource=dynamic_active_clusters`);
    const { configs = [] } = (await answer.json()) as { configs?: Raw[] };
    return new Map(
      configs.map(({ cluster }) => {
        const { name, metadata: _, eds_cluster_config: _eds, alt_stat_name: _stat, ...rest } = cluster;
        return [name, rest];
      }),
    );
  }
  const clusterOf = (service: string, namespace: string) => `outbound|${PORT}||${service}.${namespace}.svc.cluster.local`;

  async function makeServices(namespace: string, address?: { ip: string; port: number }): Promise<void> {
    const { cluster } = environment;
    await namespacesFor(cluster, [namespace]);
    for (const name of ['shop', 'shop-primary', 'shop-canary']) {
      const ports = [{ name: 'http-web', port: PORT, targetPort: address?.port ?? 8080 }];
      await cluster.create({ apiVersion: 'v1', kind: 'Service', metadata: { name, namespace }, spec: { ports } });
      if (address === undefined) continue;
      await cluster.create({
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { name, namespace, labels: { 'kubernetes.io/service-name': name } },
        addressType: 'IPv4',
        ports: [{ name: 'http-web', port: address.port }],
        endpoints: [{ addresses: [address.ip], conditions: { ready: true } }],
      } as KubeObject);
    }
  }

  async function make(namespace: string, given: readonly Given[]): Promise<KubeObject[]> {
    const made: KubeObject[] = [];
    for (const [index, { host, in: where = namespace, ...spec }] of given.entries()) {
      // The age decides between rules of one host, in whole seconds.
      if (index > 0) await sleep(1_100);
      made.push(
        await environment.cluster.create({
          apiVersion: 'networking.istio.io/v1beta1',
          kind: 'DestinationRule',
          metadata: { name: `rule-${index}`, namespace: where },
          spec: { host: host.replace('HERE', namespace), ...spec },
        }),
      );
    }
    return made;
  }

  /** Creates a marker: once the proxy knows it, it also knows all earlier objects. */
  async function settled(namespace: string, name: string): Promise<void> {
    const { cluster } = environment;
    await cluster.create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace },
      spec: { ports: [{ name: 'http-web', port: PORT }] },
    });
    const spec = { host: `${name}.${namespace}.svc.cluster.local`, trafficPolicy: { outlierDetection: { consecutive5xxErrors: 9 } } };
    await cluster.create({ apiVersion: 'networking.istio.io/v1beta1', kind: 'DestinationRule', metadata: { name, namespace }, spec });
    await eventually(
      'the marker is known',
      async () => raw((await clusters()).get(clusterOf(name, namespace)))?.outlier_detection !== undefined,
    );
  }

  it.each(Object.entries(TABLE).map(([what, given], index) => ({ what, given, namespace: `rules-${index}` })))(
    '$what',
    async ({ given, namespace }) => {
      const { cluster } = environment;
      await makeServices(namespace);
      const rules = await make(namespace, given);
      try {
        await settled(namespace, 'marker-1');
        const before = (await clusters()).get(clusterOf('shop', namespace));
        const canary = aCanary();
        canary.metadata.namespace = namespace;
        const { write } = istio.render(canary, anApex, allToPrimary, rules);
        for (const object of write) if (object.kind === 'DestinationRule') await cluster.apply(object);
        await settled(namespace, 'marker-2');
        const after = await clusters();
        expect(before).toBeDefined();
        for (const side of ['shop-primary', 'shop-canary']) expect(after.get(clusterOf(side, namespace)), side).toEqual(before);
      } finally {
        // Rules of the root namespace apply to all tests.
        for (const rule of rules) await cluster.delete(refOf(rule));
      }
    },
  );

  it('pods that want TLS answer before, and through the routes of the Canary', async () => {
    const namespace = 'rules-tls';
    const address = { ip: '10.244.254.1', port: 8443 };
    const file = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url));
    const pods = createServer({ cert: file('server.crt'), key: file('server.key') }, (_request, response) => response.end('{}'));
    await new Promise<void>((resolve) => pods.listen(address.port, address.ip, resolve));
    try {
      await makeServices(namespace, address);
      const rules = await make(namespace, [{ host: 'shop', trafficPolicy: { tls: { mode: 'SIMPLE', insecureSkipVerify: true } } }]);
      const status = () =>
        ask(environment, { host: `shop.${namespace}` }).then(
          (answer) => answer.status,
          () => 0,
        );
      await eventually('the Service answers', status, (got) => got === 200);
      const canary = aCanary({ service: { port: PORT } });
      canary.metadata.namespace = namespace;
      const { write } = istio.render(
        canary,
        { ...anApex, ports: [{ name: 'http-web', port: PORT, targetPort: 8443, protocol: 'TCP' }] },
        allToPrimary,
        rules,
      );
      const seen: number[] = [];
      const asking = { isOver: false };
      const user = (async () => {
        while (!asking.isOver) seen.push(await status());
      })();
      for (const object of write) await environment.cluster.apply(object);
      await eventually('the proxies know the routes', async () => write.every((object) => environment.mesh.knows(object)));
      await sleep(1_000);
      asking.isOver = true;
      await user;
      expect(new Set(seen)).toEqual(new Set([200]));
      expect(seen.length).toBeGreaterThan(10);
      // Without the rule, the same routes lead to no answer.
      const bare = istio.render(canary, anApex, allToPrimary, []).write.filter(({ kind }) => kind === 'DestinationRule');
      for (const object of bare) await environment.cluster.apply(object);
      await eventually('what was lost before', status, (got) => got === 503);
    } finally {
      pods.close();
    }
  });
});
