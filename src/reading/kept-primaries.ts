import { keptPrimaryOn, keptText } from '../api/kept-primary.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { canaryNameOf } from '../api/names.ts';
import type { Cluster, WatchHandle } from '../kube/cluster.ts';
import { anchorRef, isAnchor, recordKind, recordLabel } from '../workloads/anchor.ts';
import type { KeptItem } from './documents/canary-documents.ts';
import { ifReadable } from './if-readable.ts';

/** Without their data. */
const ANCHORS = { labelSelector: `${recordLabel}=anchor`, metadataOnly: true };

/** In the place of a phase. */
export const KEPT = 'deleted, primary kept';

/** Primaries that keep serving after the deletion of their Canary, sorted by namespace and name; without `namespace`, all of them. */
export async function listKept(cluster: Pick<Cluster, 'list'>, namespace: string | undefined): Promise<KeptItem[]> {
  const listed = cluster.list({ ...recordKind, ...(namespace && { namespace }) }, ANCHORS);
  const { items } = await ifReadable(listed, { items: [] as KubeObject[] });
  return keptAmong(items);
}

/** The same of these anchors. */
export function keptAmong(anchors: readonly KubeObject[]): KeptItem[] {
  return anchors.flatMap((anchor) => keptItem(anchor) ?? []).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** Follows the anchors of a namespace, or of all. A user who may not see them sees none. */
export function watchAnchors(
  cluster: Pick<Cluster, 'watch'>,
  namespace: string | undefined,
  changed: (anchors: readonly KubeObject[]) => void,
): WatchHandle {
  const known = new Map<string, KubeObject>();
  const say = () => changed([...known.values()]);
  const idOf = ({ metadata: { namespace: within, name } }: KubeObject) => `${within}/${name}`;
  return cluster.watch(
    { ...recordKind, ...(namespace && { namespace }) },
    {
      onList(items) {
        known.clear();
        for (const item of items) known.set(idOf(item), item);
        say();
      },
      onEvent({ type, object }) {
        if (type === 'DELETED') known.delete(idOf(object));
        else known.set(idOf(object), object);
        say();
      },
      onUnavailable() {
        known.clear();
        say();
      },
    },
    ANCHORS,
  );
}

/** The one of this deleted Canary. */
export async function findKept(cluster: Pick<Cluster, 'get'>, namespace: string, name: string): Promise<KeptItem | undefined> {
  const anchor = await ifReadable(cluster.get(anchorRef({ metadata: { namespace, name } })), undefined);
  return anchor && isAnchor(anchor) ? keptItem(anchor) : undefined;
}

/** Sentence on a kept primary, for commands. */
export const keptSentence = ({ namespace, name, ...kept }: KeptItem): string => keptText(kept, `Canary ${namespace}/${name}`);

function keptItem(anchor: KubeObject): KeptItem | undefined {
  const { name, namespace = '' } = anchor.metadata;
  const kept = keptPrimaryOn(anchor);
  return kept && { namespace, name: canaryNameOf(name), ...kept };
}

const keyOf = ({ namespace, name }: KeptItem): string => `${namespace}/${name}`;
