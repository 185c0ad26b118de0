import { expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { UserSessions } from './user-sessions.ts';

it('I15: with too many sessions the least recently used session ends, also where another user opened it', () => {
  const clock = handClock();
  const sessions = new UserSessions(clock, { idleMs: 60_000, absoluteMs: 600_000, most: 2, mostOfUser: 2, burst: 1, perSecond: 1 });
  const open = (name: string) => {
    clock.advance(1_000);
    return sessions.open({ name, groups: [], extra: {} });
  };
  const [ann, ben] = [open('ann'), open('ben')];
  clock.advance(1_000);
  sessions.find(ann);
  const cid = open('cid');
  expect([ann, ben, cid].map((session) => sessions.find(session)?.user.name)).toEqual(['ann', undefined, 'cid']);
  sessions.stop();
});
