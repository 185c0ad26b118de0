import type { KubeObject } from '../../../src/api/kube-object.ts';
import { JournalPart } from '../../../src/engine/journal/journal-part.ts';
import { isSame, replay } from '../../../src/engine/journal/replay.ts';
import { journalLabel, readJournal } from '../../../src/workloads/journal-record.ts';
import { type ModelLab, NAMESPACE } from './lab.ts';

/** Answers with what `lab.externalMetric` says. */
export const ordersTemplate: KubeObject = {
  apiVersion: 'flagger.app/v1beta1',
  kind: 'MetricTemplate',
  metadata: { name: 'orders', namespace: NAMESPACE },
  spec: { provider: { type: 'externalmetrics' }, query: `${NAMESPACE}/orders` },
};

/** Records of journals that the cluster holds, oldest first. */
export function journalRecords({ server }: ModelLab): KubeObject[] {
  const all = server.api.store.list(server.resource('apps/v1', 'ControllerRevision').storeKey).map(([, stored]) => stored);
  return (all as KubeObject[]).filter(({ metadata }) => metadata.labels?.[journalLabel] !== undefined);
}

export function partsOf(records: readonly KubeObject[]): JournalPart[] {
  const parts = records.map((record) => {
    const read = readJournal(record);
    if ('problem' in read) throw new Error(read.problem);
    return JournalPart.parse(read.json);
  });
  return parts.sort((a, b) => a.beganMs - b.beganMs);
}

/** Steps at which a replay decides otherwise, or that it cannot follow. */
export function differencesIn(parts: readonly JournalPart[]): object[] {
  return [...replay(parts)].flatMap((one): object[] => {
    if ('unfit' in one) return [one];
    return isSame(one) ? [] : [{ recorded: one.recorded, decided: one.decided }];
  });
}
