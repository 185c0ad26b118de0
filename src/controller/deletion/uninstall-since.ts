import type { KubeObject } from '../../api/kube-object.ts';
import { uninstallSinceAnnotation } from '../../api/names.ts';
import { timestamp } from '../../base/timestamp.ts';
import { recordKind } from '../../workloads/anchor.ts';
import type { DepsOf } from '../controller-deps.ts';

type RecordSinceDeps = DepsOf<'cluster' | 'clock'>;

/** Records the start of the grace in the anchor. Returns it, `undefined` if the grace does not run. */
export async function recordSince(
  anchor: KubeObject,
  isRunning: boolean,
  { cluster, clock, signal }: RecordSinceDeps,
): Promise<number | undefined> {
  const { name, namespace = '', resourceVersion, creationTimestamp, annotations } = anchor.metadata;
  const recorded = annotations?.[uninstallSinceAnnotation];
  const recordedMs = Date.parse(recorded ?? '');
  // An unreadable moment, one in the future, or one of before the anchor, which came from a backup, cuts nothing short.
  const isUsable = recordedMs <= clock.nowMs() && recordedMs >= Date.parse(creationTimestamp ?? timestamp(0));
  if (isRunning && isUsable) return recordedMs;
  const since = isRunning ? timestamp(clock.nowMs()) : undefined;
  if (since === recorded) return undefined;
  const patch = { metadata: { resourceVersion, annotations: { [uninstallSinceAnnotation]: since ?? null } } };
  await cluster.patch({ ...recordKind, name, namespace }, patch, { signal });
  return since === undefined ? undefined : clock.nowMs();
}
