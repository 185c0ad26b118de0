import { apiVersion } from '../../api/canary.ts';
import { SERVICE_KIND } from '../../api/kinds/service.ts';
import { type KubeObject, refKey, refOf } from '../../api/kube-object.ts';
import type { UnreadKind } from '../../arrival/world.ts';
import type { ClusterReader } from '../../kube/cluster.ts';
import { ifReadable } from '../../reading/if-readable.ts';
import { applicationReader, isOfApplication } from '../preflight/application-reader.ts';
import { secretRefsIn } from '../rights/secret-refs.ts';
import { type Item, itemOf } from './documents.ts';
import { apiGroupOf, findItem, type Manifests, manifestsOf } from './manifests.ts';

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
export interface LiveItems extends Pick<Manifests, 'hidden' | 'unread'> {
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
  const items = [...new Map(found.map((object) => [refKey(refOf(object)), object])).values()].map((object) => itemOf(object));
  return { items: items.filter((item) => !isIn(files, item)), hidden, unread };
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
