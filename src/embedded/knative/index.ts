import type { Deployment } from '../../api/kinds/deployment.ts';
import type { KnativeService } from '../../api/kinds/knative-service.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { systemClock } from '../../base/clock.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { keyOf, standInOf, watchObjects } from '../controllers/object-store.ts';
import { controllerOf } from '../controllers/selectors.ts';
import { workQueue } from '../controllers/work-queue.ts';
import type { StandIn, StandInOptions } from '../world.ts';
import { syncKnativeService } from './sync-service.ts';

const SERVING = 'serving.knative.dev/v1';

/**
 * Replaces Knative Serving: each new template of a Knative Service makes a Revision with a Deployment and a Service of its own, and the traffic block is
 * resolved into the status, which the mesh follows. Pods do not go to zero. An API client, so that it also serves a real kube-apiserver with Knative's CRDs.
 */
export function startKnative(cluster: Cluster, options: StandInOptions = {}): StandIn {
  const { clock = systemClock, onError = () => undefined } = options;
  const queue = workQueue(
    clock,
    async (key) => {
      await standIn.synced;
      await syncKnativeService(cluster, stores, key);
    },
    onError,
  );
  const wake = ({ metadata: { labels, namespace } }: KubeObject): void => {
    const name = labels?.['serving.knative.dev/service'];
    if (name !== undefined) queue.add(`${namespace}/${name}`);
  };
  const stores = {
    services: watchObjects<KnativeService>(cluster, { apiVersion: SERVING, kind: 'Service' }, (_, service) => queue.add(keyOf(service))),
    revisions: watchObjects(cluster, { apiVersion: SERVING, kind: 'Revision' }, (_, revision) => wake(revision)),
    deployments: watchObjects<Deployment>(cluster, { apiVersion: 'apps/v1', kind: 'Deployment' }, (_, deployment) => {
      if (controllerOf(deployment)?.kind === 'Revision') wake(deployment);
    }),
  };
  const standIn = standInOf(stores, queue);
  return standIn;
}
