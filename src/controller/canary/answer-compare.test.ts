import { expect, it } from 'vitest';
import type { AnswerContext } from '../reconcile/answer-context.ts';
import { answerQuestion } from './answer-questions.ts';

it('counts of both sides come with their queries, for the journal', async () => {
  const compare: AnswerContext['compare'] = async (_canary, _asked, _signal, queryAsked) => {
    queryAsked?.('sum(requests_total)');
    return [{ metric: 'errors', kind: 'unknown', reason: 'no answer' }];
  };
  const answer = await answerQuestion({ kind: 'compare', id: '1', compare: [] }, { compare } as AnswerContext);
  expect(answer).toEqual({
    kind: 'compare',
    id: '1',
    compared: [{ metric: 'errors', kind: 'unknown', reason: 'no answer' }],
    queries: ['sum(requests_total)'],
  });
});

it.each([{ compare: undefined }, { compare: [{ metric: 'errors', fromMs: 0 }] }])(
  'E121: an answer of checks is what both kinds gave, with the queries of both: $compare',
  async ({ compare }) => {
    const measure: AnswerContext['measure'] = async (_canary, toCompare, _signal, queryAsked) => {
      queryAsked?.('rate(errors[1m])');
      return { verdicts: [], ...(toCompare && { compared: [{ metric: 'errors', kind: 'unknown', reason: 'no answer' }] }) };
    };
    const question = { kind: 'measure', id: '1', ...(compare && { compare }) } as const;
    expect(await answerQuestion(question, { measure } as AnswerContext)).toEqual({
      kind: 'measure',
      id: '1',
      verdicts: [],
      ...(compare && { compared: [{ metric: 'errors', kind: 'unknown', reason: 'no answer' }] }),
      queries: ['rate(errors[1m])'],
    });
  },
);
