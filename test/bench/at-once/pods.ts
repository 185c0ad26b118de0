import type { Deployment } from '../../../src/api/kinds/deployment.ts';
import { watchObjects } from '../../../src/embedded/controllers/object-store.ts';
import { type Mesh, startMesh } from '../../../src/embedded/mesh/index.ts';
import { startNodes } from '../../../src/embedded/nodes/index.ts';
import { podCallsBy } from '../../../src/embedded/nodes/pod-calls.ts';
import type { KubeCluster } from '../../../src/kube/kube-cluster.ts';
import type { Workloads } from './control-plane.ts';

/** Pods that answer requests on loopback, and a proxy that routes by the objects of the API server. kube-controller-manager makes the pods. */
export async function startPods(cluster: KubeCluster): Promise<Workloads & { readonly mesh: Mesh }> {
  // Probes at their own intervals: two hundred pods share this process with the clients.
  const nodes = startNodes(cluster, { calls: podCallsBy(cluster), probeScale: 1, graceScale: 0.3 });
  await nodes.ready;
  const mesh = await startMesh(cluster, { proxies: 1, lagMs: [20, 300] });
  const deployments = watchObjects<Deployment>(cluster, { apiVersion: 'apps/v1', kind: 'Deployment' }, () => undefined);
  await deployments.synced;
  return {
    mesh,
    isIdle: () =>
      deployments
        .list()
        .every(
          ({ metadata, spec, status }) =>
            status?.observedGeneration === metadata.generation && (status?.availableReplicas ?? 0) === (spec.replicas ?? 1),
        ),
    async stop() {
      deployments.stop();
      await mesh.stop();
      await nodes.stop();
    },
  };
}
