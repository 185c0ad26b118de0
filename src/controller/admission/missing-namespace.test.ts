import { expect, it } from 'vitest';
import { blockerText } from '../../api/blocker-text.ts';
import { apiErrorOf } from '../../kube/errors.ts';
import { blockerOf } from './blocker-of.ts';

it('a namespace that does not exist is a blocker of its own, and not a rule that rejects the object', () => {
  const answer = {
    kind: 'Status',
    reason: 'NotFound',
    message: 'namespaces "shop" not found',
    details: { name: 'shop', kind: 'namespaces' },
  };
  const blocker = blockerOf(apiErrorOf('POST services', 404, JSON.stringify(answer)), 'test');
  expect(blocker).toMatchObject({ code: 'NamespaceUnavailable', object: { kind: 'Namespace', name: 'shop' } });
  const text = blocker && blockerText(blocker);
  expect(text).toContain('create namespace shop, or correct the field that names it');
  expect(text).not.toContain('the owner of the rule');
});
