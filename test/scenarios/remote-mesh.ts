import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApiServer } from '../../src/embedded/apiserver/index.ts';
import { startEmbeddedCluster } from '../../src/embedded/cluster.ts';
import { startMesh } from '../../src/embedded/mesh/index.ts';
import { startPrometheus } from '../../src/embedded/prometheus/index.ts';
import { connectionTo } from '../../src/kube/connect.ts';
import { createCluster } from '../../src/kube/create-cluster.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { splitCluster } from '../../src/kube/split-cluster.ts';
import { isMeshKind } from '../../src/routers/mesh-kinds.ts';
import { applyCrds, type Environment, OWN_CRDS, ROUTING_CRDS } from './environment.ts';
import { world as currentWorld } from './world.ts';

/** An application in one cluster, and the routing objects of its mesh in another, each of which knows only its own kinds. */
export interface RemoteMeshEnvironment extends Environment {
  readonly remote: KubeCluster;
  readonly remoteKubeconfigFile: string;
  /** Requests of the controller to the cluster of the mesh. */
  remoteRequestCounts(): Record<string, number>;
}

const MESH = { proxies: 3, lagMs: [20, 300], seed: 11 } as const;
const SCRAPE_EVERY_MS = 250;

export async function startRemoteMeshEnvironment(): Promise<RemoteMeshEnvironment> {
  const world = currentWorld();
  const { clock, network, random } = world;
  const local = await startEmbeddedCluster({ world, nodes: { graceScale: 0.05 }, mesh: { proxies: 1 } });
  const server = await startApiServer({ world });
  const agent = network.agent({ keepAlive: true });
  const remote = createCluster({ ...connectionTo(server.url, { userAgent: 'serin-embedded' }), agent }, { clock, random });
  await applyCrds(local.cluster, [OWN_CRDS]);
  await applyCrds(remote, [ROUTING_CRDS]);
  // View of a mesh over several clusters: routes from the one, Services and endpoints from the other.
  const both: KubeCluster = { ...local.cluster, ...splitCluster(local.cluster, remote, isMeshKind) };
  const mesh = await startMesh(both, { world, ...MESH });
  const prometheus = await startPrometheus({ world, targets: [mesh.metricsUrl], scrapeIntervalMs: SCRAPE_EVERY_MS });
  const folder = mkdtempSync(join(tmpdir(), 'serin-remote-mesh-'));
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  return {
    kubeconfigFile: file('kubeconfig', local.kubeconfig),
    remoteKubeconfigFile: file('mesh-kubeconfig', server.kubeconfig()),
    cluster: local.cluster,
    remote,
    mesh,
    nodes: local.nodes,
    prometheusUrl: prometheus.url,
    requestCounts: () => local.requestCounts('serin-controller'),
    remoteRequestCounts: () => server.requestCounts('serin-controller'),
    forbidden: () => [],
    async stop() {
      await prometheus.stop();
      await mesh.stop();
      remote.close();
      agent.destroy();
      await local.stop();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
