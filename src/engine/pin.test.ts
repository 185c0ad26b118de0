import { expect, it } from 'vitest';
import { initialized } from '../../test/fakes/world.ts';
import { seenAgain, seenAtZero, wereWrittenBetween } from './pin.ts';

const target = { uid: 't', generation: 1, revision: 's1:a', replicas: 0 };

it('E90: an idle target is remembered as seen at zero, and a deleted target or a target with pods is not', () => {
  const { scaledDownUid: _, ...release } = initialized().release;
  expect(seenAtZero(target, release)).toEqual({ ...release, scaledDownUid: 't' });
  expect(seenAtZero({ ...target, replicas: 1 }, release)).toBe(release);
  expect(seenAtZero(undefined, release)).toBe(release);
  const analysed = { ...release, step: 'analysing' };
  expect(seenAtZero(target, analysed)).toBe(analysed);
});

const seen = { uid: 'u', resourceVersion: '1', checksum: 'x' };
const missing = { resourceVersion: '1' };

it.each([
  { of: 'one that is the same', one: seen, before: seen, isWritten: false },
  {
    of: 'one with other content, which is another revision',
    one: { ...seen, checksum: 'y', resourceVersion: '2' },
    before: seen,
    isWritten: false,
  },
  { of: 'one that was written and holds the same', one: { ...seen, resourceVersion: '2' }, before: seen, isWritten: true },
  { of: 'one that was made again and holds the same', one: { ...seen, uid: 'v' }, before: seen, isWritten: true },
  { of: 'one that is not tracked', one: { uid: 'v', resourceVersion: '2' }, before: { uid: 'u', resourceVersion: '1' }, isWritten: false },
  { of: 'one that was not read before', one: seen, before: undefined, isWritten: false },
  { of: 'one that is missing as before', one: missing, before: missing, isWritten: false },
  { of: 'one that is missing, and may have come and gone', one: { resourceVersion: '2' }, before: missing, isWritten: true },
  { of: 'one that is missing, without a version', one: {}, before: missing, isWritten: false },
  { of: 'one that has gone', one: { resourceVersion: '2' }, before: seen, isWritten: false },
  { of: 'one that has come', one: seen, before: missing, isWritten: false },
])('E56: of $of it is known if pods could have read something else in between', ({ one, before, isWritten }) => {
  expect(wereWrittenBetween({ 'configmap/a': one }, before === undefined ? {} : { 'configmap/a': before })).toBe(isWritten);
});

it.each([
  { of: 'the recorded revision', now: { generation: 5, rollout: '7' }, changes: { observedGeneration: 5, observedRollout: '7' } },
  { of: 'the same, without a count of its templates', now: { generation: 5 }, changes: { observedGeneration: 5 } },
  { of: 'another revision', now: { generation: 5, revision: 's1:z' }, changes: {} },
  { of: 'another target', now: { generation: 5, uid: 'other' }, changes: {} },
  { of: 'one that is not known', now: { generation: 5, undetermined: { code: 'Other', detail: 'no' } as const }, changes: {} },
])('E58: the generation of $of', ({ now, changes }) => {
  const release = { ...initialized().release, observedGeneration: 1, observedRollout: '1' };
  const { targetUid: uid, revision } = release;
  const current = { uid, revision, ...now };
  expect(seenAgain(current, release)).toEqual({ ...release, ...changes });
  expect(seenAgain(undefined, release)).toBe(release);
  expect(seenAgain({ uid, revision, generation: 1, rollout: '1' }, release)).toBe(release);
  const unknown = { ...release, observedGeneration: 0 };
  expect(seenAgain(current, unknown)).toBe(unknown);
});
