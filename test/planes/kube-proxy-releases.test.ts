import { describe } from 'vitest';
import { anEnvironment } from '../scenarios/environment.ts';
import { describeServiceReleases } from '../scenarios/service-releases.ts';
import { type StartPlane, startGround } from './ground.ts';
import { startKubeProxy } from './kube-proxy.ts';
import { startServiceClient } from './service-client.ts';

const startKubeProxyPlane: StartPlane = async ({ cluster, adminKubeconfigFile }) => {
  const [node] = (await cluster.list({ apiVersion: 'v1', kind: 'Node' })).items;
  const proxy = await startKubeProxy(adminKubeconfigFile, { node: node?.metadata.name ?? '', mode: 'nftables' });
  const client = await startServiceClient(cluster);
  return {
    url: client.url,
    // Nothing counts requests here, and no check asks for them.
    metricsUrl: client.url,
    knows: () => true,
    mirrored: () => ({}),
    async stop() {
      await client.stop();
      await proxy.stop();
    },
  };
};

// Not with iptables, where any change of a Service may cost a connection: kube-proxy.test.ts.
describe('kube-proxy with nftables', () => describeServiceReleases(anEnvironment(() => startGround(startKubeProxyPlane))));
