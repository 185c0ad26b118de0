import { connectionTo } from '../kube/connect.ts';
import { createCluster } from '../kube/create-cluster.ts';
import type { KubeCluster } from '../kube/kube-cluster.ts';
import { type ApiServerOptions, startApiServer } from './apiserver/index.ts';
import { Controllers } from './controllers/index.ts';
import { type Mesh, type MeshOptions, startMesh } from './mesh/index.ts';
import { httpPodCalls, type NodeOptions, type Nodes, startNodes } from './nodes/index.ts';
import { realWorld } from './world.ts';

/** Everything here shares one process: on a busy machine an answer is late, and never lost. */
const ANSWER_WITHIN_MS = 60_000;
/** No network lies between: a silent stream has no events, and need not be opened again. */
const WATCH = { silentMs: undefined, streamSeconds: { from: 86_400, to: 86_400 } };

export interface EmbeddedClusterOptions extends Pick<ApiServerOptions, 'port' | 'world' | 'hooks' | 'crds' | 'authorize'> {
  nodes?: Omit<NodeOptions, 'calls' | 'onError'>;
  mesh?: MeshOptions;
  /** That the kubeconfig means where a command names none; absent: `default`. */
  namespace?: string;
  /** Gets failures of controllers and nodes that are tried again. */
  onError?(error: unknown, what: string): void;
}

export interface EmbeddedCluster {
  readonly apiUrl: string;
  readonly kubeconfig: string;
  /** A client of the cluster's own user agent, `serin-embedded`; for set-up and for looking. */
  readonly cluster: KubeCluster;
  readonly nodes: Nodes;
  readonly mesh: Mesh;
  /** Requests so far by verb and resource, of one user agent or of all. */
  requestCounts(userAgent?: string): Record<string, number>;
  stop(): Promise<void>;
}

/** A whole cluster in this process: API server, controllers, nodes that run pods, and a mesh. */
export async function startEmbeddedCluster(options: EmbeddedClusterOptions = {}): Promise<EmbeddedCluster> {
  const { world = realWorld, nodes: nodeOptions, mesh: meshOptions, namespace = 'default', onError = () => undefined, ...served } = options;
  const { clock, random } = world;
  const server = await startApiServer({ world, ...served });
  const agent = world.network.agent({ keepAlive: true });
  const connection = { ...connectionTo(server.url, { userAgent: 'serin-embedded' }), agent };
  const cluster = createCluster(connection, { requestTimeoutMs: ANSWER_WITHIN_MS, clock, random, watch: WATCH });
  const controllers = new Controllers(cluster, { clock, onError });
  const nodes = startNodes(cluster, { world, ...nodeOptions, calls: httpPodCalls(server.url, world), onError });
  await Promise.all([controllers.synced, nodes.ready]);
  const mesh = await startMesh(cluster, { world, ...meshOptions });
  return {
    apiUrl: server.url,
    kubeconfig: server.kubeconfig(namespace),
    cluster,
    nodes,
    mesh,
    requestCounts: server.requestCounts,
    async stop() {
      controllers.stop();
      await mesh.stop();
      await nodes.stop();
      cluster.close();
      agent.destroy();
      await server.stop();
    },
  };
}
