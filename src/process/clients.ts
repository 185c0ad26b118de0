import type { Logger } from 'pino';
import { apiOutage } from '../kube/api-outage.ts';
import type { Cluster } from '../kube/cluster.ts';
import { type ClusterOptions, createCluster } from '../kube/create-cluster.ts';
import { RequestPacing } from '../kube/request-pacing.ts';
import type { ShardTerm } from '../kube/shards/shard-keeper.ts';
import { splitCluster } from '../kube/split-cluster.ts';
import { writesOfTerm } from '../kube/write-deadline.ts';
import { isMeshKind } from '../routers/mesh-kinds.ts';
import type { ClusterConnections } from './connections.ts';
import type { ProcessFlags } from './controller-settings.ts';

type ClientsAround = Pick<Required<ClusterOptions>, 'outage' | 'onRequest' | 'clock' | 'random'> & { log: Logger };

/** Clients of one process for the API servers. */
export interface Clients {
  /** A client whose writes end with the term; without one they need none. */
  clientOf(term: () => ShardTerm | undefined): Cluster;
  /** Rate limits of the requests, one for each API server. */
  readonly pacings: readonly RequestPacing[];
}

export function clientsOf(
  { kubeconfigQps: qps, kubeconfigBurst: burst, watchSilence: silentMs }: ProcessFlags,
  { own, routes, areRoutesRemote }: ClusterConnections,
  { outage, ...common }: ClientsAround,
): Clients {
  const { log, clock, random } = common;
  const options: ClusterOptions = { qps, burst, watch: { silentMs }, ...common };
  const pacing = new RequestPacing({ clock, random });
  // A new process would not reach the other cluster either: its Canaries wait, and those without routes there go on.
  const routesPacing = new RequestPacing({ clock, random });
  return {
    clientOf(term) {
      const bounded = { ...options, beforeSend: writesOfTerm(term, clock) };
      const ownClient = createCluster(own, { ...bounded, outage, pacing });
      if (!areRoutesRemote) return ownClient;
      const ofRoutes = { ...bounded, outage: apiOutage({ server: routes.baseUrl, clock, log }), pacing: routesPacing };
      return splitCluster(ownClient, createCluster(routes, ofRoutes), isMeshKind);
    },
    pacings: areRoutesRemote ? [pacing, routesPacing] : [pacing],
  };
}
