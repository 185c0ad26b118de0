import { expect, it } from 'vitest';
import type { KubeObject } from '../api/kube-object.ts';
import { StatusOwnership } from './status-ownership.ts';

const ours = { phase: 'Progressing', canaryWeight: 10, lastTransitionTime: 'a', release: { revision: 's1:a', step: 'analysing' } };
const canary = (status: object, annotations: Record<string, string> = {}, uid = 'u'): KubeObject => ({
  apiVersion: 'flagger.app/v1beta1',
  kind: 'Canary',
  metadata: { name: 'shop', uid, annotations },
  status,
});
const known = (): StatusOwnership => {
  const ownership = new StatusOwnership();
  ownership.learn(canary(ours));
  return ownership;
};
const { release: _, ...theirs } = { ...ours, lastTransitionTime: 'b' };

it.each([
  { what: 'the same again', status: ours, contested: false },
  { what: 'the next step of ours', status: { ...ours, canaryWeight: 20, release: { ...ours.release, step: 'x' } }, contested: false },
  { what: 'another sentence', status: { ...ours, conditions: [{ type: 'Promoted', message: 'x' }] }, contested: false },
  { what: 'a PUT that drops our memory', status: theirs, contested: true },
  { what: 'a patch that leaves our memory', status: { ...ours, canaryWeight: 30 }, contested: true },
  { what: 'a CRD that prunes our memory', status: { ...ours, release: undefined }, contested: false },
])('$what is a write of another controller: $contested', ({ status, contested }) => {
  expect(known().isContested(canary(status))).toBe(contested);
});

it('a status that nothing of ours is in yet is everybody’s', () => {
  const ownership = new StatusOwnership();
  expect([theirs, { ...theirs, lastTransitionTime: 'c' }].map((status) => ownership.isContested(canary(status)))).toEqual([false, false]);
});

it('it stays contested until the annotation says something new, or the Canary is another one', () => {
  const ownership = known();
  expect(ownership.isContested(canary(theirs))).toBe(true);
  expect(ownership.isContested(canary(ours))).toBe(true);
  expect(ownership.isContested(canary(theirs, { 'serin.dev/resume': '1' }))).toBe(false);
  ownership.learn(canary(ours));
  expect(ownership.isContested(canary(theirs, { 'serin.dev/resume': '1' }))).toBe(true);
  expect(ownership.isContested(canary(theirs, { 'serin.dev/resume': '1' }, 'new'))).toBe(false);
});
