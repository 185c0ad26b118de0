import { startNodes } from '../../src/embedded/nodes/index.ts';
import { podCallsBy } from '../../src/embedded/nodes/pod-calls.ts';
import { daemonNodes, daemonSetSuite } from '../scenarios/daemon-sets.ts';
import { startRealCluster } from './real-cluster.ts';

daemonSetSuite('a real control plane', async () => {
  const real = await startRealCluster();
  const { cluster } = real;
  const nodes = startNodes(cluster, {
    calls: podCallsBy(cluster),
    nodes: daemonNodes,
    graceScale: 0.05,
  });
  await nodes.ready;
  return {
    cluster,
    async stop() {
      await nodes.stop();
      await real.stop();
    },
  };
});
