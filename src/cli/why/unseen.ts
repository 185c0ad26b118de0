import type { Canary } from '../../api/canary.ts';
import { timestamp } from '../../api/timestamp.ts';
import { recordedFor, templateOf } from '../../controller/facts/target-facts.ts';
import { longestCallMs } from '../../webhooks/call-time.ts';
import { reportsRevision, targetSide } from '../canaries/observed-target.ts';
import type { CanarySnapshot } from '../canaries/snapshot.ts';
import { proofIn, type Trouble } from './finding.ts';

/** Beyond it an answer is no longer under way: metric queries have a minute, and clocks differ. */
const PATIENCE_MS = 2 * 60_000;

const HELP = {
  cause: 'Unseen',
  action: 'start the controller, or let its --namespace and --canary-selector reach this Canary',
  look: 'kubectl get deployment -A -l app.kubernetes.io/name=serin',
} as const;

/** Nobody has said anything of it. */
export function unseen({ raw }: CanarySnapshot): Trouble {
  return { ...HELP, proof: [proofIn(raw, 'status.release', raw.status?.release)] };
}

/** What happens by itself at a time that is over, and has not happened. */
export function overdue({ raw, canary, atMs }: CanarySnapshot): Trouble | undefined {
  const dueMs = canary?.status?.release?.dueMs;
  if (canary === undefined || atMs === undefined || dueMs === undefined || atMs - dueMs <= PATIENCE_MS + hooksMs(canary)) return undefined;
  const said = `due at ${timestamp(dueMs)}, and it is ${timestamp(atMs)}`;
  return { ...HELP, proof: [proofIn(raw, 'status.release.dueMs', said)] };
}

/** The hooks of one look, however they are asked. */
function hooksMs({ spec }: Canary): number {
  return (spec.analysis.webhooks ?? []).reduce((sum, webhook) => sum + longestCallMs(webhook), 0);
}

/** A target that has changed since a controller saw it, which one that runs does within a second. */
export function unseenChange({ raw, canary, workload, target }: CanarySnapshot): Trouble | undefined {
  const release = canary?.status?.release;
  // Without a generation the release itself says that its configs are waited for.
  if (!canary || !workload || !target || !release || release.observedGeneration === 0 || !reportsRevision(target)) return undefined;
  const side = targetSide(canary, workload, target);
  // One that was deleted and made again as it was starts no release.
  if (side === undefined || side.revision === templateOf(release) || recordedFor(canary, side) !== undefined) return undefined;
  const { kind, metadata } = target;
  return {
    ...HELP,
    proof: [
      proofIn({ kind, metadata }, 'metadata.generation', metadata.generation),
      proofIn(raw, 'status.release.observedGeneration', release.observedGeneration),
    ],
  };
}
