import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crds } from '../api/crds.ts';
import { startEmbeddedCluster } from '../embedded/cluster.ts';
import { startGatewayApi } from '../embedded/gateway-api/index.ts';
import { startKnative } from '../embedded/knative/index.ts';
import { startPrometheus } from '../embedded/prometheus/index.ts';
import { knativeCrds, routingCrds } from '../embedded/routing-crds.ts';

const SCRAPE_EVERY_MS = 500;
/** Proxies of real meshes hear of a change late, and each at another moment. */
const MESH = { proxies: 3, lagMs: [0, 500], seed: 7 } as const;
/** Part of the grace period that terminating pods get, so that a rollout does not take half a minute. */
const GRACE_SCALE = 0.2;

/** Flags of `serin cluster`. */
export interface ClusterCommandOptions {
  /** File for a shell to read: KUBECONFIG, PROMETHEUS and PROXY. */
  env?: string;
}

/** A cluster in this process, to try Serin on; it runs until a signal stops the process. Resolves to the exit code. */
export async function clusterCommand({ env }: ClusterCommandOptions, say: (line: string) => void): Promise<number> {
  const ended = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  const embedded = await startEmbeddedCluster({ mesh: MESH, nodes: { graceScale: GRACE_SCALE } });
  const { cluster, mesh } = embedded;
  for (const crd of [...crds(), ...routingCrds(), ...knativeCrds()]) await cluster.create(crd);
  const gateways = startGatewayApi(cluster);
  const knative = startKnative(cluster);
  const prometheus = await startPrometheus({ targets: [mesh.metricsUrl], scrapeIntervalMs: SCRAPE_EVERY_MS });
  const folder = mkdtempSync(join(tmpdir(), 'serin-cluster-'));
  try {
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, embedded.kubeconfig, { mode: 0o600 });
    const lines = [`export KUBECONFIG=${kubeconfig}`, `export PROMETHEUS=${prometheus.url}`, `export PROXY=${mesh.url(0)}`];
    if (env !== undefined) writeFileSync(env, `${lines.join('\n')}\n`);
    for (const line of lines) say(line);
    say('The cluster is ready, and runs until Ctrl-C. Pods are small HTTP servers: an image is only a name, and its tag the version.');
    await ended;
    return 0;
  } finally {
    gateways.stop();
    knative.stop();
    await prometheus.stop();
    await embedded.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
