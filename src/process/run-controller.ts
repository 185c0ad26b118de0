import type { Logger } from 'pino';
import { meshProviderNote } from '../api/mesh-provider.ts';
import type { Clock } from '../base/clock.ts';
import { metricsText } from '../base/meters.ts';
import { version } from '../base/version.ts';
import type { ControllerConfig } from '../controller/config.ts';
import { startController } from '../controller/controller.ts';
import { sharedParts } from '../controller/make-deps.ts';
import { type ControllerMetrics, createControllerMetrics } from '../controller/telemetry/controller-metrics.ts';
import { ShardMetrics } from '../controller/telemetry/shard-metrics.ts';
import { apiOutage } from '../kube/api-outage.ts';
import type { Cluster } from '../kube/cluster.ts';
import type { Connection } from '../kube/connect.ts';
import { type ClusterOptions, createCluster } from '../kube/create-cluster.ts';
import { slowNote } from '../kube/slow-note.ts';
import { globalServer } from '../metrics/metrics-source.ts';
import type { MetricProvider } from '../metrics/providers/metric-provider.ts';
import type { MessageTemplates } from '../notifiers/message-templates.ts';
import type { EgressPolicy } from '../outgoing/connection.ts';
import { ownEgress } from '../outgoing/own-egress.ts';
import { isMeshKind } from '../routers/mesh-kinds.ts';
import { startHealthServer } from '../server/http-server.ts';
import { clientsOf } from './clients.ts';
import { connectionsOf } from './connections.ts';
import type { ControllerHost } from './controller-host.ts';
import { controllerLog } from './controller-log.ts';
import type { ProcessFlags } from './controller-settings.ts';
import { IdleMemory } from './idle-memory.ts';
import { Replica } from './replica.ts';
import { serverSecret } from './server-secret.ts';
import { Shards, type ShardsOptions } from './shards.ts';
import { ofSurroundings } from './surroundings.ts';

/** Input of a controller's run. */
export interface ControllerRun {
  flags: ProcessFlags;
  config: ControllerConfig;
  env: NodeJS.ProcessEnv;
  host: ControllerHost;
  /** Flags that were given and have no effect, with the reason. */
  ignored: readonly { flag: string; reason: string }[];
  messageTemplates?: MessageTemplates | undefined;
  /** Serves the dashboard, `undefined` if no dashboard is wanted. */
  startDashboard?: ((around: DashboardAround) => Promise<ServedDashboard | undefined>) | undefined;
}

/** Dependencies that a dashboard gets from the controller in the same process. */
export interface DashboardAround extends Required<Pick<ClusterOptions, 'onRequest' | 'random'>> {
  own: Connection;
  /** True for kinds that live in the cluster of the routes. */
  isElsewhere(apiVersion: string): boolean;
  /** Egress policy to the OpenID Connect provider. */
  egress: EgressPolicy;
  clock: Clock;
  log: Logger;
  complain: ControllerHost['complain'];
}

/** A dashboard that is served beside the controller. */
export interface ServedDashboard {
  /** `undefined` if it is not served there. */
  readonly port: number | undefined;
  readonly localPort: number | undefined;
  /** Watches of the controller's client feed it. */
  readonly feed: { tap<T extends Cluster>(cluster: T): T };
  stop(): Promise<void>;
}

/** Runs the controller until its host ends it. The exit code is 1 where it cannot start or the API server does not answer, which was printed or logged. */
export async function runController({
  flags,
  config,
  env,
  host,
  ignored,
  messageTemplates,
  startDashboard,
}: ControllerRun): Promise<number> {
  const { clock, random, identity, agents } = host;
  const log = controllerLog(host, flags.logLevel);
  warnOfFlags(log, flags, ignored);
  const connections = await connectionsOf(flags, env, host);
  if (connections === undefined) return 1;
  const { own, routes, areRoutesRemote } = connections;
  const metrics = createControllerMetrics(version);
  const gaveUp = Promise.withResolvers<'no answer'>();
  const outage = apiOutage({
    server: own.baseUrl,
    clock,
    log,
    limitMs: flags.apiServerTimeout > 0 ? flags.apiServerTimeout : undefined,
    giveUp: (unansweredMs) => {
      log.error({ server: own.baseUrl, unansweredMs }, 'no answer from the API server within --api-server-timeout: exiting');
      gaveUp.resolve('no answer');
    },
  });
  let replica: Replica | Shards | undefined;
  const memory = host.memory && new IdleMemory({ ...host.memory, clock });
  const onRequest = (request: Parameters<ControllerMetrics['requested']>[0]): void => {
    metrics.requested(request);
    memory?.busy();
  };
  const { clientOf, pacings } = clientsOf(flags, connections, { outage, onRequest, log, clock, random });
  const cluster = clientOf(() => (replica instanceof Replica ? replica.leadership : undefined));
  metrics.paced(pacings);
  if (config.shards > 1) metrics.divided(config.shards);
  // Before anything is written: a port that is taken ends the process.
  const server = await healthServer(config.port, metrics, host, () => replica?.unready());
  const egress = ownEgress({ ...config, agents });
  const isElsewhere = (apiVersion: string) => areRoutesRemote && isMeshKind(apiVersion);
  const around = { own, isElsewhere, egress, onRequest, log, clock, random, complain: host.complain };
  const dashboard = server && (await startDashboard?.(around));
  if (server === undefined || (startDashboard !== undefined && dashboard === undefined)) {
    cluster.close();
    await server?.stop();
    return 1;
  }
  const seen = <T extends Cluster>(one: T): T => dashboard?.feed.tap(one) ?? one;
  const metricsServerSecret = serverSecret(flags.metricsServerSecret, env);
  const controllerOptions = {
    ...{ version, identity, word: host.word, agents, clock, random, log, metricsServerSecret, messageTemplates },
    config: { ...config, ...ofSurroundings(connections, env) },
  };
  const ofReplica = {
    ...{ config, identity, clock, log },
    leaseClient: () => createCluster(own, { requestTimeoutMs: config.renewDeadlineMs / 2, outage, clock, random }),
    slowNote: () => slowNote(pacings.flatMap((one) => one.slow())),
    routesAt: areRoutesRemote ? routes.baseUrl : undefined,
  };
  replica =
    config.shards > 1
      ? startShards({ ...ofReplica, random, clientOf }, { ...controllerOptions, cluster: seen(cluster) }, metrics)
      : new Replica({
          ...ofReplica,
          startController: (mayWrite) =>
            startController({ ...controllerOptions, cluster: seen(cluster), metrics, ...(mayWrite && { mayWrite }) }),
        });
  log.info({ version, port: server.port }, 'serin controller started');
  if (dashboard) log.info({ port: dashboard.port, localPort: dashboard.localPort }, 'the dashboard is served');
  const stopping = new AbortController();
  const metricsServer = globalServer({
    ...{ metricsServer: config.metricsServer, metricsServerSecret, clock, timeoutMs: 10_000 },
    ownEgress: egress,
  });
  void reportMetricsServer(metricsServer, log, stopping.signal);
  const signal = await Promise.race([host.ended(flags.endWithStdin), gaveUp.promise]);
  if (flags.endWithStdin) host.release();
  log.info({ signal }, 'stopping');
  stopping.abort();
  await dashboard?.stop();
  await replica.stop();
  memory?.stop();
  cluster.close();
  await server.stop();
  return signal === 'no answer' ? 1 : 0;
}

function warnOfFlags(log: Logger, { meshProvider }: { meshProvider: string }, ignored: ControllerRun['ignored']): void {
  for (const { flag, reason } of ignored) log.warn({ flag, reason }, 'flag is ignored');
  const reason = meshProviderNote(meshProvider);
  if (reason) log.warn({ flag: '--mesh-provider', reason }, 'provider is deprecated');
}

/** A controller for each shard that the replica holds; `cluster` is for what they share. */
function startShards(
  ofShards: Omit<ShardsOptions, 'startController'>,
  controllerOptions: Parameters<typeof sharedParts>[0] & Omit<Parameters<typeof startController>[0], 'metrics'>,
  metrics: ControllerMetrics,
): Shards {
  const shared = sharedParts(controllerOptions);
  const metricsOf = new ShardMetrics(metrics, shared);
  return new Shards({
    ...ofShards,
    startController: (one) => startController({ ...controllerOptions, ...one, shared, metrics: metricsOf.of(one.shard.index) }),
  });
}

/** Logs whether the metrics server answers; nothing waits for it. */
async function reportMetricsServer(server: MetricProvider, log: Logger, signal: AbortSignal): Promise<void> {
  const reason = await server.isOnline(signal);
  if (reason === undefined) log.info({}, 'the metrics server answers');
  else if (!signal.aborted) log.warn({ reason }, 'the metrics server is unavailable');
}

/** Returns `undefined` if the port cannot be opened. The reason was printed. */
function healthServer(
  port: number,
  { registry }: ControllerMetrics,
  { listen, complain }: ControllerHost,
  unready: () => string | undefined,
) {
  return startHealthServer({
    port,
    ...(listen && { listen }),
    metrics: async () => ({ contentType: registry.contentType, text: await metricsText(registry) }),
    unlive: () => undefined,
    unready,
  }).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'EADDRINUSE' ? 'another program listens there: choose another port, or 0 for a free one' : error.message;
    complain(`--port ${port}: ${why}\n`);
    return undefined;
  });
}
