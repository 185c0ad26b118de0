import type { KubeObject } from '../../api/kube-object.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { summaryOf } from '../../reading/canary-reading.ts';
import type { KeptItem } from '../../reading/documents/canary-documents.ts';
import { KEPT, keptAmong, keptSentence, watchAnchors } from '../../reading/kept-primaries.ts';
import { recordedWaits } from '../../reading/waits.ts';
import type { WatchKept } from '../canary-feed.ts';
import type { CanaryRow } from '../wire.ts';

/** One line of the dashboard's list: the summary of `serin list`, with the Canary's waits. Pure. */
export function canaryRow(raw: KubeObject): CanaryRow {
  const { release, ...summary } = summaryOf(raw);
  return { ...summary, ...(release?.steps && { steps: release.steps }), waits: recordedWaits(raw) };
}

/** Follows primaries that are kept, as lines of that list. */
export const watchKeptRows =
  (cluster: Pick<Cluster, 'watch'>): WatchKept =>
  (namespace, changed) =>
    watchAnchors(cluster, namespace, (anchors) => changed(keptAmong(anchors).map(keptRow)));

function keptRow(kept: KeptItem): CanaryRow {
  const { namespace, name, promoted, unpromoted, since } = kept;
  const [kind = '', target = ''] = kept.target.split('/');
  return {
    ...{ namespace, name, phase: KEPT, suspended: false, failedChecks: 0, target: { kind, name: target } },
    traffic: { kind: 'weighted', primary: 100, canary: 0 },
    ...{ revision: unpromoted, promotedRevision: promoted, since, message: keptSentence(kept) },
  };
}
