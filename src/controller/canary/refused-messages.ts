import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { refOf } from '../../api/kube-object.ts';
import { parseStatusOnce } from '../../api/parse-canary.ts';
import { isRecord } from '../../base/json.ts';
import { withoutLapsed } from '../../engine/deliveries.ts';
import { lapseOf } from '../../engine/wakes.ts';
import { isConflict } from '../../kube/errors.ts';
import type { ControllerDeps } from '../controller-deps.ts';

type MessageDeps = Pick<ControllerDeps, 'clock' | 'cluster' | 'view' | 'deliveries' | 'announceOn'>;

/** Result of one pass over the messages. */
export interface StoredMessages {
  /** The status lists no delivered message any more. */
  isRecorded: boolean;
  /** Time until the next message is given up, `undefined` if none waits. Milliseconds. */
  lapseInMs?: number;
}

/**
 * Sends the messages in the status of a Canary whose spec is refused while no previous spec is known (E65): its release does not move, and the alert of its end
 * must not wait for a corrected spec. `delivered`: keys of messages that leave the list. A message whose time is over leaves it as well (E54). Hooks wait for
 * an accepted spec, which has their addresses.
 */
export async function sendStoredMessages(
  found: KubeObject,
  delivered: ReadonlySet<string>,
  { clock, cluster, view, deliveries, announceOn }: MessageDeps,
  signal: AbortSignal,
): Promise<StoredMessages> {
  // The refusal itself can have changed the status.
  const raw = view.find(refOf(found))?.object ?? found;
  const status = isRecord(raw.status) ? parseStatusOnce(raw.status) : undefined;
  const { release } = status ?? {};
  const nowMs = clock.nowMs();
  const listed = release?.deliveries ?? [];
  if (status === undefined || release === undefined || listed.length === 0) return { isRecorded: true };
  const { left, announcement } = withoutLapsed(
    listed.filter(({ key }) => !delivered.has(key)),
    nowMs,
  );
  const { name, namespace = '', uid = '', resourceVersion = '' } = raw.metadata;
  const metadata = { name, namespace, uid, resourceVersion, generation: 0 };
  const now = { ...release, deliveries: left };
  // The Canary is deleted, or left to another controller: its messages were stopped.
  if (signal.aborted) return { isRecorded: false };
  deliveries.deliver({ apiVersion: raw.apiVersion as Canary['apiVersion'], kind: 'Canary', metadata, status: { ...status, release: now } });
  const lapsesMs = lapseOf(now);
  const next = lapsesMs === undefined ? {} : { lapseInMs: lapsesMs - nowMs };
  if (left.length === listed.length) return { isRecorded: true, ...next };
  try {
    const patch = { metadata: { resourceVersion }, status: { release: { deliveries: left } } };
    view.learn(await cluster.patch(refOf(raw), patch, { subresource: 'status', signal }));
  } catch (error) {
    // The watch brings the version of the other writer.
    if (!isConflict(error)) throw error;
    return { isRecorded: false, ...next };
  }
  if (announcement) announceOn(raw, announcement);
  return { isRecorded: true, ...next };
}
