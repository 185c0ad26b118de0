import { asKnativeService, type KnativeTraffic } from '../../api/kinds/knative-service.ts';
import type { ServiceSpec } from '../../api/kinds/service.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import { isKnative, knativeApiVersion } from '../../api/knative.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import { type Routes, weight } from '../../api/routes.ts';
import type { ClusterReader } from '../../kube/cluster.ts';
import { trafficEntries } from '../../routers/knative/traffic.ts';
import { trafficOf as splitOf } from '../canary-reading.ts';
import type { TrafficReport } from '../documents/canary-documents.ts';
import { outputVersion } from '../documents/output-version.ts';
import { ifInstalled } from '../if-readable.ts';
import { ReadingError } from '../reading-error.ts';
import { findCanary } from './find-canary.ts';
import { objectLabel, type RouteObjects, readRouteObjects } from './route-objects.ts';

/** The traffic of a Canary, of the Service that it routes, or of a Knative Service without a Canary. `meshProvider`: for Canaries that name none. */
export async function readTraffic(cluster: ClusterReader, namespace: string, name: string, meshProvider: string): Promise<TrafficReport> {
  const raw = await findCanary(cluster, namespace, name);
  if (raw) return ofCanary(cluster, namespace, raw, meshProvider);
  const service = await findKnativeService(cluster, namespace, name);
  if (service) return knativeReport(service);
  throw new ReadingError('notFound', `Canary, Service of a Canary or Knative Service ${name} not found in namespace ${namespace}`);
}

/** The Service of serving.knative.dev, `undefined` if it is not found or the kind is absent. */
export function findKnativeService(cluster: ClusterReader, namespace: string, name: string): Promise<KubeObject | undefined> {
  return ifInstalled(cluster.get({ apiVersion: knativeApiVersion, kind: 'Service', namespace, name }));
}

async function ofCanary(cluster: ClusterReader, namespace: string, raw: KubeObject, meshProvider: string): Promise<TrafficReport> {
  return trafficReport(await readRouteObjects(cluster, raw, meshProvider), { namespace, name: raw.metadata.name });
}

/** The split that route objects express. Pure. */
export function trafficReport(
  { canary, provider, router, found, services }: RouteObjects,
  { namespace, name }: { namespace: string; name: string },
): TrafficReport {
  const { primaryService, canaryService } = names(canary);
  const routes = services ? bySelector(services) : router.readRoutes(canary, found);
  const service = isKnative(canary.spec.targetRef) ? found.find(({ kind }) => kind === 'Service') : undefined;
  return {
    ...reportOf({ kind: 'Canary', namespace, name }, provider, found),
    ...(routes === undefined ? {} : 'unreadable' in routes ? routes : said(routes)),
    sides: { primary: primaryService, canary: canaryService },
    ...(service && { revisions: revisionsOf(asKnativeService(service).status?.traffic ?? []) }),
  };
}

/** The traffic in force; the desired one while the status is empty. */
export function knativeReport(
  service: KubeObject,
  traffic: readonly KnativeTraffic[] = asKnativeService(service).status?.traffic ?? trafficEntries(service),
): TrafficReport {
  const { namespace = '', name } = service.metadata;
  return {
    ...reportOf({ kind: 'Service.serving.knative.dev', namespace, name }, 'knative', [service]),
    revisions: revisionsOf(traffic),
  };
}

function reportOf(object: TrafficReport['object'], provider: string, found: readonly KubeObject[]): TrafficReport {
  const readFrom = found.map(objectLabel);
  return { apiVersion: outputVersion, kind: 'TrafficReport', object, provider, readFrom };
}

function said(routes: Routes): Pick<TrafficReport, 'traffic' | 'matching'> {
  const isOfMatches = routes.kind === 'weighted' && routes.match?.length;
  return { traffic: splitOf(routes, routes.kind === 'weighted' ? routes.canary : 0), ...(isOfMatches ? { matching: true } : {}) };
}

function revisionsOf(traffic: readonly KnativeTraffic[]): NonNullable<TrafficReport['revisions']> {
  return traffic.map(({ revisionName, latestRevision = false, percent = 0, tag, url }) => ({
    ...(revisionName && { revision: revisionName }),
    latest: latestRevision,
    percent,
    ...(tag && { tag }),
    ...(url && { url }),
  }));
}

/** Without a provider the apex Service decides, by the pods that it selects. */
function bySelector({ apex, primary }: NonNullable<RouteObjects['services']>): Routes | undefined {
  if (!apex) return undefined;
  const selectorOf = (service: KubeObject | undefined) => JSON.stringify(specOf<ServiceSpec>(service).selector);
  return { kind: 'weighted', canary: weight(selectorOf(apex) === selectorOf(primary) ? 0 : 100) };
}
