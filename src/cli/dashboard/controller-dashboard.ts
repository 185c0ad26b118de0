import { createServer, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Clock } from '../../api/clock.ts';
import { ACCESS_LIMITS, type AccessLimits, clusterAccess } from '../../dashboard/access/cluster-access.ts';
import { CanaryFeed } from '../../dashboard/canary-feed.ts';
import { LIMITS, serveDashboard } from '../../dashboard/dashboard-server.ts';
import type { Connection } from '../../kube/connect.ts';
import { type ClusterLog, type ClusterOptions, createCluster } from '../../kube/create-cluster.ts';
import type { EgressPolicy } from '../../outgoing/connection.ts';
import { isMeshKind } from '../../routers/mesh-kinds.ts';
import type { ControllerHost } from '../controller/controller-host.ts';
import { canaryRow, watchKeptRows } from './canary-row.ts';
import { clusterViews } from './cluster-views.ts';
import type { DashboardSettings } from './dashboard-settings.ts';
import { TlsFilesProblem, watchedTls } from './watched-tls.ts';

/** What the dashboard gets of the controller. */
export interface DashboardAround extends Required<Pick<ClusterOptions, 'onRequest' | 'random'>> {
  own: Connection;
  areRoutesRemote: boolean;
  /** How the OpenID Connect provider is reached. */
  egress: EgressPolicy;
  clock: Clock;
  log: ClusterLog & { info(fields: object, message: string): void };
  complain: ControllerHost['complain'];
  /** Only tests have others. */
  limits?: Partial<AccessLimits>;
}

/** The dashboard that a controller serves. */
export interface ControllerDashboard {
  port: number;
  /** Watches of the controller feed it. */
  feed: CanaryFeed;
  stop(): Promise<void>;
}

/** Requests of readers to the API server have a budget of their own, so that they never delay a release. */
const READERS_QPS = 50;
const READERS_BURST = 100;
const SERVER_LIMITS = { ...LIMITS, connections: 512, streams: 256, streamsOfSession: 12, requestsUnderWay: 64 };

/** Serves the dashboard; undefined: it cannot, which was printed. */
export async function startControllerDashboard(
  settings: DashboardSettings,
  { own, areRoutesRemote, egress, onRequest, clock, random, log, complain, limits }: DashboardAround,
): Promise<ControllerDashboard | undefined> {
  const cluster = createCluster(own, { clock, random, log, onRequest, qps: READERS_QPS, burst: READERS_BURST });
  const feed = new CanaryFeed(cluster, { namespaces: settings.namespaces, rowOf: canaryRow, watchKept: watchKeptRows(cluster), clock });
  const ends: (() => void)[] = [() => feed.stop(), () => cluster.close()];
  const endAll = () => {
    for (const end of ends) end();
  };
  try {
    const { oidcLogin } = await import('../../dashboard/access/oidc-login.ts');
    const tls = settings.tls && watchedTls(settings.tls, { clock, log });
    if (tls) ends.push(() => tls.stop());
    const access = clusterAccess({
      ...{ origin: settings.origin, isTls: tls !== undefined, audience: settings.audience, mayAct: settings.mayAct },
      served: { cluster, isElsewhere: (apiVersion) => areRoutesRemote && isMeshKind(apiVersion) },
      oidc: settings.oidc && oidcLogin(settings.oidc, { egress }),
      source: feed,
      viewsOf: (asUser) => clusterViews({ cluster: asUser, namespace: undefined, clock }, settings.meshProvider),
      ...{ clock, log, limits: { ...ACCESS_LIMITS, ...limits } },
    });
    ends.push(() => access.stop());
    const server = (options: ServerOptions): Server =>
      tls ? tls.follow(createTlsServer({ ...options, ...tls.now() })) : createServer(options);
    const served = await serveDashboard({ port: settings.port, server, accessAt: () => access, clock, limits: SERVER_LIMITS });
    return {
      ...{ port: served.port, feed },
      stop: async () => {
        endAll();
        await served.stop();
      },
    };
  } catch (error) {
    endAll();
    complain(`${problemOf(error, settings.port)}\n`);
    return undefined;
  }
}

function problemOf(error: unknown, port: number): string {
  if (error instanceof TlsFilesProblem) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  const why = code === 'EADDRINUSE' ? 'another program listens there: choose another port, or 0 for a free one' : message;
  return `--dashboard-port ${port}: ${why}`;
}
