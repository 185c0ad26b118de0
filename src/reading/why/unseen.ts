import type { Canary } from '../../api/canary.ts';
import { timestamp } from '../../base/timestamp.ts';
import { longestCallMs } from '../../webhooks/call-time.ts';
import { recordedFor, templateOf } from '../../workloads/recorded-template.ts';
import { reportsRevision, targetSide } from '../observed-target.ts';
import type { CanarySnapshot } from '../snapshot.ts';
import { fieldProof, type Trouble } from './finding.ts';

/** Longer than any answer takes: metric queries have a minute, and clocks differ. */
const PATIENCE_MS = 2 * 60_000;

/** No controller has written its status. */
export function unseen({ raw }: CanarySnapshot): Trouble {
  return { cause: 'Unseen', proof: [fieldProof(raw, 'status.release')] };
}

/** A step that is due by itself, and late. */
export function overdue({ raw, canary, atMs }: CanarySnapshot): Trouble | undefined {
  const dueMs = canary?.status?.release?.dueMs;
  if (canary === undefined || atMs === undefined || dueMs === undefined || atMs - dueMs <= PATIENCE_MS + hooksMs(canary)) return undefined;
  const said = `due at ${timestamp(dueMs)}, and it is ${timestamp(atMs)}`;
  return { cause: 'Unseen', proof: [fieldProof(raw, 'status.release.dueMs', said)] };
}

/** Longest time that the hooks of one interval take, in sequence. */
function hooksMs({ spec }: Canary): number {
  return (spec.analysis.webhooks ?? []).reduce((sum, webhook) => sum + longestCallMs(webhook), 0);
}

/** A target that has changed since a controller saw it; a running controller sees a change within a second. */
export function unseenChange({ raw, canary, workload, target }: CanarySnapshot): Trouble | undefined {
  const release = canary?.status?.release;
  // Without a generation the release waits for its configs, and says so itself.
  if (!canary || !workload || !target || !release || release.observedGeneration === 0 || !reportsRevision(target)) return undefined;
  const side = targetSide(canary, workload, target);
  // A target that was deleted and created again unchanged starts no release.
  if (side === undefined || side.revision === templateOf(release) || recordedFor(canary, side) !== undefined) return undefined;
  return { cause: 'Unseen', proof: [fieldProof(target, 'metadata.generation'), fieldProof(raw, 'status.release.observedGeneration')] };
}
