import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { systemClock } from '../../base/clock.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { keyOf, type ObjectStore, standInOf, watchObjects } from '../controllers/object-store.ts';
import { workQueue } from '../controllers/work-queue.ts';
import type { StandIn, StandInOptions } from '../world.ts';

const KIND = { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject' } as const;
const NAME_LABEL = 'scaledobject.keda.sh/name';
const PAUSED = 'autoscaling.keda.sh/paused-replicas';

/**
 * The part of KEDA that a release meets, as an API client: it puts its label on each ScaledObject, makes an HPA from it, and, while that is paused, holds the
 * workload at the number in the annotation. Triggers are not queried.
 */
export function startKeda(cluster: Cluster, options: StandInOptions = {}): StandIn {
  const queue = workQueue(options.clock ?? systemClock, (key) => sync(cluster, scaledObjects, key), options.onError ?? (() => undefined));
  const scaledObjects: ObjectStore<ScaledObject> = watchObjects<ScaledObject>(cluster, KIND, (_, scaled) => queue.add(keyOf(scaled)));
  return standInOf({ scaledObjects }, queue);
}

async function sync(cluster: Cluster, scaledObjects: ObjectStore<ScaledObject>, key: string): Promise<void> {
  const found = scaledObjects.get(key);
  // The HPA of a deleted ScaledObject is removed with its owner.
  if (!found || found.metadata.deletionTimestamp !== undefined) return;
  const { name, namespace = '' } = found.metadata;
  const ref: ObjectRef = { ...KIND, name, namespace };
  const label = name.slice(0, 63);
  if (found.metadata.labels?.[NAME_LABEL] !== label) {
    await cluster.patch(ref, { metadata: { labels: { [NAME_LABEL]: label } } });
    return;
  }
  const hpa = hpaOf(found);
  const hpaRef: ObjectRef = { apiVersion: hpa.apiVersion, kind: hpa.kind, name: hpa.metadata.name, namespace };
  const paused = found.metadata.annotations?.[PAUSED];
  if (paused === undefined) {
    await cluster.apply(hpa, { fieldManager: 'keda' });
    return;
  }
  await cluster.delete(hpaRef);
  const { apiVersion = 'apps/v1', kind = 'Deployment', name: target } = found.spec.scaleTargetRef;
  const workload: ObjectRef = { apiVersion, kind, name: target, namespace };
  const replicas = Number(paused);
  const now = await cluster.get(workload);
  if (now && specOf<{ replicas: number }>(now).replicas !== replicas)
    await cluster.patch(workload, { spec: { replicas } }, { subresource: 'scale' });
}

/** An HPA cannot keep less than one pod; KEDA itself scales between zero and one, which is not played here. */
function hpaOf(scaledObject: ScaledObject): KubeObject {
  const { metadata, spec } = scaledObject;
  const { apiVersion = 'apps/v1', kind = 'Deployment', name } = spec.scaleTargetRef;
  const owner = { ...KIND, name: metadata.name, uid: metadata.uid ?? '', controller: true, blockOwnerDeletion: true };
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: {
      name: spec.advanced?.horizontalPodAutoscalerConfig?.name ?? `keda-hpa-${metadata.name}`,
      namespace: metadata.namespace ?? '',
      ownerReferences: [owner],
    },
    spec: {
      scaleTargetRef: { apiVersion, kind, name },
      minReplicas: Math.max(1, spec.minReplicaCount ?? 0),
      maxReplicas: spec.maxReplicaCount ?? 100,
      metrics: [
        {
          type: 'External',
          external: {
            metric: { name: `s0-${spec.triggers?.[0]?.type ?? 'none'}`, selector: { matchLabels: { [NAME_LABEL]: metadata.name } } },
            target: { type: 'AverageValue', averageValue: String(spec.triggers?.[0]?.metadata?.threshold ?? '1') },
          },
        },
      ],
    },
  };
}

/** A ScaledObject of KEDA. Its triggers can have any shape: `primaryTriggers` parses them. */
interface ScaledObject extends KubeObject {
  kind: 'ScaledObject';
  spec: {
    scaleTargetRef: { apiVersion?: string; kind?: string; name: string };
    minReplicaCount?: number;
    maxReplicaCount?: number;
    triggers?: { type?: string; metadata?: { threshold?: unknown } }[];
    advanced?: { horizontalPodAutoscalerConfig?: { name?: string } };
    [field: string]: unknown;
  };
}
