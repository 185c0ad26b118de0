import type { KubeObject } from '../../../src/api/kube-object.ts';
import { nameOf } from '../applications.ts';
import { createNamespace, inParallel } from './at-once-applications.ts';
import type { ControlPlane } from './control-plane.ts';

export interface PlainFigures {
  /** Objects that a controller has made for one Canary: `{ Service: 3, … }`. */
  kinds: Record<string, number>;
  /** Objects a second, by requests at once. */
  rates: Record<number, number>;
  bestAtOnce: number;
  /** For as many Canaries as the run has; absent where the bound came first. */
  tookMs?: number;
  reached: number;
}

const AT_ONCE = [4, 8, 16, 32];
const TRIED_SETS = 60;
const NAMESPACE = 'bench-plain';
/** Lists with objects that controllers make for a Canary. */
const LISTS: readonly { path: string; apiVersion: string; kind: string; plural: string }[] = [
  { path: '/api/v1', apiVersion: 'v1', kind: 'Service', plural: 'services' },
  { path: '/api/v1', apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps' },
  { path: '/apis/apps/v1', apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments' },
  { path: '/apis/apps/v1', apiVersion: 'apps/v1', kind: 'ControllerRevision', plural: 'controllerrevisions' },
  ...['VirtualService', 'DestinationRule'].map((kind) => ({
    path: '/apis/networking.istio.io/v1beta1',
    apiVersion: 'networking.istio.io/v1beta1',
    kind,
    plural: `${kind.toLowerCase()}s`,
  })),
];
/** More than one Canary has of a kind. Names begin with the Canary's, and a server lists in their order. */
const LISTED = 50;

/** Time of the API server only for the objects: copies of the objects that a controller has created for one Canary, for as many Canaries. */
export async function measurePlain(plane: ControlPlane, namespace: string, size: number, boundMs: number): Promise<PlainFigures> {
  const samples = await objectsOf(plane, namespace, nameOf(0));
  if (samples.length === 0) throw new Error(`no generated objects of ${nameOf(0)} in ${namespace}`);
  await createNamespace(plane.cluster, NAMESPACE);
  const createSet = async (prefix: string, index: number): Promise<void> => {
    const client = plane.plain[index % 2 === 0 ? 0 : 1];
    for (const sample of samples) await client.create(copyOf(sample, `${prefix}-${index}`));
  };
  const rates: Record<number, number> = {};
  const sets = Math.min(size, TRIED_SETS);
  for (const atOnce of AT_ONCE) {
    const startedMs = Date.now();
    await inParallel(sets, atOnce, (index) => createSet(`try-${atOnce}`, index));
    rates[atOnce] = (sets * samples.length * 1000) / (Date.now() - startedMs);
  }
  const bestAtOnce = AT_ONCE.toSorted((a, b) => (rates[b] ?? 0) - (rates[a] ?? 0))[0] ?? 1;
  const startedMs = Date.now();
  let reached = 0;
  await inParallel(size, bestAtOnce, async (index) => {
    if (Date.now() - startedMs > boundMs) return;
    await createSet('all', index);
    reached += 1;
  });
  const kinds: Record<string, number> = {};
  for (const { kind } of samples) kinds[kind] = (kinds[kind] ?? 0) + 1;
  return { kinds, rates, bestAtOnce, reached, ...(reached === size ? { tookMs: Date.now() - startedMs } : {}) };
}

async function objectsOf({ cluster }: ControlPlane, namespace: string, canary: string): Promise<KubeObject[]> {
  const found: KubeObject[] = [];
  for (const { path, apiVersion, kind, plural } of LISTS) {
    const list = (await cluster.raw('GET', `${path}/namespaces/${namespace}/${plural}?limit=${LISTED}`)) as { items: KubeObject[] };
    const isMade = ({ metadata: { name } }: KubeObject) => name.includes(canary) && !(kind === 'Deployment' && name === canary);
    const isOfUser = ({ metadata: { name } }: KubeObject) => kind === 'ConfigMap' && name === `${canary}-config`;
    // Items of a list do not name their kind.
    for (const item of list.items) if (isMade(item) && !isOfUser(item)) found.push({ ...item, apiVersion, kind });
  }
  return found;
}

function copyOf({ apiVersion, kind, metadata, spec, status: _, ...rest }: KubeObject, prefix: string): KubeObject {
  const { labels = {}, annotations = {} } = metadata;
  const name = metadata.name.replace(nameOf(0), prefix);
  const { clusterIP: __, clusterIPs: ___, ...wanted } = (spec ?? {}) as Record<string, unknown>;
  return {
    apiVersion,
    kind,
    metadata: { name, namespace: NAMESPACE, labels, annotations },
    ...rest,
    ...(spec === undefined ? {} : { spec: wanted }),
  };
}
