import type { Canary } from '../../api/canary.ts';
import { asEvent } from '../../api/kinds/event.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import { reportOf } from '../../reading/canary-report.ts';
import { oldestFirst, timeOfEvent } from '../../reading/event-time.ts';
import { historyOf, recordsInCluster } from '../../reading/history.ts';
import { evidencePoints } from '../../reading/journals/read-journals.ts';
import { type CanarySnapshot, readSnapshot } from '../../reading/snapshot.ts';
import { whyOf } from '../../reading/why/diagnose.ts';
import { routerFor } from '../../routers/index.ts';
import { canaryLabelValue } from '../../workloads/anchor.ts';
import { journalDocument } from '../journal/journal-command.ts';
import { endpointsSummary } from './endpoints-summary.ts';
import { evidencePage } from './evidence-page.ts';
import { podSummary, replicaSetSummary } from './pod-summary.ts';
import type { ReportReader } from './report-reader.ts';

/** One file of the archive. */
export interface ReportFile {
  path: string;
  says: string;
  content: string | object;
}

/** Everything of one Canary that a bug report needs, as the redacting reader gives it. */
export async function canaryFiles(
  reader: ReportReader,
  ref: { namespace: string; name: string },
  meshProvider: string,
): Promise<ReportFile[]> {
  const { namespace, name } = ref;
  const snapshot = await readSnapshot(reader, namespace, name);
  const { raw, canary, target, primary, targetPods, primaryPods } = snapshot;
  const folder = `canaries/${canaryLabelValue(namespace)}/${canaryLabelValue(name)}`;
  const file = (path: string, says: string, content: string | object): ReportFile => ({ path: `${folder}/${path}`, says, content });
  const ofCanary = canary
    ? await aroundIt(reader, canary, meshProvider)
    : { services: [], endpoints: [], quotas: [], routes: [], scalers: [], templates: [], alertProviders: [] };
  const sets = await replicaSets(reader, namespace, [target, primary]);
  const pods = [...targetPods, ...primaryPods];
  const workloads = [target, ...(primary === target ? [] : [primary])].flatMap((one) => one ?? []);
  const journals = await reader.journals({ namespace, name, uid: raw.metadata.uid ?? '' });
  return [
    file('canary.yaml', 'the Canary', [raw]),
    file('why.json', 'what holds it, as serin why says', whyOf(snapshot)),
    file('status.json', 'as serin status says', reportOf(snapshot)),
    file('history.json', 'promoted revisions, as serin history shows them', historyOf(raw, await recordsInCluster(reader, raw))),
    ...journals.map((one) =>
      file(`journal-${one.run}.json`, `the journal of release ${one.run}, for serin replay -f`, journalDocument(one)),
    ),
    ...journals.flatMap(({ run, parts }) => {
      const points = evidencePoints(parts);
      const says = `how the evidence of release ${run} grew, as a picture`;
      return points.length === 0
        ? []
        : [file(`evidence-${run}.html`, says, evidencePage(`Release ${run} of ${namespace}/${name}`, points))];
    }),
    file('workloads.yaml', 'the target and the primary', workloads),
    file('pods.json', 'their ReplicaSets and pods, in short', { replicaSets: sets.map(replicaSetSummary), pods: pods.map(podSummary) }),
    file('services.yaml', 'the Services', ofCanary.services),
    file('endpoints.json', 'the EndpointSlices of these Services, in short', ofCanary.endpoints.map(endpointsSummary)),
    file('routes.yaml', 'the routes, as the provider has them', ofCanary.routes),
    file('scalers.yaml', 'the scalers of the target and the primary', ofCanary.scalers),
    file('quotas.yaml', 'the ResourceQuotas of the namespace', ofCanary.quotas),
    file('metric-templates.yaml', 'the MetricTemplates that its checks refer to', ofCanary.templates),
    file('alert-providers.yaml', 'the AlertProviders that its alerts refer to', ofCanary.alertProviders),
    file(
      'events.json',
      'Events of the Canary and of all of these',
      await eventsOf(reader, namespace, [...about(snapshot), ...sets, ...Object.values(ofCanary).flat()]),
    ),
  ].filter(({ content }) => !Array.isArray(content) || content.length > 0);
}

async function aroundIt(reader: ReportReader, canary: Canary, meshProvider: string) {
  const { metadata, spec } = canary;
  const { namespace } = metadata;
  const { apexService, primaryService, canaryService, primaryScaler } = names(canary);
  const services = [apexService, primaryService, canaryService];
  const provider = spec.provider ?? meshProvider;
  const router = routerFor(provider);
  const scaler = spec.autoscalerRef;
  const scalers =
    scaler && [scaler.name, primaryScaler ?? ''].map((name) => ({ apiVersion: scaler.apiVersion, kind: scaler.kind, namespace, name }));
  const ofOurs =
    (kind: string) =>
    (ref: { name: string; namespace?: string | undefined }): ObjectRef => ({
      apiVersion: canary.apiVersion,
      kind,
      name: ref.name,
      namespace: ref.namespace ?? namespace,
    });
  const templates = (spec.analysis.metrics ?? []).flatMap(({ templateRef }) => templateRef ?? []).map(ofOurs('MetricTemplate'));
  const alertProviders = (spec.analysis.alerts ?? []).map(({ providerRef }) => ofOurs('AlertProvider')(providerRef));
  return {
    services: await all(
      reader,
      services.map((name) => ({ apiVersion: 'v1', kind: 'Service', namespace, name })),
    ),
    endpoints: await reader.choose({ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', namespace }, ({ metadata }) =>
      services.includes(metadata.labels?.['kubernetes.io/service-name'] ?? ''),
    ),
    quotas: await reader.choose({ apiVersion: 'v1', kind: 'ResourceQuota', namespace }, () => true),
    routes: 'unsupported' in router ? [] : await all(reader, router.watches(canary)),
    scalers: await all(reader, scalers ?? []),
    templates: await all(reader, templates),
    alertProviders: await all(reader, alertProviders),
  };
}

/** Each once, in this order; the reader notes missing objects. */
async function all(reader: ReportReader, refs: readonly ObjectRef[]): Promise<KubeObject[]> {
  const once = [...new Map(refs.map((ref) => [JSON.stringify([ref.kind, ref.namespace, ref.name]), ref])).values()];
  const found: KubeObject[] = [];
  for (const ref of once) {
    const { name, ...kind } = ref;
    // Without a name every object of the kind is meant.
    if (name === '') found.push(...(await reader.list(kind)).items);
    else found.push(...[await reader.get(ref)].flatMap((object) => object ?? []));
  }
  return found;
}

/** The ReplicaSets of those owners that are Deployments. */
async function replicaSets(reader: ReportReader, namespace: string, owners: readonly (KubeObject | undefined)[]): Promise<KubeObject[]> {
  const uids = owners.flatMap((owner) => (owner?.kind === 'Deployment' ? (owner.metadata.uid ?? []) : []));
  if (uids.length === 0) return [];
  const kind = { apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace };
  return reader.choose(kind, ({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uids.includes(uid)) === true);
}

function about({ raw, target, primary, targetPods, primaryPods }: CanarySnapshot): KubeObject[] {
  return [raw, target, primary, ...targetPods, ...primaryPods].flatMap((one) => one ?? []);
}

async function eventsOf(reader: ReportReader, namespace: string, objects: readonly KubeObject[]): Promise<object[]> {
  const known = new Set(objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`));
  const events = await reader.choose({ apiVersion: 'v1', kind: 'Event', namespace }, (event) => known.has(involvedIn(event)));
  return oldestFirst(events)
    .map(asEvent)
    .map((event) => ({
      at: timeOfEvent(event),
      object: involvedIn(event),
      type: event.type,
      reason: event.reason,
      message: event.message,
      count: event.count ?? event.series?.count ?? 1,
      from: event.reportingComponent || event.source?.component,
    }));
}

function involvedIn(event: KubeObject): string {
  const { involvedObject } = asEvent(event);
  return `${involvedObject?.kind}/${involvedObject?.name}`;
}
