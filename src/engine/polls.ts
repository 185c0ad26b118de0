import { comparedIn } from './changes/answer.ts';
import type { Context, Input } from './context.ts';
import type { QuestionId } from './questions.ts';

/** Polls that are asked beside the question of a step. */
export type PollName = 'rollback' | 'comparing';

/** The poll that the question belongs to. */
export function pollOf(context: Context, id: QuestionId): PollName | undefined {
  if (context.rollback?.open === id) return 'rollback';
  return context.comparing?.open === id ? 'comparing' : undefined;
}

/** An answer has come: it is asked again after a while. */
export function answeredPoll(name: PollName, input: Input): Context {
  const { context } = input;
  const poll = context[name];
  if (poll === undefined) return context;
  return { ...context, release: comparedIn(input), [name]: { run: poll.run, answeredMs: input.event.facts.nowMs } };
}
