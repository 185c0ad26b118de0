import type { Canary } from '../api/canary.ts';
import type { CanaryStatus } from '../api/canary-status.ts';
import { parseDuration } from '../api/duration.ts';
import type { ObjectRef } from '../api/kube-object.ts';
import { isResting } from '../api/step.ts';
import { type Clock, sleep } from '../base/clock.ts';
import type { KubeCluster } from '../kube/kube-cluster.ts';
import { workloadFor } from '../workloads/index.ts';
import { applyAction, type ScenarioControls, wordsOf } from './apply-action.ts';
import { LONGEST_MS, leastChecks } from './limits.ts';
import { VERSION_ANNOTATION } from './modelled-apps.ts';
import type { Recorder } from './recorder.ts';
import type { RehearsalOutcome } from './rehearsal.ts';
import type { Scenario } from './scenario.ts';
import { lessRequests, type RequestCounts } from './users.ts';

/** Time for which the primary serves users before the push. */
const SETTLE_MS = 60_000;
const MINUTE_MS = 60_000;

interface PlayedRelease {
  outcome: RehearsalOutcome;
  /** Time of the push, or of the end if nothing was pushed. */
  startMs: number;
  endMs: number;
  /** Requests between the two. */
  requests: RequestCounts;
}

/** Waits until the Canary is initialized, pushes a new version, and performs the steps of the scenario until the release has ended. */
export async function playRelease(
  controls: ScenarioControls,
  recorder: Recorder,
  canary: Canary,
  scenario: Scenario,
): Promise<PlayedRelease> {
  const { clock, cluster, users } = controls;
  const ended = (outcome: RehearsalOutcome, startMs: number, before: RequestCounts): PlayedRelease => ({
    outcome,
    startMs,
    endMs: clock.monotonicMs(),
    requests: lessRequests(users.counts(), before),
  });
  const isReady = ({ phase, release }: CanaryStatus): boolean => phase === 'Initialized' && isResting(release);
  if (!(await comes(clock, recorder, isReady, initializedWithinMs(canary))))
    return ended('notStarted', clock.monotonicMs(), users.counts());
  await sleep(clock, SETTLE_MS);
  const before = users.counts();
  const startMs = clock.monotonicMs();
  const run = recorder.status?.release?.run ?? 0;
  recorder.fault(scenario.says || scenario.name);
  for (const step of scenario.steps.filter(({ at }) => at === 0)) await applyAction(controls, step.does);
  await push(cluster, canary);
  const isOver = new AbortController();
  const later = performLater(controls, recorder, scenario, isOver.signal);
  const hasEnded = ({ phase, release }: CanaryStatus): boolean =>
    (phase === 'Succeeded' || phase === 'Failed') && isResting(release) && (release?.run ?? 0) > run;
  const isDone = await comes(clock, recorder, hasEnded, endedWithinMs(canary));
  const played = ended(isDone ? (recorder.status?.phase === 'Succeeded' ? 'promoted' : 'rolledBack') : 'unfinished', startMs, before);
  isOver.abort();
  await Promise.all(later);
  return played;
}

const performLater = (controls: ScenarioControls, recorder: Recorder, { steps }: Scenario, signal: AbortSignal): Promise<void>[] =>
  steps
    .filter(({ at }) => at > 0)
    .map(({ at, does }) =>
      sleep(controls.clock, at, signal).then(
        () => {
          recorder.fault(wordsOf(does));
          return applyAction(controls, does);
        },
        () => undefined,
      ),
    );

/** Waits for a status that satisfies the condition; false if none came in time. */
async function comes(clock: Clock, recorder: Recorder, isSo: (status: CanaryStatus) => boolean, limitMs: number): Promise<boolean> {
  const giveUp = new AbortController();
  const limit = sleep(clock, limitMs, giveUp.signal).then(
    () => false,
    () => true,
  );
  const isDone = await Promise.race([recorder.until(isSo).then(() => true), limit]);
  giveUp.abort();
  return isDone;
}

const initializedWithinMs = ({ spec: { progressDeadlineSeconds = 600 } }: Canary): number =>
  Math.min(LONGEST_MS, progressDeadlineSeconds * 1000 + 5 * MINUTE_MS);

/** An annotation in the template marks pods of the new version. */
async function push(cluster: KubeCluster, canary: Canary): Promise<void> {
  const annotations = { [VERSION_ANNOTATION]: 'new' };
  await cluster.patch(targetOf(canary), { spec: { template: { metadata: { annotations } } } });
}

/** Twice the minimum duration of the analysis, plus the deadline, plus the longest wait of its steps for evidence; at most the length of a rehearsal. */
function endedWithinMs({ spec: { analysis, progressDeadlineSeconds = 600 } }: Canary): number {
  const intervalMs = parseDuration(analysis.interval) ?? MINUTE_MS;
  const { stepWeights, stepWeight, stepWeightPromotion, iterations } = leastChecks(analysis);
  const steps = stepWeights + stepWeight;
  const ticks = steps + stepWeightPromotion + iterations + analysis.threshold + 3;
  const wantedMs = 2 * ticks * intervalMs + (steps + 1) * longestWaitMs(analysis) + progressDeadlineSeconds * 1000 + 5 * MINUTE_MS;
  return Math.min(2 * LONGEST_MS, wantedMs);
}

/** Maximum time for which a step waits for evidence. */
function longestWaitMs({ comparison }: Canary['spec']['analysis']): number {
  if (comparison?.mode !== 'gate' || comparison.pace !== 'evidence') return 0;
  return parseDuration(comparison.maxStepDuration ?? '') ?? 60 * MINUTE_MS;
}

/** The target that Serin reads: of apps/v1; the version of `targetRef` is ignored. */
export function targetOf(canary: Canary): ObjectRef {
  const { targetRef } = canary.spec;
  const workload = workloadFor(targetRef);
  return 'unsupported' in workload ? { ...targetRef, namespace: canary.metadata.namespace } : workload.targetRef(canary);
}
