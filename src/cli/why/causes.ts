import { type BlockerCode, blockers } from '../../api/blockers.ts';

/** Causes that `serin why` finds by itself, in the objects as they are. */
const own = {
  Unseen: 'no controller has reconciled this Canary or its last change, or a step is overdue',
  Deleting: 'the Canary is being deleted, and a finalizer keeps it',
  Unreadable: 'these credentials may not read the object that the release waits for',
  PrimaryMissing: 'the primary does not exist',
  ScaledToZero: 'the workload was scaled to zero',
  RolloutPaused: 'the rollout of the workload is paused',
  PodsRefused: 'a quota or an admission rule refuses the pods',
  Unschedulable: 'no node has enough free resources for a pod, or none fits it',
  ImageUnavailable: 'an image cannot be pulled',
  ContainerConfig: 'a container cannot be made: something that it reads is missing',
  OutOfMemory: 'a container exceeded its memory limit',
  CrashLoop: 'a container crashes again and again',
  ProbeFails: 'a container runs and is not ready',
  PodGated: 'a scheduling or readiness gate of a pod is not open yet',
  PodsStarting: 'pods are starting',
  NotYetAvailable: 'pods are ready, and count only after spec.minReadySeconds',
  Restoring: 'a promotion failed and the last promoted template is restored in the primary',
  Failed: 'the release was rolled back',
  Propagating: 'the proxies are given time to learn of a change',
  Running: 'nothing holds it: the next check runs soon',
  Resting: 'no release is in progress: the next edit of the target starts one',
} as const;

/** Codes that are replaced by a more exact cause, or that are part of another one. */
type Refined = 'PodsNotReady' | 'SecretNotFound' | 'SecretRejected';
export type Cause = keyof typeof own | Exclude<BlockerCode, Refined>;

const REFINED: ReadonlySet<string> = new Set(['PodsNotReady', 'SecretNotFound', 'SecretRejected'] satisfies Refined[]);

/** The closed list of causes that `serin why` names: programs may match on it. docs/cli.md has the table. */
export const causes: Readonly<Record<Cause, string>> = {
  ...own,
  ...(Object.fromEntries(Object.entries(blockers).flatMap(([code, { meaning }]) => (REFINED.has(code) ? [] : [[code, meaning]]))) as Record<
    Exclude<BlockerCode, Refined>,
    string
  >),
};

/** The cause that is named for a code. */
export function causeOf(code: BlockerCode): Cause {
  if (code === 'PodsNotReady') return 'PodsStarting';
  return code === 'SecretNotFound' || code === 'SecretRejected' ? 'Unmeasured' : code;
}

/** Causes that end by themselves, or that need no action. */
export const harmless: ReadonlySet<Cause> = new Set(['Propagating', 'Running', 'Resting', 'PodsStarting', 'InsufficientEvidence']);
