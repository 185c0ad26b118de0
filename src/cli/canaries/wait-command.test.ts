import { describe, expect, it } from 'vitest';
import { aCanary, initialized, type World, withHooks } from '../../../test/fakes/world.ts';
import { statusOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { outcomeOf, type WaitGoal, type WantedRevision } from './wait-command.ts';

const stored = ({ canary }: World): KubeObject => JSON.parse(JSON.stringify(canary));

function released(until: string, prepare: (world: World) => void = () => undefined): World {
  const world = initialized(aCanary({ stepWeight: 50, ...withHooks('confirm-promotion') }));
  prepare(world);
  world.pushUntil('s1:b', ({ phase }) => phase === until);
  return world;
}
const shut = (world: World) => {
  world.behaviour.hooks['confirm-promotion'] = 'refused';
};
const failing = (world: World) => {
  world.behaviour.verdicts = [{ check: 'errors', verdict: 'failed' }];
};
const target = (revision: string): WantedRevision => ({
  target: { uid: 't-1', revision, generation: 1, readiness: { state: 'ready', ready: 1, wanted: 1 }, serving: true, replicas: 1 },
});

describe('results of a wait', () => {
  it.each<{ title: string; world: () => World; goal: WaitGoal; wanted?: WantedRevision; outcome: 'reached' | 'failed' | undefined }>([
    { title: 'a success', world: () => released('Succeeded'), goal: 'succeeded', outcome: 'reached' },
    {
      title: 'a success of that revision',
      world: () => released('Succeeded'),
      goal: 'succeeded',
      wanted: { revision: 's1:b' },
      outcome: 'reached',
    },
    {
      title: 'the success of another, which says nothing',
      world: () => released('Succeeded'),
      goal: 'succeeded',
      wanted: { revision: 's1:c' },
      outcome: undefined,
    },
    {
      title: 'the failure of another, which says nothing',
      world: () => released('Failed', failing),
      goal: 'succeeded',
      wanted: { revision: 's1:c' },
      outcome: undefined,
    },
    { title: 'a failure', world: () => released('Failed', failing), goal: 'succeeded', outcome: 'failed' },
    {
      title: 'a failure, where the release was to be promoted by hand',
      world: () => released('Failed', failing),
      goal: 'waiting-promotion',
      outcome: 'failed',
    },
    { title: 'a failure, where anything is an end', world: () => released('Failed', failing), goal: 'settled', outcome: 'reached' },
    { title: 'a release under way', world: () => released('Progressing'), goal: 'succeeded', outcome: undefined },
    {
      title: 'a gate before the promotion',
      world: () => released('WaitingPromotion', shut),
      goal: 'waiting-promotion',
      outcome: 'reached',
    },
    {
      title: 'a gate before the promotion, which is not the end',
      world: () => released('WaitingPromotion', shut),
      goal: 'settled',
      outcome: undefined,
    },
    {
      title: 'a first revision, which is never said to succeed',
      world: () => initialized(),
      goal: 'succeeded',
      wanted: { revision: 's1:a' },
      outcome: 'reached',
    },
    { title: 'a Canary without a release yet', world: () => initialized(), goal: 'succeeded', outcome: undefined },
    { title: 'an initialization', world: () => initialized(), goal: 'initialized', outcome: 'reached' },
    { title: 'what the target holds', world: () => released('Succeeded'), goal: 'succeeded', wanted: target('s1:b'), outcome: 'reached' },
  ])('$title: $outcome', ({ world, goal, wanted, outcome }) => expect(outcomeOf(stored(world()), goal, wanted)).toBe(outcome));

  it('a target that was pushed and not seen yet is waited for', () => {
    const world = released('Succeeded');
    const unseen = {
      target: {
        uid: 't-1',
        revision: 's1:c',
        generation: 7,
        readiness: { state: 'ready', ready: 1, wanted: 1 },
        serving: true,
        replicas: 1,
      },
    } as const;
    expect(outcomeOf(stored(world), 'succeeded', unseen)).toBeUndefined();
  });
  it('seven characters of a revision are enough, and six are not', () => {
    const found = stored(released('Succeeded'));
    const status = { ...statusOf(found), lastAppliedSpec: `s1:${'0123456789'.repeat(6)}` };
    expect(outcomeOf({ ...found, status }, 'succeeded', { revision: '0123456' })).toBe('reached');
    expect(outcomeOf({ ...found, status }, 'succeeded', { revision: '012345' })).toBeUndefined();
  });
});
