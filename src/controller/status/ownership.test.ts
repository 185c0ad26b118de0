import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube-object.ts';
import { StatusOwnership } from './ownership.ts';

const ours = { phase: 'Progressing', canaryWeight: 10, lastTransitionTime: 'a', release: { revision: 's1:a', step: 'analysing' } };
const canary = (status: object, annotations: Record<string, string> = {}, uid = 'u'): KubeObject => ({
  apiVersion: 'flagger.app/v1beta1',
  kind: 'Canary',
  metadata: { name: 'shop', uid, annotations },
  status,
});
const known = (): StatusOwnership => {
  const ownership = new StatusOwnership('me');
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
  expect(known().rivalOf(canary(status), 0) !== undefined).toBe(contested);
});

it('a status that nothing of ours is in yet is everybody’s', () => {
  const ownership = new StatusOwnership('me');
  expect([theirs, { ...theirs, lastTransitionTime: 'c' }].map((status) => ownership.rivalOf(canary(status), 0))).toEqual([
    undefined,
    undefined,
  ]);
});

it('it stays contested until the annotation says something new, or the Canary is another one', () => {
  const ownership = known();
  expect(ownership.rivalOf(canary(theirs), 0)).toEqual({ kind: 'other' });
  expect(ownership.rivalOf(canary(ours), 0)).toEqual({ kind: 'other' });
  expect(ownership.rivalOf(canary(theirs, { 'serin.dev/resume': '1' }), 0)).toBeUndefined();
  ownership.learn(canary(ours));
  expect(ownership.rivalOf(canary(theirs, { 'serin.dev/resume': '1' }), 0)).toEqual({ kind: 'other' });
  expect(ownership.rivalOf(canary(theirs, { 'serin.dev/resume': '1' }, 'new'), 0)).toBeUndefined();
});

describe('two Serins', () => {
  const by = (writer: string, step = 'analysing') => canary({ ...ours, release: { ...ours.release, step, writer } });

  it('another Serin that signs after this one has signed is a rival, by the name of its process', () => {
    const ownership = new StatusOwnership('me');
    ownership.learn(by('me'));
    expect(ownership.rivalOf(by('me', 'next'), 0)).toBeUndefined();
    expect(ownership.rivalOf(by('other', 'next'), 0)).toEqual({ kind: 'serin', writer: 'other' });
    expect(ownership.rivalOf(by('me'), 0)).toEqual({ kind: 'serin', writer: 'other' });
  });

  it('a Serin that signed before this one wrote is a predecessor, even if its last write is seen late, and a rival if it writes again', () => {
    const ownership = new StatusOwnership('me');
    const seen = [canary({}), by('before'), by('before'), by('before', 'next')];
    expect(seen.map((one) => ownership.rivalOf(one, 0))).toEqual([undefined, undefined, undefined, { kind: 'serin', writer: 'before' }]);
  });

  it('a silent rival is one no longer, a rival that writes again is one again, and another controller remains one', () => {
    const ownership = new StatusOwnership('me');
    ownership.learn(by('me'));
    const rival = { kind: 'serin', writer: 'other' };
    expect([0, 299_999, 300_000].map((ms) => ownership.rivalOf(by('other', 'a'), ms))).toEqual([rival, rival, undefined]);
    ownership.learn(by('me', 'b'));
    expect(ownership.rivalOf(by('other', 'c'), 400_000)).toEqual(rival);
    expect(ownership.rivalOf(by('other', 'd'), 600_000)).toEqual(rival);
    expect(ownership.rivalOf(by('other', 'd'), 899_999)).toEqual(rival);
    expect(ownership.rivalOf(by('other', 'd'), 900_000)).toBeUndefined();
    const flagger = known();
    expect([0, 900_000].map((ms) => flagger.rivalOf(canary(theirs), ms))).toEqual([{ kind: 'other' }, { kind: 'other' }]);
  });
});
