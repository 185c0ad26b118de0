import { describe, expect, it } from 'vitest';
import { misleadingTexts } from '../../test/fakes/misleading-texts.ts';
import { apiErrorOf } from './errors.ts';

const denialOf = (message: string, status = 403) =>
  apiErrorOf('PATCH /api', status, JSON.stringify({ kind: 'Status', reason: 'Forbidden', message })).denial;

it.each([
  [
    'pods "podinfo-7d" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=9, limited: pods=9',
    { by: 'quota', quota: 'compute' },
  ],
  ['services is forbidden: exceeded quota: a.b-c, requested: services=1', { by: 'quota', quota: 'a.b-c' }],
  [
    'deployments.apps "podinfo" is forbidden: User "system:serviceaccount:serin:serin" cannot patch resource "deployments"',
    { by: 'authorization' },
  ],
  ['forbidden: User "serin" cannot get path "/version"', { by: 'authorization' }],
])('a denial of the API server itself is known by its own beginning: %s', (message, denial) => {
  expect(denialOf(message)).toEqual(denial);
});

it.each([
  (words: string) => `admission webhook "policy.example.com" denied the request: ${words}`,
  (words: string) => `pods "podinfo" is forbidden: ValidatingAdmissionPolicy 'a' with binding 'b' denied request: ${words}`,
  (words: string) => `pods "podinfo" is forbidden: violates PodSecurity "restricted:latest": ${words}`,
])('the words of a webhook or policy are no denial of a quota or an authorizer', (message) => {
  const quoting = ['exceeded quota: small, requested: pods=1', 'User "serin" cannot patch', 'forbidden: User "a" cannot get'];
  expect([...quoting, ...misleadingTexts].filter((words) => denialOf(message(words)) !== undefined)).toEqual([]);
});

it('no other status is a denial', () => {
  expect(denialOf('pods "podinfo" is forbidden: exceeded quota: small, requested: pods=1', 422)).toBeUndefined();
});

describe('a namespace that cannot take an object', () => {
  const answer = (status: number, body: object) => apiErrorOf('POST deployments', status, JSON.stringify({ kind: 'Status', ...body }));

  it('is missing, by the object that the answer names', () => {
    const details = { name: 'shop', kind: 'namespaces' };
    expect(answer(404, { reason: 'NotFound', message: 'namespaces "shop" not found', details }).denial).toEqual({
      by: 'namespace',
      namespace: 'shop',
    });
    expect(answer(404, { reason: 'NotFound', details: { name: 'shop', kind: 'deployments' } }).denial).toBeUndefined();
  });

  it('is being deleted, by the cause in the answer, and not by its words', () => {
    const causes = [{ reason: 'NamespaceTerminating', message: 'namespace shop is being terminated', field: 'metadata.namespace' }];
    const message = 'deployments.apps "a" is forbidden: unable to create new content in namespace shop because it is being terminated';
    expect(answer(403, { reason: 'Forbidden', message, details: { name: 'a', kind: 'deployments', causes } }).denial).toEqual({
      by: 'namespace',
    });
    expect(answer(403, { reason: 'Forbidden', message }).denial).toBeUndefined();
  });
});
