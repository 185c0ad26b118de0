import { describe, expect, it } from 'vitest';
import { type DeletedWith, handOverOf, isPushed, noTarget, readDeletedWith, type SeenAtDeletion, writeDeletedWith } from './hand-over.ts';

const failed: SeenAtDeletion = {
  template: 's1:2',
  revision: 's1:2+configs',
  promoted: ['s1:1'],
  isPushed: false,
  isKept: false,
  isReached: false,
  hasHeir: false,
};

describe("the receiver of a deleted Canary's application", () => {
  it.each<{ what: string; seen: Partial<SeenAtDeletion>; to: object }>([
    { what: 'a target with what was not promoted', seen: {}, to: { to: 'primary' } },
    { what: 'the promoted template and configs', seen: { promoted: ['s1:2+configs'] }, to: { to: 'target', because: 'promoted' } },
    { what: 'a template promoted without configs', seen: { promoted: ['s1:2'] }, to: { to: 'target', because: 'promoted' } },
    { what: 'nothing known of a promotion', seen: { promoted: [] }, to: { to: 'target', because: 'unknown' } },
    { what: 'an apex that was never moved', seen: { isReached: true }, to: { to: 'target', because: 'reached' } },
    { what: 'an apex that was moved by others while kept', seen: { isReached: true, isKept: true }, to: { to: 'primary' } },
    { what: 'the revision that the user accepts', seen: { accepted: 's1:2+configs' }, to: { to: 'target', because: 'accepted' } },
    { what: 'another revision accepted', seen: { accepted: 's1:9' }, to: { to: 'primary' } },
    { what: 'the template alone accepted, where configs count', seen: { accepted: 's1:2' }, to: { to: 'primary' } },
    { what: 'a push after the deletion', seen: { isPushed: true }, to: { to: 'target', because: 'pushed' } },
    { what: 'a push while a Canary exists again', seen: { isPushed: true, hasHeir: true }, to: { to: 'heir' } },
    { what: 'a Canary made again, and bytes accepted', seen: { accepted: 's1:2+configs', hasHeir: true }, to: { to: 'heir' } },
    {
      what: 'a Canary made again over promoted bytes',
      seen: { promoted: ['s1:2'], hasHeir: true },
      to: { to: 'target', because: 'promoted' },
    },
  ])('I19: $what', ({ seen, to }) => expect(handOverOf({ ...failed, ...seen })).toEqual(to));
});

describe('a push after the deletion', () => {
  const before: DeletedWith = { uid: 'u1', template: 'a', rollout: '3' };
  it.each<{ what: string; before?: DeletedWith; now: Partial<DeletedWith>; is: boolean }>([
    { what: 'the same template', now: {}, is: false },
    { what: 'another template', now: { template: 'b', rollout: '4' }, is: true },
    { what: 'a hash that a newer server shows', now: { template: 'b' }, is: false },
    { what: 'a template that was not counted', before: { uid: 'u1', template: 'a' }, now: { template: 'b' }, is: true },
    { what: 'a target that was made again with the same', now: { uid: 'u2', rollout: '1' }, is: false },
    { what: 'a target that was made again with another', now: { uid: 'u2', template: 'b' }, is: true },
    { what: 'a target where there was none', before: noTarget, now: {}, is: true },
  ])('I19: $what: $is', ({ before: recorded = before, now, is }) => {
    expect(isPushed(readDeletedWith(writeDeletedWith(recorded)), { ...before, ...now })).toBe(is);
  });
});
