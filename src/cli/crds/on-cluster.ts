import type { Cluster } from '../../kube/cluster.ts';
import { loadConnection } from '../../kube/connect.ts';
import { createCluster } from '../../kube/create-cluster.ts';

/** Of a request of a person, who waits for it. */
const ANSWER_WITHIN_MS = 30_000;

/** Does something with the cluster of the kubeconfig; what it cannot do is one line on the standard error, and exit code 2. */
export async function onCluster(
  { kubeconfig, master }: { kubeconfig?: string; master?: string },
  env: NodeJS.ProcessEnv,
  act: (cluster: Cluster) => Promise<number>,
): Promise<number> {
  let cluster: Cluster | undefined;
  try {
    const chosen = kubeconfig || env.KUBECONFIG || '';
    const connection = await loadConnection({
      userAgent: 'serin-cli',
      env,
      ...(chosen && { kubeconfig: chosen }),
      ...(master && { master }),
    });
    cluster = createCluster(connection, { requestTimeoutMs: ANSWER_WITHIN_MS });
    return await act(cluster);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return 2;
  } finally {
    cluster?.close();
  }
}
