import { expect, it } from 'vitest';
import { aCanary } from '../../../test/fakes/world.ts';
import type { AnswerContext } from '../reconcile/answer-context.ts';
import { answerQuestion } from './answer-questions.ts';

it.each([
  { type: 'confirm-rollout', by: 'gates' },
  { type: 'confirm-traffic-increase', by: 'gates' },
  { type: 'confirm-promotion', by: 'gates' },
  { type: 'rollback', by: 'gates' },
  { type: 'pre-rollout', by: 'calls' },
  { type: 'rollout', by: 'calls' },
  { type: 'post-rollout', by: 'calls' },
] as const)('I15: hooks of type $type wait for a turn among the $by, so that load tests hold no gate up', async ({ type, by }) => {
  const asked: string[] = [];
  const turnsOf = (kind: string) => (namespace: string) => {
    asked.push(`${kind} of ${namespace}`);
    return {};
  };
  const context = { canary: aCanary(), signal: new AbortController().signal, callsOf: turnsOf('calls'), gatesOf: turnsOf('gates') };
  const question = { kind: 'runHooks', id: 'q', type, phase: 'Progressing', checksum: 'c' } as unknown as Parameters<
    typeof answerQuestion
  >[0];
  expect(await answerQuestion(question, context as unknown as AnswerContext)).toMatchObject({ kind: 'runHooks', id: 'q', type });
  expect(asked).toEqual([`${by} of test`]);
});
