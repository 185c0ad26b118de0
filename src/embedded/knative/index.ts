import { systemClock } from '../../api/clock.ts';
import type { Deployment } from '../../api/kinds/deployment.ts';
import type { KnativeService } from '../../api/kinds/knative-service.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { keyOf, type ObjectChange, watchObjects } from '../controllers/object-store.ts';
import { controllerOf } from '../controllers/selectors.ts';
import { workQueue } from '../controllers/work-queue.ts';
import type { StandInOptions } from '../world.ts';
import { syncKnativeService } from './sync-service.ts';

export interface Knative {
  /** Resolves when Knative Services, which need their CRD, have been listed once. */
  readonly synced: Promise<void>;
  stop(): void;
}

const SERVING = 'serving.knative.dev/v1';

/**
 * A stand-in for Knative Serving: each new template of a Knative Service makes a Revision with a Deployment and a Service of its own, and the
 * traffic block is resolved into the status, which the mesh follows. Pods do not go to zero. An API client, so that it serves a real
 * kube-apiserver with Knative's CRDs too.
 */
export function startKnative(cluster: Cluster, options: StandInOptions = {}): Knative {
  const { clock = systemClock, onError = () => undefined } = options;
  const queue = workQueue(
    clock,
    async (key) => {
      await synced;
      await syncKnativeService(cluster, stores, key);
    },
    onError,
  );
  const ofEither = ({ previous, next }: ObjectChange): KubeObject | undefined => next ?? previous;
  const wake = (object: KubeObject | undefined): void => {
    const name = object?.metadata.labels?.['serving.knative.dev/service'];
    if (name !== undefined) queue.add(`${object?.metadata.namespace}/${name}`);
  };
  const stores = {
    services: watchObjects<KnativeService>(cluster, { apiVersion: SERVING, kind: 'Service' }, (change) => {
      const service = ofEither(change);
      if (service) queue.add(keyOf(service));
    }),
    revisions: watchObjects(cluster, { apiVersion: SERVING, kind: 'Revision' }, (change) => wake(ofEither(change))),
    deployments: watchObjects<Deployment>(cluster, { apiVersion: 'apps/v1', kind: 'Deployment' }, (change) => {
      const deployment = ofEither(change);
      if (deployment && controllerOf(deployment)?.kind === 'Revision') wake(deployment);
    }),
  };
  const all = Object.values(stores);
  const synced = Promise.all(all.map((store) => store.synced)).then(() => undefined);
  return {
    synced,
    stop() {
      for (const store of all) store.stop();
      queue.stop();
    },
  };
}
