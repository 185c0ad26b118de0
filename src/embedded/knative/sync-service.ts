import type { Condition } from '../../api/kinds/condition.ts';
import type { Deployment } from '../../api/kinds/deployment.ts';
import type { KnativeService } from '../../api/kinds/knative-service.ts';
import { type KubeObject, refOf } from '../../api/kube-object.ts';
import { canonicalJson } from '../../base/json.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { isAlreadyExists } from '../../kube/errors.ts';
import { keyOf, type ObjectStore } from '../controllers/object-store.ts';
import { controllerOf, shortHash } from '../controllers/selectors.ts';
import { objectsOf, revisionFor, TEMPLATE_HASH } from './revision-objects.ts';
import { isReady, readyOf, resolveTraffic, revisionConditions, urlOf } from './status.ts';

interface KnativeStores {
  services: ObjectStore<KnativeService>;
  revisions: ObjectStore;
  deployments: ObjectStore<Deployment>;
}

/** One pass over one Knative Service: a Revision for its template, the objects that run each Revision, and both statuses. */
export async function syncKnativeService(cluster: Cluster, stores: KnativeStores, key: string): Promise<void> {
  const service = stores.services.get(key);
  if (!service || service.metadata.deletionTimestamp) return;
  const known = stores.revisions
    .list()
    .filter((revision) => controllerOf(revision)?.uid === service.metadata.uid)
    .toSorted((a, b) => numberOf(a) - numberOf(b));
  const revisions = await withNewest(cluster, stores, service, known);
  const judged: KubeObject[] = [];
  for (const revision of revisions) judged.push(await syncRevision(cluster, stores, revision));
  await writeServiceStatus(cluster, stores, service, judged);
}

const numberOf = (revision: KubeObject): number => Number(revision.metadata.labels?.['serving.knative.dev/configurationGeneration'] ?? 0);

async function withNewest(cluster: Cluster, stores: KnativeStores, service: KnativeService, known: KubeObject[]): Promise<KubeObject[]> {
  const hash = shortHash(canonicalJson(service.spec?.template ?? {}));
  const newest = known.at(-1);
  if (newest?.metadata.annotations?.[TEMPLATE_HASH] === hash) return known;
  const created = await cluster.create(revisionFor(service, (newest ? numberOf(newest) : 0) + 1, hash));
  stores.revisions.remember(created);
  return [...known, created];
}

async function syncRevision(cluster: Cluster, stores: KnativeStores, revision: KubeObject): Promise<KubeObject> {
  const deploymentKey = `${revision.metadata.namespace}/${revision.metadata.name}-deployment`;
  const deployment = stores.deployments.get(deploymentKey);
  if (!deployment) for (const object of objectsOf(revision)) await createOnce(cluster, object);
  const status = { conditions: revisionConditions(deployment), observedGeneration: revision.metadata.generation };
  return writeStatus(cluster, stores.revisions, revision, status);
}

async function writeServiceStatus(cluster: Cluster, stores: KnativeStores, service: KnativeService, revisions: KubeObject[]) {
  // The status of now: whether the traffic was named before is read from it.
  const now = stores.services.get(keyOf(service)) ?? service;
  const { traffic, condition: routes } = resolveTraffic(now, revisions);
  const newest = revisions.at(-1);
  const configurations: Condition = { ...readyOf(newest), type: 'ConfigurationsReady' };
  const ready = [routes, configurations].toSorted((a, b) => rankOf(a) - rankOf(b))[0];
  const latestReady = revisions.findLast(isReady)?.metadata.name;
  await writeStatus(cluster, stores.services, service, {
    observedGeneration: now.metadata.generation,
    latestCreatedRevisionName: newest?.metadata.name,
    ...(latestReady === undefined ? {} : { latestReadyRevisionName: latestReady }),
    url: urlOf(now),
    traffic: traffic ?? now.status?.traffic ?? [],
    conditions: [configurations, { ...ready, type: 'Ready' }, routes],
  });
}

/** False comes before unknown. */
const rankOf = ({ status = '' }: Condition): number => ['False', 'Unknown', 'True'].indexOf(status);

async function writeStatus(cluster: Cluster, store: ObjectStore, object: KubeObject, status: object): Promise<KubeObject> {
  if (canonicalJson(object.status ?? {}) === canonicalJson(status)) return object;
  // Its current version: an answer to our own write can be newer than the version at the beginning of the pass.
  const { resourceVersion } = (store.get(keyOf(object)) ?? object).metadata;
  const written = await cluster.patch(refOf(object), { metadata: { resourceVersion }, status: { ...status } }, { subresource: 'status' });
  store.remember(written);
  return written;
}

async function createOnce(cluster: Cluster, object: KubeObject): Promise<void> {
  try {
    await cluster.create(object);
  } catch (error) {
    // The pass before made it, and the watch has not shown it yet.
    if (!isAlreadyExists(error)) throw error;
  }
}
