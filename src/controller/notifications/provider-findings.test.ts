import { expect, it } from 'vitest';
import { answeringOf, deliveringOf, validityOf } from './provider-findings.ts';

const template = (spec: object) => ({
  apiVersion: 'flagger.app/v1beta1',
  kind: 'MetricTemplate',
  metadata: { name: 'errors', namespace: 'test' },
  spec,
});
const prometheus = { type: 'prometheus', address: 'http://prometheus:9090' };

it('a MetricTemplate that can work is Valid, and otherwise the wrong field is named first', () => {
  expect(validityOf(template({ provider: prometheus, query: 'up' }))).toEqual({
    ...{ type: 'Valid', status: 'True', reason: 'Valid', message: 'the template renders and its backend can be queried' },
  });
  const { message, ...condition } = validityOf(template({ provider: prometheus, query: '{{ tarrget }}' }));
  expect(condition).toEqual({ type: 'Valid', status: 'False', reason: 'InvalidSpec' });
  expect(message).toMatch(/^spec\.query: /);
});

it('the text of a backend or a receiver is shown from its beginning, up to 500 characters', () => {
  const long = `refused: ${'x'.repeat(600)}`;
  expect(answeringOf(long)).toEqual({ type: 'Answering', status: 'False', reason: 'Unanswered', message: long.slice(0, 500) });
  expect(deliveringOf({ ok: false, reason: long, mayRetry: false } as Parameters<typeof deliveringOf>[0])).toMatchObject({
    ...{ type: 'Delivering', status: 'False', reason: 'NotDelivered', message: long.slice(0, 500) },
  });
  expect([answeringOf(undefined), deliveringOf({ ok: true } as Parameters<typeof deliveringOf>[0])]).toEqual([
    { type: 'Answering', status: 'True', reason: 'Answered', message: 'the backend answered its last query' },
    { type: 'Delivering', status: 'True', reason: 'Delivered', message: 'the last alert was taken' },
  ]);
});
