import type { CommandLine } from '../controller/config.ts';
import type { Connection } from '../kube/connect.ts';
import type { ControllerHost } from './controller-host.ts';

/** The clusters of a controller. */
export interface ClusterConnections {
  /** Connection to the cluster of the Canaries. */
  own: Connection;
  /** Connection to the cluster of the meshes' routing objects, usually the same. */
  routes: Connection;
  /** The same API server under two names is one cluster: then owners are known there. */
  areRoutesRemote: boolean;
}

/** Returns `undefined` if an API server cannot be reached. The reason was printed. */
export async function connectionsOf(
  { kubeconfig, kubeconfigServiceMesh, master }: Pick<CommandLine, 'kubeconfig' | 'kubeconfigServiceMesh' | 'master'>,
  env: NodeJS.ProcessEnv,
  { connect, complain }: Pick<ControllerHost, 'connect' | 'complain'>,
): Promise<ClusterConnections | undefined> {
  const reach = (file: string, server: string | undefined, problem: (why: string) => string) =>
    connect(file, server, env).catch((error: unknown) => {
      complain(`${problem(error instanceof Error ? error.message : String(error))}\n`);
      return undefined;
    });
  const own = await reach(kubeconfig || env.KUBECONFIG || '', master, (why) => `cannot connect to a cluster: ${why}`);
  if (own === undefined || !kubeconfigServiceMesh) return own && { own, routes: own, areRoutesRemote: false };
  const routes = await reach(
    kubeconfigServiceMesh,
    undefined,
    (why) => `--kubeconfig-service-mesh: ${why.replace('--kubeconfig or KUBECONFIG', 'the path')}`,
  );
  return routes && { own, routes, areRoutesRemote: routes.baseUrl !== own.baseUrl };
}
