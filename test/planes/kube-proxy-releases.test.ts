import { describe } from 'vitest';
import { describeBlueGreen } from '../scenarios/blue-green.ts';
import { anEnvironment } from '../scenarios/environment.ts';
import { type StartPlane, startGround } from './ground.ts';
import { type ProxyMode, startKubeProxy } from './kube-proxy.ts';
import { startServiceClient } from './service-client.ts';

/** Denser than where many releases play at once. */
const CROWD = { each: 2, pauseMs: 20 };

const planeWith =
  (mode: ProxyMode): StartPlane =>
  async ({ cluster, adminKubeconfigFile }) => {
    const [node] = (await cluster.list({ apiVersion: 'v1', kind: 'Node' })).items;
    const proxy = await startKubeProxy(adminKubeconfigFile, { node: node?.metadata.name ?? '', mode });
    const client = await startServiceClient(cluster);
    return {
      url: client.url,
      // No program counts requests here, and no check needs them.
      metricsUrl: client.url,
      knows: () => true,
      mirrored: () => ({}),
      async stop() {
        await client.stop();
        await proxy.stop();
      },
    };
  };

describe.each<ProxyMode>(['nftables', 'iptables'])('kube-proxy with %s', (mode) =>
  describeBlueGreen(
    anEnvironment(() => startGround(planeWith(mode))),
    CROWD,
  ),
);
