import { isIP } from 'node:net';
import pino from 'pino';
import * as z from 'zod';
import { meshProviderNote } from '../../api/mesh-provider.ts';
import { CommandLine, ControllerConfig, settingName } from '../../controller/config.ts';
import { type Controller, startController } from '../../controller/controller.ts';
import { flagEntries, writtenName } from '../../controller/flags.ts';
import { ownOutgoing } from '../../controller/outgoing/outgoing.ts';
import { createControllerMetrics } from '../../controller/telemetry/controller-metrics.ts';
import { type ApiOutage, apiOutage, isUnanswered } from '../../kube/api-outage.ts';
import type { Connection } from '../../kube/connect.ts';
import { type ClusterOptions, createCluster } from '../../kube/create-cluster.ts';
import { ApiError, RequestTimeoutError, UnreachableError } from '../../kube/errors.ts';
import { CredentialPluginError } from '../../kube/exec-credential.ts';
import { KubeconfigError } from '../../kube/kubeconfig.ts';
import { electLeader, type Leadership } from '../../kube/lease.ts';
import { splitCluster } from '../../kube/split-cluster.ts';
import { refuseLateWrites, writeTimeoutMs } from '../../kube/write-deadline.ts';
import { globalServer } from '../../metrics/metrics-source.ts';
import { isMeshKind } from '../../routers/mesh-kinds.ts';
import { startHealthServer } from '../../server/http-server.ts';
import { digest } from '../../workloads/canonical-json.ts';
import { ignoredFlagsIn } from '../ignored-flags.ts';
import { numbered } from '../output/text.ts';
import { version } from '../version.ts';
import { type ControllerHost, processHost } from './controller-host.ts';
import { serverSecret } from './server-secret.ts';

const STALE_WATCH_MS = 300_000;
/** pino's number of the level. */
const DEBUG = 20;

/** client-go's: 0 stands for a default of its own, and below 0 a rate has no limit. */
const orDefault = (value: number, otherwise: number) => (value === 0 ? otherwise : value);

const Flags = CommandLine.transform(({ kubeconfigQps, kubeconfigBurst, ...flags }, context) => {
  const burst = orDefault(kubeconfigBurst, 10);
  if (burst < 0)
    context.addIssue({ code: 'custom', path: ['kubeconfigBurst'], message: 'must be a number of requests: write it like 250' });
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

const proxyVariables = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'] as const;

/** The settings by command line and environment, whose variables win where they are not empty (05-A37). */
export function configOf(options: CommandLine, env: NodeJS.ProcessEnv) {
  const values = flagEntries.map(([name, flag]) => [settingName(name, flag), (flag.env && env[flag.env]) || options[name]]);
  return ControllerConfig.safeParse({
    ...Object.fromEntries(values),
    namespaces: [...new Set([...options.namespace, ...options.namespaces])],
    proxyEnvironment: Object.fromEntries(proxyVariables.flatMap((name) => (env[name] ? [[name, env[name]]] : []))),
  });
}

/** Errors of the cluster and the network are logged by their message; a stack is for faults of ours. */
function errorForLog(error: Error): unknown {
  const isForeign = [ApiError, UnreachableError, RequestTimeoutError, KubeconfigError, CredentialPluginError].some(
    (kind) => error instanceof kind,
  );
  return isForeign ? { type: error.name, message: error.message } : pino.stdSerializers.err(error);
}

const flagName = (path: readonly PropertyKey[]): string => `--${writtenName(path.join('.').replace(/Ms$/, ''))}`;

/** Flagger's name, so that the other controller stands by; one of its own for each slice, whose leaders do not replace each other. */
function leaseName({ namespaces, canarySelector }: Pick<ControllerConfig, 'namespaces' | 'canarySelector'>): string {
  if (canarySelector === '' && namespaces.length <= 1) return 'flagger-leader-election';
  return `serin-${digest({ namespaces: namespaces.toSorted(), canarySelector }).slice(0, 10)}`;
}

/** Literal addresses only; the cluster gives its pods the address of an API server that is named. */
function addressesOf({ baseUrl }: Connection, { KUBERNETES_SERVICE_HOST: host = '' }: NodeJS.ProcessEnv): string[] {
  return [new URL(baseUrl).hostname.replace(/^\[|\]$/g, ''), host].filter((one) => isIP(one) !== 0);
}

async function run(
  flags: z.infer<typeof Flags>,
  config: ControllerConfig,
  env: NodeJS.ProcessEnv,
  host: ControllerHost,
  dead: readonly { flag: string; reason: string }[],
): Promise<number> {
  const { clock, random } = host;
  const log = pino(
    {
      level: flags.logLevel,
      base: null,
      timestamp: () => `,"time":"${new Date(clock.nowMs()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorForLog },
      // An API server that is away is one line (ApiOutage), not one for each request that waits for it.
      hooks: {
        streamWrite: numbered,
        logMethod([fields, ...rest], method, level) {
          const isRepeat = level > DEBUG && isUnanswered((fields as { err?: unknown })?.err);
          if (isRepeat) this.debug(fields, ...rest);
          else method.apply(this, [fields, ...rest]);
        },
      },
    },
    host.log,
  );
  for (const { flag, reason } of dead) log.warn({ flag, reason }, 'this flag means nothing here');
  const reason = meshProviderNote(flags.meshProvider);
  if (reason) log.warn({ flag: '--mesh-provider', reason }, 'the flag names what has ended');
  const metrics = createControllerMetrics(version);
  const kubeconfig = flags.kubeconfig || env.KUBECONFIG || '';
  const connection = await host.connect(kubeconfig, flags.master, env).catch((error: unknown) => {
    host.complain(`cannot connect to a cluster: ${error instanceof Error ? error.message : error}\n`);
    return undefined;
  });
  if (connection === undefined) return 1;
  const meshConnection = flags.kubeconfigServiceMesh
    ? await host.connect(flags.kubeconfigServiceMesh, undefined, env).catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        host.complain(`--kubeconfig-service-mesh: ${why.replace('--kubeconfig or KUBECONFIG', 'the path')}\n`);
        return undefined;
      })
    : connection;
  if (meshConnection === undefined) return 1;
  // The same API server under two names is one cluster: then owners are known there.
  const remoteRoutes = meshConnection.baseUrl !== connection.baseUrl;
  const metricsServerSecret = serverSecret(flags.metricsServerSecret, env);
  let controller: Controller | undefined;
  let leadership: Leadership | undefined;
  const gaveUp = Promise.withResolvers<'no answer'>();
  const limitMs = flags.apiServerTimeout > 0 ? flags.apiServerTimeout : undefined;
  const outageOf = (server: string, onLimit: Partial<Parameters<typeof apiOutage>[0]> = {}): ApiOutage =>
    apiOutage({ server, clock, log, ...onLimit });
  const outage = outageOf(connection.baseUrl, {
    limitMs,
    giveUp: (unansweredMs) => {
      log.error({ server: connection.baseUrl, unansweredMs }, 'no answer from the API server within --api-server-timeout: exiting');
      gaveUp.resolve('no answer');
    },
  });
  const clientOptions: ClusterOptions = {
    requestTimeoutMs: writeTimeoutMs(config),
    beforeSend: refuseLateWrites(() => leadership?.mayWriteUntilMs() ?? Number.POSITIVE_INFINITY, clock),
    qps: flags.kubeconfigQps,
    burst: flags.kubeconfigBurst,
    watch: { silentMs: flags.watchSilence },
    onRequest: (request) => metrics.requested(request),
    log,
    clock,
    random,
  };
  const own = createCluster(connection, { ...clientOptions, outage });
  // A new process would not reach the other cluster either: its Canaries wait, and those without routes there go on.
  const mesh = () => createCluster(meshConnection, { ...clientOptions, outage: outageOf(meshConnection.baseUrl) });
  const cluster = remoteRoutes ? splitCluster(own, mesh(), isMeshKind) : own;
  let hasLooked = false;
  // Before anything is written: a port that is taken ends the process.
  const server = await startHealthServer({
    port: config.port,
    ...(host.listen && { listen: host.listen }),
    metrics: async () => ({ contentType: metrics.registry.contentType, text: await metrics.registry.metrics() }),
    unlive: () => undefined,
    unready: () => {
      if (controller && !hasLooked) return 'the first read of the cluster is not done yet';
      const [stale] = controller?.staleWatches(STALE_WATCH_MS) ?? [];
      return stale && `the watch of ${stale.kind} has been silent for ${Math.round(stale.ageMs / 1000)} s`;
    },
  }).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'EADDRINUSE' ? 'another program listens there: choose another port, or 0 for a free one' : error.message;
    host.complain(`--port ${config.port}: ${why}\n`);
    return undefined;
  });
  if (server === undefined) {
    cluster.close();
    return 1;
  }
  const { identity } = host;
  let standby = Promise.resolve();
  const lead = () => {
    controller = startController({
      version,
      identity,
      word: host.word,
      agents: host.agents,
      config: {
        ...config,
        remoteRoutes,
        apiServers: addressesOf(connection, env),
        threads: Number(env.UV_THREADPOOL_SIZE) || config.threads,
      },
      cluster,
      clock,
      log,
      metrics,
      metricsServerSecret,
      ...(leadership && { mayWrite: () => clock.monotonicMs() < (leadership?.mayWriteUntilMs() ?? 0) }),
    });
    controller.started.then(
      () => {
        hasLooked = true;
        log.info(
          {
            provider: config.meshProvider,
            ...(remoteRoutes && { routesAt: meshConnection.baseUrl }),
            namespaces: config.namespaces.length > 0 ? config.namespaces : 'all',
          },
          'looking after Canaries',
        );
      },
      (error: unknown) => log.error({ err: error }, 'the first look at the cluster failed'),
    );
  };
  if (config.enableLeaderElection) {
    // Its own client: a busy request queue must not make us lose the lease.
    leadership = electLeader(createCluster(connection, { requestTimeoutMs: config.renewDeadlineMs / 2, outage, clock, random }), {
      namespace: config.namespaces.length === 1 ? (config.namespaces[0] ?? '') : config.leaderElectionNamespace,
      name: leaseName(config),
      identity,
      leaseDurationMs: config.leaseDurationMs,
      renewDeadlineMs: config.renewDeadlineMs,
      retryPeriodMs: config.retryPeriodMs,
      clock,
      log,
      onLeading: () => void standby.then(lead),
      onLost: () => {
        log.warn({}, 'the lease is lost: standing by');
        standby = controller?.stop() ?? standby;
        controller = undefined;
      },
      onReleased: () => log.info({}, 'the lease is released'),
    });
  } else {
    lead();
  }
  log.info({ version, port: server.port }, 'serin controller started');
  const stopping = new AbortController();
  const { metricsServer } = config;
  const ownEgress = ownOutgoing({ ...config, agents: host.agents });
  void globalServer({ metricsServer, metricsServerSecret, ownEgress, clock, timeoutMs: 10_000 })
    .isOnline(stopping.signal)
    .then((reason) => {
      if (reason === undefined) log.info({}, 'the metrics server answers');
      else if (!stopping.signal.aborted) log.warn({ reason }, 'the metrics server cannot be asked');
    });
  const signal = await Promise.race([host.ended(flags.endWithStdin), gaveUp.promise]);
  if (flags.endWithStdin) host.release();
  log.info({ signal }, 'stopping');
  stopping.abort();
  await controller?.stop();
  await leadership?.stop();
  cluster.close();
  await server.stop();
  return signal === 'no answer' ? 1 : 0;
}
