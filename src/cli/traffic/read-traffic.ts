import type { Canary } from '../../api/canary.ts';
import { asKnativeService, type KnativeTraffic } from '../../api/kinds/knative-service.ts';
import type { ServiceSpec } from '../../api/kinds/service.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import { isKnative, knativeApiVersion } from '../../api/knative.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import { parseCanary } from '../../api/parse-canary.ts';
import { type Routes, weight } from '../../api/routes.ts';
import type { ClusterReader } from '../../kube/cluster.ts';
import { routerFor } from '../../routers/index.ts';
import { trafficOf } from '../../routers/knative/traffic.ts';
import { trafficOf as splitOf } from '../canaries/canary-reading.ts';
import { ifInstalled } from '../canaries/if-readable.ts';
import type { TrafficReport } from '../output/documents.ts';
import { CommandError } from '../output/exit-codes.ts';
import { outputVersion } from '../output/output-version.ts';
import { findCanary } from './find-canary.ts';

/** The traffic of a Canary, of the Service that it routes, or of a Knative Service without a Canary. `meshProvider`: for Canaries that name none. */
export async function readTraffic(cluster: ClusterReader, namespace: string, name: string, meshProvider: string): Promise<TrafficReport> {
  const raw = await findCanary(cluster, namespace, name);
  if (raw) return ofCanary(cluster, namespace, raw, meshProvider);
  const service = await knativeService(cluster, namespace, name);
  if (service) return knativeReport(service);
  throw new CommandError('notFound', `Canary, Service of a Canary or Knative Service ${name} not found in namespace ${namespace}`);
}

/** The Service of serving.knative.dev; undefined: not found, or the kind is absent. */
export function knativeService(cluster: ClusterReader, namespace: string, name: string): Promise<KubeObject | undefined> {
  return ifInstalled(cluster.get({ apiVersion: knativeApiVersion, kind: 'Service', namespace, name }));
}

async function ofCanary(cluster: ClusterReader, namespace: string, raw: KubeObject, meshProvider: string): Promise<TrafficReport> {
  const { name } = raw.metadata;
  const parsed = parseCanary(raw);
  if ('problems' in parsed) {
    const [first] = parsed.problems;
    throw new CommandError('no', `Canary ${name} cannot be read: ${first?.path}: ${first?.message}`);
  }
  const { canary } = parsed;
  const provider = canary.spec.provider ?? meshProvider;
  const router = routerFor(provider);
  if ('unsupported' in router) throw new CommandError('no', `Canary ${name}: ${router.unsupported}`);
  const refs = router.watches(canary);
  const { primaryService, canaryService } = names(canary);
  const found = (await Promise.all(refs.map((ref) => ifInstalled(cluster.get(ref))))).flatMap((object) => object ?? []);
  const routes = refs.length === 0 ? await bySelector(cluster, canary) : router.readRoutes(canary, found);
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
  traffic: readonly KnativeTraffic[] = asKnativeService(service).status?.traffic ?? trafficOf(service),
): TrafficReport {
  const { namespace = '', name } = service.metadata;
  return {
    ...reportOf({ kind: 'Service.serving.knative.dev', namespace, name }, 'knative', [service]),
    revisions: revisionsOf(traffic),
  };
}

function reportOf(object: TrafficReport['object'], provider: string, found: readonly KubeObject[]): TrafficReport {
  const readFrom = found.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`);
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
async function bySelector(cluster: ClusterReader, canary: Canary): Promise<Routes | undefined> {
  const { apexService, primaryService } = names(canary);
  const { namespace } = canary.metadata;
  const [apex, primary] = await Promise.all(
    [apexService, primaryService].map((name) => cluster.get({ apiVersion: 'v1', kind: 'Service', namespace, name })),
  );
  if (!apex) return undefined;
  const selectorOf = (service: KubeObject | undefined) => JSON.stringify(specOf<ServiceSpec>(service).selector);
  const isOnPrimary = selectorOf(apex) === selectorOf(primary);
  return { kind: 'weighted', canary: weight(isOnPrimary ? 0 : 100) };
}
