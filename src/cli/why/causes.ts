import { type BlockerCode, blockers } from '../../api/blockers.ts';

/** What `serin why` finds by itself, in the objects as they stand. */
const own = {
  Unseen: 'no controller has looked at this Canary or at its last change, or none that may; or what is due is not done',
  Deleting: 'the Canary is being deleted and something holds it',
  Unreadable: 'the reader may not read the object that the release waits for',
  PrimaryMissing: 'the primary does not exist',
  ScaledToZero: 'the workload was scaled to zero',
  RolloutPaused: 'the rollout of the workload is paused',
  PodsRefused: 'a quota or an admission rule refuses the pods',
  Unschedulable: 'no node has room for a pod, or none fits it',
  ImageUnavailable: 'an image cannot be pulled',
  ContainerConfig: 'a container cannot be made: something that it reads is missing',
  OutOfMemory: 'a container was ended for the memory that it took',
  CrashLoop: 'a container ends again and again',
  ProbeFails: 'a container runs and is not ready',
  PodGated: 'a scheduling or readiness gate of a pod is not open yet',
  PodsStarting: 'pods are being started',
  NotYetAvailable: 'pods are ready, and count only after spec.minReadySeconds',
  Restoring: 'a promotion failed and the last promoted template is restored in the primary',
  Failed: 'the release was rolled back',
  Propagating: 'time passes until the proxies have learned of a change',
  Running: 'nothing holds it: the next check is awaited',
  Resting: 'nothing is to be done until the target changes',
} as const;

/** Codes that stand for what a closer look finds, or for a finer point of another cause. */
type Refined = 'PodsNotReady' | 'SecretMissing' | 'SecretRefused';
export type Cause = keyof typeof own | Exclude<BlockerCode, Refined>;

const REFINED: ReadonlySet<string> = new Set(['PodsNotReady', 'SecretMissing', 'SecretRefused'] satisfies Refined[]);

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
  return code === 'SecretMissing' || code === 'SecretRefused' ? 'Unmeasured' : code;
}

/** Causes that end by themselves, or are no trouble at all. */
export const harmless: ReadonlySet<Cause> = new Set(['Propagating', 'Running', 'Resting', 'PodsStarting']);
