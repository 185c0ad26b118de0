import type { Release } from '../api/canary-status.ts';
import { comparedIn } from './changes/answer.ts';
import { isGate } from './comparison/compared-metrics.ts';
import { awaitedEvidence } from './comparison/harm.ts';
import type { Context, Input } from './context.ts';
import type { QuestionId } from './questions.ts';

/** Questions that are repeated beside the question of a step. */
export type PollName = 'rollback' | 'comparing';

/** The poll that the question belongs to. */
export function pollOf(context: Context, id: QuestionId): PollName | undefined {
  if (context.rollback?.open === id) return 'rollback';
  return context.comparing?.open === id ? 'comparing' : undefined;
}

/** The answer has come: the question is repeated after a while. */
export function answeredPoll(name: PollName, input: Input): Context {
  const { context } = input;
  const poll = context[name];
  if (poll === undefined) return context;
  const { nowMs } = input.event.facts;
  const release = comparedIn(input);
  const answered = { ...context, release, [name]: { run: poll.run, answeredMs: nowMs } };
  return name === 'comparing' && isEvidenceShown(release, input) ? { ...answered, wakeAtMs: nowMs } : answered;
}

/** The last check only waited for evidence, which now exists: the next check, which measures everything again, is due now (rule E124). */
function isEvidenceShown(release: Release, { event }: Input): boolean {
  const { canary, nowMs } = event.facts;
  const isAwaited = isGate(canary.spec.analysis) && release.awaitedEvidence !== undefined;
  return isAwaited && awaitedEvidence(release, canary, nowMs) === undefined;
}
