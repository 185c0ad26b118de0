import { describe, expect, it } from 'vitest';
import { at, steps } from '../../test/fakes/releasing.ts';
import { aCanary, initialized, type World, withHooks } from '../../test/fakes/world.ts';
import type { HookType } from '../api/canary.ts';

const types = ['confirm-rollout', 'pre-rollout', 'rollout', 'confirm-traffic-increase', 'confirm-promotion', 'rollback'] as const;
/** Called again until they are open, without a record of each call. */
const polled: ReadonlySet<HookType> = new Set(['confirm-rollout', 'rollback']);
/** Answers of each kind of receiver, in order; after them it says what lets the release go on. */
const script: Partial<Record<HookType, readonly ('passed' | 'refused')[]>> = {
  'confirm-rollout': ['refused', 'refused', 'passed'],
  'pre-rollout': ['refused', 'passed'],
  rollout: ['passed', 'refused', 'passed'],
  'confirm-traffic-increase': ['refused', 'passed', 'refused', 'passed'],
  'confirm-promotion': ['refused', 'refused', 'passed'],
};
/** Less than an interval, which is ten seconds. */
const AWAY_MS = 3_000;

class Killed extends Error {}
interface Kill {
  at: 'call' | 'record';
  nth: number;
}
interface Played {
  calls: { type: HookType; key: string; isKilled: boolean }[];
  /** The first call of each type after the kill. */
  after: Map<HookType, string>;
  moments: Record<Kill['at'], number>;
}

/** One release whose receivers answer a key that they know as they did before. */
function play(kill?: Kill): Played {
  const world = initialized(aCanary({ ...steps, threshold: 5, ...withHooks(...types) }));
  const moments = { call: 0, record: 0 };
  const seen: Played = { calls: [], after: new Map(), moments };
  const known = new Map<string, 'passed' | 'refused'>();
  const given = new Map<HookType, number>();
  let isOver = false;
  const comes = (what: Kill['at']): boolean => {
    moments[what] += 1;
    return !isOver && kill?.at === what && moments[what] === kill.nth;
  };
  const answerTo = (type: HookType, key: string): 'passed' | 'refused' => {
    const nth = given.get(type) ?? 0;
    const answer = known.get(key) ?? script[type]?.[nth] ?? (type === 'rollback' ? 'refused' : 'passed');
    if (!known.has(key)) given.set(type, nth + 1);
    known.set(key, answer);
    return answer;
  };
  world.answers = ({ type, key }) => {
    const isKilled = comes('call');
    if (isOver && !seen.after.has(type)) seen.after.set(type, key);
    seen.calls.push({ type, key, isKilled });
    const answer = answerTo(type, key);
    if (isKilled) throw new Killed();
    return answer;
  };
  world.onRecord = () => {
    if (comes('record')) throw new Killed();
  };
  const surviving = (act: (world: World) => void): void => {
    try {
      act(world);
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      isOver = true;
      world.nowMs += AWAY_MS;
      world.crash();
      world.settle();
    }
  };
  surviving(() => world.push('s1:b'));
  for (let ticks = 0; ticks < 200 && !at('Succeeded', 'resting')(world); ticks += 1) surviving(() => world.tick());
  expect(at('Succeeded', 'resting')(world), 'the release is promoted').toBe(true);
  return seen;
}

const keysOf = ({ calls }: Played, type: HookType): Set<string> => new Set(calls.flatMap((one) => (one.type === type ? [one.key] : [])));

describe('the key of a hook', () => {
  const calm = play();

  it('E135: each call of a release has a key of its own', () => {
    expect(types.map((type) => calm.calls.filter((one) => one.type === type).length)).toEqual([3, 2, 6, 5, 3, 9]);
    expect(new Set(calm.calls.map(({ key }) => key)).size).toBe(calm.calls.length);
  });

  it('E135: a hook that was open when the process ended is called again under the same key', () => {
    for (let nth = 1; nth <= calm.moments.call; nth += 1) {
      const seen = play({ at: 'call', nth });
      const killed = seen.calls.find(({ isKilled }) => isKilled);
      expect(killed, `call ${nth}`).toBeDefined();
      if (killed) expect(seen.after.get(killed.type), `call ${nth}, ${killed.type}`).toBe(killed.key);
    }
  });

  it.each(['call', 'record'] as const)('E135: a process that ends at a %s makes no other occasions, and returns to none', (where) => {
    for (let nth = 1; nth <= calm.moments[where]; nth += 1) {
      const seen = play({ at: where, nth });
      for (const type of types) {
        if (polled.has(type)) continue;
        expect(keysOf(seen, type).size, `${where} ${nth}, ${type}`).toBe(keysOf(calm, type).size);
      }
      for (const type of types) {
        const keys = seen.calls.flatMap((one) => (one.type === type ? [one.key] : []));
        const changes = keys.filter((key, index) => key !== keys[index - 1]);
        expect(changes, `${where} ${nth}, ${type}: none comes again after another one`).toEqual([...new Set(keys)]);
      }
    }
  });

  it('E135: a gate that is called after an edit of the interval has another key', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks('confirm-rollout') }));
    world.behaviour.hooks['confirm-rollout'] = 'refused';
    const asked = () => world.asked.flatMap((one) => (one.kind === 'runHooks' ? [one.key] : []));
    world.push('s1:b');
    world.tick();
    world.intervalMs = 60_000;
    world.tick();
    expect(asked()).toHaveLength(3);
    expect(new Set(asked()).size).toBe(3);
  });
});
