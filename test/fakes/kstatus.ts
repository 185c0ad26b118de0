import type { KubeObject } from '../../src/api/kube-object.ts';
import { raw } from './raw.ts';

export type KstatusVerdict = 'Current' | 'InProgress' | 'Failed' | 'Terminating';

/**
 * State of a custom object as kstatus computes it (`status.Compute`, without the rules for kinds of Kubernetes). test/e2e compares its verdicts with those of kstatus itself.
 */
export function kstatusOf(object: KubeObject | undefined): KstatusVerdict {
  const { metadata, status } = raw(object) ?? {};
  if (metadata?.deletionTimestamp !== undefined) return 'Terminating';
  const conditions: { type: string; status: string }[] = status?.conditions ?? [];
  if (status?.observedGeneration !== undefined && status.observedGeneration !== metadata?.generation) return 'InProgress';
  for (const { type, status: truth } of conditions) {
    if (type === 'Reconciling' && truth === 'True') return 'InProgress';
    if (type === 'Stalled' && truth === 'True') return 'Failed';
  }
  const ready = conditions.find(({ type }) => type === 'Ready');
  return ready === undefined || ready.status === 'True' ? 'Current' : 'InProgress';
}
