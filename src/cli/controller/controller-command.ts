import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Logger } from 'pino';
import * as z from 'zod';
import { meshProviderNote } from '../../api/mesh-provider.ts';
import { metricsText } from '../../base/meters.ts';
import { CommandLine, type ControllerConfig } from '../../controller/config.ts';
import { startController } from '../../controller/controller.ts';
import { writtenName } from '../../controller/flags.ts';
import { sharedParts } from '../../controller/make-deps.ts';
import { type ControllerMetrics, createControllerMetrics } from '../../controller/telemetry/controller-metrics.ts';
import { ShardMetrics } from '../../controller/telemetry/shard-metrics.ts';
import { apiOutage } from '../../kube/api-outage.ts';
import type { Cluster } from '../../kube/cluster.ts';
import type { Connection } from '../../kube/connect.ts';
import { type ClusterOptions, createCluster } from '../../kube/create-cluster.ts';
import { RequestPacing } from '../../kube/request-pacing.ts';
import type { ShardTerm } from '../../kube/shards/shard-keeper.ts';
import { slowNote } from '../../kube/slow-note.ts';
import { splitCluster } from '../../kube/split-cluster.ts';
import { writesOfTerm } from '../../kube/write-deadline.ts';
import { globalServer } from '../../metrics/metrics-source.ts';
import type { MetricProvider } from '../../metrics/providers/metric-provider.ts';
import { ownEgress } from '../../outgoing/own-egress.ts';
import { isMeshKind } from '../../routers/mesh-kinds.ts';
import { startHealthServer } from '../../server/http-server.ts';
import type { ControllerDashboard, DashboardAround } from '../dashboard/controller-dashboard.ts';
import { dashboardSettings } from '../dashboard/dashboard-settings.ts';
import { ignoredFlagsIn } from '../ignored-flags.ts';
import { version } from '../version.ts';
import { type ClusterConnections, connectionsOf } from './connections.ts';
import { type ControllerHost, processHost } from './controller-host.ts';
import { controllerLog } from './controller-log.ts';
import { configOf } from './controller-settings.ts';
import { IdleMemory } from './idle-memory.ts';
import { messageTemplatesIn } from './message-templates-file.ts';
import { Replica } from './replica.ts';
import { serverSecret } from './server-secret.ts';
import { Shards, type ShardsOptions } from './shards.ts';

/** client-go's: 0 stands for a default of its own, and below 0 a rate has no limit. */
const orDefault = (value: number, otherwise: number) => (value === 0 ? otherwise : value);

const Flags = CommandLine.transform(({ kubeconfigQps, kubeconfigBurst, ...flags }, context) => {
  const burst = orDefault(kubeconfigBurst, 10);
  if (burst < 0)
    context.addIssue({ code: 'custom', path: ['kubeconfigBurst'], message: 'must be a number of requests: write it like 250' });
  if (flags.shards !== undefined && Number(flags.shards) > 1 && !flags.enableLeaderElection)
    context.addIssue({ code: 'custom', path: ['shards'], message: 'more than 1 needs --enable-leader-election' });
  if (flags.watchSilence === 0) context.addIssue({ code: 'custom', path: ['watchSilence'], message: 'must be more than 0s' });
  return { ...flags, kubeconfigQps: orDefault(kubeconfigQps, 5), kubeconfigBurst: burst };
}).and(z.object({ logLevel: z.string(), endWithStdin: z.boolean().default(false) }));

/** Runs the controller until SIGTERM or SIGINT; the exit code is 0 after a clean stop, and 1 when a flag is unusable or the API server does not answer. */
export async function controllerCommand(options: unknown, env: NodeJS.ProcessEnv, host: ControllerHost = processHost()): Promise<number> {
  const flags = Flags.safeParse(options);
  const config = flags.success ? configOf(flags.data, env) : undefined;
  const problem = flags.error ?? config?.error;
  if (!flags.success || !config?.success) {
    for (const issue of problem?.issues ?? []) host.complain(`${flagName(issue.path)}: ${issue.message}\n`);
    return 1;
  }
  return run(flags.data, config.data, env, host, ignoredFlagsIn(options as Record<string, unknown>));
}

type IgnoredFlag = ReturnType<typeof ignoredFlagsIn>[number];

const flagName = (path: readonly PropertyKey[]): string => `--${writtenName(path.join('.').replace(/Ms$/, ''))}`;

function warnOfFlags(log: Logger, { meshProvider }: { meshProvider: string }, ignored: readonly IgnoredFlag[]): void {
  for (const { flag, reason } of ignored) log.warn({ flag, reason }, 'flag is ignored');
  const reason = meshProviderNote(meshProvider);
  if (reason) log.warn({ flag: '--mesh-provider', reason }, 'provider is deprecated');
}

/** Settings that no flag has. */
function ofSurroundings({ own, areRoutesRemote }: ClusterConnections, env: NodeJS.ProcessEnv): Partial<ControllerConfig> {
  const threads = Number(env.UV_THREADPOOL_SIZE);
  return {
    ...{ remoteRoutes: areRoutesRemote, apiServers: addressesOf(own, env), ownAddresses: ownAddresses(env) },
    ...(threads > 0 && { threads }),
  };
}

/** Literal addresses only; the cluster gives its pods the address of an API server that is named. */
function addressesOf({ baseUrl }: Connection, { KUBERNETES_SERVICE_HOST: host = '' }: NodeJS.ProcessEnv): string[] {
  return [new URL(baseUrl).hostname.replace(/^\[|\]$/g, ''), host].filter((one) => isIP(one) !== 0);
}

/** Of the pod, and of its node where the chart names them. */
function ownAddresses({ HOST_IPS = '' }: NodeJS.ProcessEnv): string[] {
  const ofPod = Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));
  return [...ofPod, ...HOST_IPS.split(',').map((one) => one.trim())].filter((one) => isIP(one) !== 0);
}

async function run(
  flags: z.infer<typeof Flags>,
  config: ControllerConfig,
  env: NodeJS.ProcessEnv,
  host: ControllerHost,
  ignored: readonly IgnoredFlag[],
): Promise<number> {
  const { clock, random, identity, agents } = host;
  const log = controllerLog(host, flags.logLevel);
  warnOfFlags(log, flags, ignored);
  const messages = messageTemplatesIn(flags.messageTemplatesFile);
  if ('problem' in messages) {
    host.complain(`--message-templates-file: ${messages.problem}\n`);
    return 1;
  }
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
  const dashboard =
    server && flags.dashboard
      ? await dashboardServer(flags, config, { own, areRoutesRemote, egress, onRequest, log, clock, random, host })
      : undefined;
  if (server === undefined || (flags.dashboard && dashboard === undefined)) {
    cluster.close();
    await server?.stop();
    return 1;
  }
  const seen = <T extends Cluster>(one: T): T => dashboard?.feed.tap(one) ?? one;
  const metricsServerSecret = serverSecret(flags.metricsServerSecret, env);
  const controllerOptions = {
    ...{ version, identity, word: host.word, agents, clock, random, log, metricsServerSecret },
    messageTemplates: messages.templates,
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

/** Undefined: it cannot be served, which was printed. */
async function dashboardServer(
  flags: z.infer<typeof Flags>,
  { dashboardUrl, namespaces, meshProvider }: ControllerConfig,
  around: Omit<DashboardAround, 'complain'> & { host: ControllerHost },
): Promise<ControllerDashboard | undefined> {
  const settings = dashboardSettings({ ...flags, dashboardUrl, namespaces, meshProvider });
  if ('problems' in settings) {
    for (const problem of settings.problems) around.host.complain(`${problem}\n`);
    return undefined;
  }
  const { startControllerDashboard } = await import('../dashboard/controller-dashboard.ts');
  return startControllerDashboard(settings, { ...around, complain: around.host.complain });
}

/** How clients of the API servers are made, and what paces their requests. */
function clientsOf(
  { kubeconfigQps: qps, kubeconfigBurst: burst, watchSilence: silentMs }: z.infer<typeof Flags>,
  { own, routes, areRoutesRemote }: ClusterConnections,
  { outage, ...common }: Pick<Required<ClusterOptions>, 'outage' | 'onRequest' | 'clock' | 'random'> & { log: Logger },
) {
  const { log, clock, random } = common;
  const options: ClusterOptions = { qps, burst, watch: { silentMs }, ...common };
  const pacing = new RequestPacing({ clock, random });
  // A new process would not reach the other cluster either: its Canaries wait, and those without routes there go on.
  const routesPacing = new RequestPacing({ clock, random });
  /** A client whose writes end with the term; without one they need none. */
  const clientOf = (term: () => ShardTerm | undefined) => {
    const bounded = { ...options, beforeSend: writesOfTerm(term, clock) };
    const ownClient = createCluster(own, { ...bounded, outage, pacing });
    if (!areRoutesRemote) return ownClient;
    const ofRoutes = { ...bounded, outage: apiOutage({ server: routes.baseUrl, clock, log }), pacing: routesPacing };
    return splitCluster(ownClient, createCluster(routes, ofRoutes), isMeshKind);
  };
  return { clientOf, pacings: areRoutesRemote ? [pacing, routesPacing] : [pacing] };
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

/** Undefined: the port cannot be had, which was printed. */
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
