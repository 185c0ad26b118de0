import { endingOf } from '../api/ending.ts';
import { asControllerRevision } from '../api/kinds/controller-revision.ts';
import { statusOf } from '../api/kinds/spec-of.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { ownerAnnotation } from '../api/names.ts';
import { parseStatus } from '../api/parse-status.ts';
import type { PastRelease } from '../api/past-release.ts';
import { defined } from '../base/defined.ts';
import { timestamp } from '../base/timestamp.ts';
import type { Cluster } from '../kube/cluster.ts';
import { readTemplateRevision, recordKind, recordsOf } from '../workloads/anchor.ts';
import { asRecord, timeOf } from './canary-reading.ts';
import type { History, UnpromotedRelease } from './documents/canary-documents.ts';
import { headOf } from './documents/output-version.ts';
import { snapshotOf } from './snapshot.ts';

/** ControllerRevisions of the promoted templates of this Canary. */
export async function recordsInCluster(cluster: Pick<Cluster, 'list'>, raw: KubeObject): Promise<KubeObject[]> {
  const { canary } = snapshotOf(raw);
  if (!canary) return [];
  const kind = { ...recordKind, namespace: canary.metadata.namespace };
  const { items } = await cluster.list(kind, { labelSelector: recordsOf(canary) });
  // A Canary of the same name before this one has left its own.
  return items.filter((one) => one.metadata.annotations?.[ownerAnnotation] === canary.metadata.uid && readTemplateRevision(one));
}

/** Pure: the promoted templates by their records, and the releases that ended without a promotion, the newest first. */
export function historyOf(raw: KubeObject, records: readonly KubeObject[]): History {
  const promoted =
    snapshotOf(raw).canary?.status?.release?.promotedRevision ?? statusOf<{ lastPromotedSpec: string }>(raw).lastPromotedSpec;
  return {
    ...headOf('History', raw.metadata),
    items: records
      .map(asControllerRevision)
      .toSorted((a, b) => b.revision - a.revision)
      .flatMap((object) => {
        const data = readTemplateRevision(object);
        if (data === undefined) return [];
        const { revision, spec } = data;
        const isCurrent = revision === promoted;
        const recorded = timeOf('recorded', object.metadata.creationTimestamp);
        return [
          { number: object.revision, revision, current: isCurrent, ...recorded, images: imagesOf(spec), record: object.metadata.name },
        ];
      }),
    ...unpromotedIn(raw),
  };
}

/** Remembered releases. The last one also where an earlier version has ended it, which remembers none. */
function unpromotedIn({ status: raw }: KubeObject): Pick<History, 'releases'> {
  const status = parseStatus(raw);
  if (status?.release === undefined) return {};
  const { release, phase } = status;
  const { run, revision, startedMs, change, pastReleases = [] } = release;
  const last = phase === 'Failed' ? endingOf(phase, release) : undefined;
  const isListed = last === undefined || pastReleases.some((one) => one.run === run);
  const all = isListed ? pastReleases : [...pastReleases, { run, revision, startedMs, ending: last, images: change?.images }];
  return all.length === 0 ? {} : { releases: all.map(unpromoted).toReversed() };
}

function unpromoted({ run, revision, startedMs, images = [], ending }: PastRelease): UnpromotedRelease {
  const { code, cause, metric, webhook, requester, detail, atMs } = ending;
  const times = { began: timestamp(startedMs), ended: timestamp(atMs), seconds: Math.max(0, Math.round((atMs - startedMs) / 1_000)) };
  return { number: run, revision, ...times, code, ...defined({ cause, metric, webhook, requester }), reason: detail, images };
}

function imagesOf({ template, ...spec }: { template?: { spec: Record<string, unknown> } }): string[] {
  const { containers } = template?.spec ?? {};
  if (Array.isArray(containers)) return containers.map((one) => String(asRecord(one).image ?? ''));
  // A Knative Service has a Revision instead, and a Service whom it selects.
  const { primaryRevision, service } = asRecord(spec);
  if (typeof primaryRevision === 'string') return [primaryRevision];
  return Object.entries(asRecord(asRecord(service).selector)).map(([key, value]) => `${key}=${value}`);
}
