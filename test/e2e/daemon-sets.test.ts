import { refOf } from '../../src/api/kube-object.ts';
import { startNodes } from '../../src/embedded/nodes/index.ts';
import { daemonNodes, daemonSetSuite } from '../scenarios/daemon-sets.ts';
import { startRealCluster } from './real-cluster.ts';

daemonSetSuite('a real control plane', async () => {
  const real = await startRealCluster();
  const { cluster } = real;
  const nodes = startNodes(cluster, {
    calls: { bind: (pod, node) => cluster.bind(refOf(pod), node), forceDelete: (pod) => cluster.forceDelete(refOf(pod)) },
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
