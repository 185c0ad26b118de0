import { startApiServer } from '../../../src/embedded/apiserver/index.ts';
import { Controllers } from '../../../src/embedded/controllers/index.ts';
import { startGatewayApi } from '../../../src/embedded/gateway-api/index.ts';
import { startKnative } from '../../../src/embedded/knative/index.ts';
import { type Mesh, startMesh } from '../../../src/embedded/mesh/index.ts';
import { httpPodCalls, startNodes } from '../../../src/embedded/nodes/index.ts';
import { connectionTo } from '../../../src/kube/connect.ts';
import { createCluster } from '../../../src/kube/create-cluster.ts';
import type { KubeCluster } from '../../../src/kube/kube-cluster.ts';
import { applyCrds } from '../environment.ts';
import { world as currentWorld } from '../world.ts';

/** A cluster for requests: one proxy that sees every change at once, and no controller that releases anything. */
export interface ShareEnvironment {
  readonly cluster: KubeCluster;
  readonly mesh: Mesh;
  stop(): Promise<void>;
}

/** `seed` decides every choice of the proxy. */
export async function startShareEnvironment(seed: number): Promise<ShareEnvironment> {
  const world = currentWorld();
  const { clock, network, random } = world;
  const server = await startApiServer({ world });
  const agent = network.agent({ keepAlive: true });
  const cluster = createCluster({ ...connectionTo(server.url, { userAgent: 'serin-shares' }), agent }, { clock, random });
  // Before any watch starts: a client that finds a kind absent tries again only seconds later.
  await applyCrds(cluster);
  const controllers = new Controllers(cluster, { clock });
  const nodes = startNodes(cluster, { world, calls: httpPodCalls(server.url, world), startupMs: 0 });
  await Promise.all([controllers.synced, nodes.ready]);
  const standIns = [startKnative(cluster, { clock }), startGatewayApi(cluster, { clock })];
  const mesh = await startMesh(cluster, { world, proxies: 1, lagMs: [0, 0], keepsConnections: true, seed });
  return {
    cluster,
    mesh,
    async stop() {
      for (const standIn of standIns) standIn.stop();
      controllers.stop();
      await mesh.stop();
      await nodes.stop();
      cluster.close();
      agent.destroy();
      await server.stop();
    },
  };
}
