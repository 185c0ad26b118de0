import type { Clock } from '../../base/clock.ts';
import type { Connection } from '../../kube/connect.ts';
import { type ClusterLog, type ClusterOptions, createCluster } from '../../kube/create-cluster.ts';
import type { KubeCluster } from '../../kube/kube-cluster.ts';
import type { EgressPolicy } from '../../outgoing/connection.ts';
import { ACCESS_LIMITS, type AccessLimits } from '../access/cluster-access.ts';
import { CanaryFeed } from '../canary-feed.ts';
import { canaryRow, watchKeptRows } from '../views/canary-row.ts';
import { clusterViews } from '../views/cluster-views.ts';
import type { DashboardSettings } from './dashboard-settings.ts';
import { ListenerProblem, type OpenListeners, serveListeners } from './serve-listeners.ts';
import { TlsFilesProblem, watchedTls } from './watched-tls.ts';

/** Dependencies that the dashboard gets from the controller. */
interface Around extends Required<Pick<ClusterOptions, 'onRequest' | 'random'>> {
  own: Connection;
  /** True for kinds that live in the cluster of the routes. */
  isElsewhere(apiVersion: string): boolean;
  /** Policy for requests to the OpenID Connect provider. */
  egress: EgressPolicy;
  clock: Clock;
  log: ClusterLog & { info(fields: object, message: string): void };
  /** Prints why it cannot be served. */
  complain(text: string): void;
  /** Only tests have others. */
  limits?: Partial<AccessLimits>;
}

/** The dashboard that a controller serves. */
export interface ControllerDashboard extends OpenListeners {
  /** Watches of the controller feed it. */
  feed: CanaryFeed;
}

/** Requests of readers to the API server have a budget of their own, so that they never delay a release. */
const READERS_QPS = 50;
const READERS_BURST = 100;

/** Serves the dashboard; `undefined` if it cannot, after the reason is printed. */
export async function startControllerDashboard(
  settings: DashboardSettings,
  { own, isElsewhere, egress, onRequest, clock, random, log, complain, limits }: Around,
): Promise<ControllerDashboard | undefined> {
  const cluster = createCluster(own, { clock, random, log, onRequest, qps: READERS_QPS, burst: READERS_BURST });
  const feed = new CanaryFeed(cluster, { namespaces: settings.namespaces, rowOf: canaryRow, watchKept: watchKeptRows(cluster), clock });
  const ends: (() => void)[] = [() => feed.stop(), () => cluster.close()];
  const endAll = () => {
    for (const end of ends) end();
  };
  try {
    const { oidcLogin } = await import('../access/oidc-login.ts');
    const tls = settings.tls && watchedTls(settings.tls, { clock, log });
    if (tls) ends.push(() => tls.stop());
    const access = {
      ...{ audience: settings.audience, mayAct: settings.mayAct },
      served: { cluster, isElsewhere },
      oidc: settings.oidc && oidcLogin(settings.oidc, { egress }),
      source: feed,
      viewsOf: (asUser: KubeCluster) => clusterViews({ cluster: asUser, namespace: undefined, clock }, settings.meshProvider),
      ...{ clock, log, limits: { ...ACCESS_LIMITS, ...limits } },
    };
    const listeners = await serveListeners({ settings, tls, access });
    return {
      ...{ ...listeners, feed },
      stop: async () => {
        endAll();
        await listeners.stop();
      },
    };
  } catch (error) {
    endAll();
    if (!(error instanceof TlsFilesProblem || error instanceof ListenerProblem)) throw error;
    complain(`${error.message}\n`);
    return undefined;
  }
}
