import { keptPrimaryOn, keptText } from '../../api/kept-primary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { canaryNameOf } from '../../api/names.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { anchorRef, isAnchor, recordKind, recordLabel } from '../../workloads/anchor.ts';
import type { KeptItem } from '../output/documents.ts';
import { ifReadable } from './if-readable.ts';

/** Primaries that keep serving though their Canary was deleted, sorted by namespace and name; `namespace` absent: all. */
export async function listKept(cluster: Pick<Cluster, 'list'>, namespace: string | undefined): Promise<KeptItem[]> {
  const selection = { labelSelector: `${recordLabel}=anchor`, metadataOnly: true };
  const listed = cluster.list({ ...recordKind, ...(namespace && { namespace }) }, selection);
  const { items } = await ifReadable(listed, { items: [] as KubeObject[] });
  return items.flatMap((anchor) => keptItem(anchor) ?? []).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** The one of this deleted Canary. */
export async function findKept(cluster: Pick<Cluster, 'get'>, namespace: string, name: string): Promise<KeptItem | undefined> {
  const anchor = await ifReadable(cluster.get(anchorRef({ metadata: { namespace, name } })), undefined);
  return anchor && isAnchor(anchor) ? keptItem(anchor) : undefined;
}

/** What a command says of it. */
export const keptSentence = ({ namespace, name, ...kept }: KeptItem): string => keptText(kept, `Canary ${namespace}/${name}`);

function keptItem(anchor: KubeObject): KeptItem | undefined {
  const { name, namespace = '' } = anchor.metadata;
  const kept = keptPrimaryOn(anchor);
  return kept && { namespace, name: canaryNameOf(name), ...kept };
}

const keyOf = ({ namespace, name }: KeptItem): string => `${namespace}/${name}`;
