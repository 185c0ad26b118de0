import { describe, expect, it } from 'vitest';
import { exits, stages } from './pipeline.ts';

const names = stages.map(({ name }) => name);

describe('the stages of a step', () => {
  it('are these, in this order', () => {
    // An answer that comes while a Canary is suspended freezes it like any other event.
    expect(exits.map(({ name }) => name)).toEqual(['freeze', 'dropAnswer']);
    expect(names).toEqual([
      'goOn',
      'timed',
      'answeredPoll',
      'moveBy',
      'announcePassed',
      'request',
      'giveUpDeliveries',
      'withRollbackPoll',
      'withReadings',
      'followed',
      'failingDueMs',
      'withStep',
      'withScaler',
      'withLeftRoutes',
      'withListedRoutes',
      'seenAgain',
      'seenAtZero',
      'news',
      'withRecentWeight',
      'putRecord',
      'putQuestions',
      'wake',
      'settle',
    ]);
  });

  it.each([
    { first: 'goOn', next: 'timed', since: 'what a suspend has left open must not count as unready time' },
    { first: 'goOn', next: 'answeredPoll', since: 'a thaw drops the polls, and an answer of one must not bring it back' },
    { first: 'timed', next: 'moveBy', since: 'the decision reads the unready time up to this moment (E27b)' },
    {
      first: 'answeredPoll',
      next: 'moveBy',
      since: 'the decision reads the counts that have come (E125), and when the hooks have answered (E82)',
    },
    { first: 'moveBy', next: 'announcePassed', since: 'a hook is reported only where its answer has moved the release (E85)' },
    { first: 'moveBy', next: 'request', since: 'a request is possible, or not, in the state that the event has led to (E70)' },
    { first: 'announcePassed', next: 'request', since: 'a request that moves the release must not tell a hook as its reason' },
    { first: 'request', next: 'giveUpDeliveries', since: 'a pause drops what was asked, but for announcements' },
    { first: 'request', next: 'withRollbackPoll', since: 'a paused release, or one that is over, has no poll (E71, E82)' },
    {
      first: 'giveUpDeliveries',
      next: 'withRollbackPoll',
      since: 'it takes the attempt before that of the hooks: ids of questions follow each other',
    },
    {
      first: 'withRollbackPoll',
      next: 'withReadings',
      since: 'it takes the attempt before that of the counts: ids of questions follow each other',
    },
    { first: 'request', next: 'followed', since: 'failings count from the state in which the step ends' },
    { first: 'followed', next: 'failingDueMs', since: 'the moment is read from the failings as they are followed now' },
    { first: 'failingDueMs', next: 'withStep', since: 'what has failed is judged by the step in which it did' },
    { first: 'withScaler', next: 'news', since: 'another scaler is worth a record' },
    { first: 'withLeftRoutes', next: 'news', since: 'routes that are left are worth a record (E113)' },
    { first: 'withStep', next: 'seenAtZero', since: 'a target is remembered at zero only where the release rests (E90)' },
    { first: 'seenAgain', next: 'seenAtZero', since: 'both lay what they see over the same release' },
    { first: 'seenAtZero', next: 'news', since: 'what was seen alone is a record only while resting (E58)' },
    { first: 'news', next: 'withRecentWeight', since: 'a weight is noted along with other news, and is none itself' },
    { first: 'withRecentWeight', next: 'putRecord', since: 'it is part of what is recorded' },
    { first: 'putRecord', next: 'putQuestions', since: 'nothing is asked before it is recorded (I1), and hooks get what is recorded' },
    { first: 'putQuestions', next: 'wake', since: 'the controller sets its wake last' },
    { first: 'putRecord', next: 'wake', since: 'it takes the attempt before that of the wake: ids of questions follow each other' },
    { first: 'wake', next: 'settle', since: 'the next step compares with the moment that was asked for' },
  ])('$first comes before $next: $since', ({ first, next }) => {
    expect([names.includes(first), names.indexOf(first) < names.indexOf(next)]).toEqual([true, true]);
  });
});
