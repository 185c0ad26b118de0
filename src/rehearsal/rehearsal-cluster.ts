import type { KubeObject } from '../api/kube-object.ts';
import { type EmbeddedClusterOptions, startEmbeddedCluster } from '../embedded/cluster.ts';
import { startGatewayApi } from '../embedded/gateway-api/index.ts';
import { startKeda } from '../embedded/keda/index.ts';
import { startKnative } from '../embedded/knative/index.ts';
import { startPrometheus } from '../embedded/prometheus/index.ts';
import type { World } from '../embedded/world.ts';

interface RehearsalClusterOptions extends Omit<EmbeddedClusterOptions, 'world'> {
  crds: readonly KubeObject[];
  scrapeIntervalMs: number;
  /** Time for which samples are kept; default one hour. */
  retentionMs?: number;
  /** The CRD of KEDA is among `crds`. */
  keda?: boolean;
}

/** Everything that a release runs on: a cluster with nodes that run pods, a mesh, and a Prometheus that scrapes it. */
export async function startRehearsalCluster(
  world: World,
  { scrapeIntervalMs, retentionMs = 3_600_000, keda = false, ...options }: RehearsalClusterOptions,
) {
  const { clock } = world;
  const embedded = await startEmbeddedCluster({ world, ...options });
  const { cluster, mesh } = embedded;
  const { groups } = options.mesh ?? {};
  const standIns = [
    ...(groups?.has('gateway.networking.k8s.io') === false ? [] : [startGatewayApi(cluster, { clock })]),
    ...(groups?.has('serving.knative.dev') === false ? [] : [startKnative(cluster, { clock })]),
    ...(keda ? [startKeda(cluster, { clock })] : []),
  ];
  const target = { url: mesh.metricsUrl, samples: mesh.metricsSamples };
  const prometheus = await startPrometheus({ world, targets: [target], scrapeIntervalMs, retentionMs });
  return {
    embedded,
    prometheus,
    async stop(): Promise<void> {
      for (const standIn of standIns) standIn.stop();
      await prometheus.stop();
      await embedded.stop();
    },
  };
}
