import type { ControllerRevision } from '../../api/kinds/controller-revision.ts';
import type { DaemonSet } from '../../api/kinds/daemon-set.ts';
import type { Deployment } from '../../api/kinds/deployment.ts';
import type { EndpointSlice } from '../../api/kinds/endpoint-slice.ts';
import type { HorizontalPodAutoscaler } from '../../api/kinds/horizontal-pod-autoscaler.ts';
import type { Node } from '../../api/kinds/node.ts';
import type { Pod } from '../../api/kinds/pod.ts';
import type { PodDisruptionBudget } from '../../api/kinds/pod-disruption-budget.ts';
import type { ReplicaSet } from '../../api/kinds/replica-set.ts';
import type { Service } from '../../api/kinds/service.ts';
import type { ObjectStore } from './object-store.ts';

/** The objects that controllers decide by. */
export type Stores = {
  deployments: ObjectStore<Deployment>;
  autoscalers: ObjectStore<HorizontalPodAutoscaler>;
  replicaSets: ObjectStore<ReplicaSet>;
  pods: ObjectStore<Pod>;
  daemonSets: ObjectStore<DaemonSet>;
  revisions: ObjectStore<ControllerRevision>;
  budgets: ObjectStore<PodDisruptionBudget>;
  services: ObjectStore<Service>;
  nodes: ObjectStore<Node>;
  slices: ObjectStore<EndpointSlice>;
};

/** For controllers of pods. `leaving`: uids of pods whose deletion was requested and not yet seen in the watch. */
export type PodStores = Stores & { leaving: Set<string> };
