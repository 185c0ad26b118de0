import { apiVersion, type Provider } from '../../api/canary.ts';
import type { PodWorkloadSpec } from '../../api/kinds/pod-workload-spec.ts';
import { SERVICE_KIND } from '../../api/kinds/service.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import { type KubeObject, refKey, refOf } from '../../api/kube-object.ts';
import type { UnreadKind } from '../../arrival/world.ts';
import type { ClusterReader } from '../../kube/cluster.ts';
import { ifInstalled, ifReadable } from '../../reading/if-readable.ts';
import { routerFor } from '../../routers/index.ts';
import { configObjectRef } from '../../workloads/configs/config-ref.ts';
import { MOST_CONFIGS } from '../../workloads/configs/read-configs.ts';
import { configReferences } from '../../workloads/configs/references.ts';
import { applicationReader, isOfApplication } from '../preflight/application-reader.ts';
import { secretRefsIn } from '../rights/secret-refs.ts';
import { type Item, itemOf } from './documents.ts';
import { apiGroupOf, type CanaryItem, findItem, type Manifests, manifestsOf, targetIn } from './manifests.ts';

/** Kinds that are listed in the namespaces of the Canaries; Secrets are read by name. */
const LISTED = [
  { apiVersion, kind: 'Canary' },
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'apps/v1', kind: 'DaemonSet' },
  SERVICE_KIND,
  { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' },
  { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject' },
  { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress' },
] as const;

/** Objects found in the cluster. */
export interface LiveItems extends Pick<Manifests, 'hidden' | 'unread' | 'unserved'> {
  items: Item[];
}

interface LiveOptions {
  /** Also read what an arrival looks at. */
  withArrival: boolean;
}

/** Everything in the cluster that the objects of the files refer to, without the objects of the files themselves. Only reads. */
export async function readCluster(cluster: ClusterReader, files: readonly Item[], { withArrival }: LiveOptions): Promise<LiveItems> {
  const hidden = new Set<string>();
  const ifAllowed = <T>(kind: string, answer: Promise<T>, otherwise: T) => ifReadable(answer, otherwise, () => hidden.add(kind));
  const list = async (ref: { apiVersion: string; kind: string }, namespace: string): Promise<KubeObject[]> => {
    const { items } = await ifAllowed(ref.kind, cluster.list({ ...ref, namespace }), { items: [], resourceVersion: '' });
    return items.map((item) => ({ ...item, apiVersion: ref.apiVersion, kind: ref.kind }));
  };
  const { canaries, templates } = manifestsOf(files);
  const own = unique(canaries.map(({ namespace }) => namespace));
  const referred = unique(canaries.flatMap(({ namespace, canary: { spec } }) => [namespace, ...namespacesIn(spec.analysis)]));
  const found: KubeObject[] = [];
  const unread = new Map<string, readonly UnreadKind[]>();
  const application = applicationReader(cluster, new Set(own));
  for (const namespace of own) {
    for (const ref of LISTED) if (!withArrival || !isOfApplication(ref)) found.push(...(await list(ref, namespace)));
    if (!withArrival) continue;
    const read = await application(namespace);
    found.push(...read.objects);
    unread.set(namespace, read.unread);
    for (const { kind } of read.unread) if (LISTED.some((one) => one.kind === kind)) hidden.add(kind);
  }
  for (const namespace of referred) {
    for (const kind of ['MetricTemplate', 'AlertProvider']) found.push(...(await list({ apiVersion, kind }, namespace)));
  }
  for (const namespace of hostNamespaces(canaries.map(({ canary }) => canary.spec.analysis)).filter((one) => !own.includes(one)))
    found.push(...(await list(SERVICE_KIND, namespace)));
  const inFiles = [...canaries, ...templates, ...files.filter(({ object }) => object.kind === 'AlertProvider')];
  for (const { namespace, object } of inFiles) {
    for (const { name } of secretRefsIn(object.spec)) {
      const ref = { apiVersion: 'v1', kind: 'Secret', name, ...(namespace === undefined ? {} : { namespace }) };
      const secret = await ifAllowed('Secret', cluster.get(ref), undefined);
      if (secret) found.push({ ...secret, apiVersion: 'v1', kind: 'Secret' });
    }
  }
  for (const canary of withArrival ? canaries : []) {
    const { namespace } = canary;
    const target = targetIn({ items: [...files, ...found.map((object) => itemOf(object))] }, canary);
    if (namespace === undefined || target === undefined) continue;
    for (const ref of configReferences(specOf<PodWorkloadSpec>(target.object).template?.spec).slice(0, MOST_CONFIGS)) {
      const { kind } = ref;
      const config = await ifAllowed(kind, cluster.get(configObjectRef(ref, namespace)), undefined);
      if (config) found.push({ ...config, apiVersion: 'v1', kind });
    }
  }
  const unserved = withArrival ? await unservedKinds(cluster, canaries) : new Map<Provider, string[]>();
  const items = [...new Map(found.map((object) => [refKey(refOf(object)), object])).values()].map((object) => itemOf(object));
  return { items: items.filter((item) => !isIn(files, item)), hidden, unread, unserved };
}

/** Kinds that a router reads and writes, and that the cluster does not serve. A kind without the right to list it is served. */
async function unservedKinds(cluster: ClusterReader, canaries: readonly CanaryItem[]): Promise<Map<Provider, string[]>> {
  const unserved = new Map<Provider, string[]>();
  for (const { provider, canary, namespace } of canaries) {
    if (provider === undefined || namespace === undefined || unserved.has(provider)) continue;
    const router = routerFor(provider);
    if ('unsupported' in router) continue;
    const kinds = new Map(router.watches(canary).map(({ apiVersion, kind }) => [`${kind} in ${apiVersion}`, { apiVersion, kind }]));
    const absent: string[] = [];
    for (const [kind, ref] of kinds) {
      const listed = ifInstalled(cluster.list({ ...ref, namespace })).then((found) => found !== undefined);
      if (!(await ifReadable(listed, true))) absent.push(kind);
    }
    unserved.set(provider, absent);
  }
  return unserved;
}

function isIn(files: readonly Item[], { object, name, namespace }: Item): boolean {
  return findItem({ items: files }, { kind: object.kind, group: apiGroupOf(object), name, namespace }) !== undefined;
}

const unique = (names: readonly (string | undefined)[]): string[] => [...new Set(names.flatMap((name) => name ?? []))];

interface References {
  metrics?: readonly { templateRef?: { namespace?: string | undefined } | undefined }[] | undefined;
  alerts?: readonly { providerRef: { namespace?: string | undefined } }[] | undefined;
  webhooks?: readonly { url: string }[] | undefined;
}

const namespacesIn = ({ metrics = [], alerts = [] }: References): (string | undefined)[] => [
  ...metrics.map(({ templateRef }) => templateRef?.namespace),
  ...alerts.map(({ providerRef }) => providerRef.namespace),
];

/** Namespaces of the Services that webhooks are sent to. */
function hostNamespaces(analyses: readonly References[]): string[] {
  const hosts = analyses.flatMap(({ webhooks = [] }) => webhooks.map(({ url }) => URL.parse(url)?.hostname.split('.') ?? []));
  return unique(hosts.flatMap(([, namespace, svc]) => (svc === undefined || svc === 'svc' ? [namespace] : [])));
}
