import { expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { type LoginLimits, LoginTurns } from './login-turns.ts';

/** Logins that come one after the other, each named for its peer: `begun` got their turn, `givenUp` did not. */
function coming(limits: Partial<LoginLimits>, ...names: readonly string[]) {
  const clock = handClock();
  const turns = new LoginTurns(clock, { loginsAtOnce: 100, loginBurst: 100, loginsPerSecond: 1, loginsWaiting: 100, ...limits });
  const begun: string[] = [];
  const givenUp: string[] = [];
  const gone = new Set<string>();
  const done = new Map<string, () => void>();
  const come = async (name: string) => {
    const end = await turns.take(name[0] ?? '', () => gone.has(name));
    if (end === undefined) return void givenUp.push(name);
    begun.push(name);
    done.set(name, end);
  };
  for (const name of names) void come(name);
  return { clock, turns, begun, givenUp, gone, come, finish: (name: string) => done.get(name)?.() };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

it('I15: no more are checked at once than the limit, and peers take turns', async () => {
  const { begun, finish } = coming({ loginsAtOnce: 1 }, 'a1', 'a2', 'a3', 'b1');
  await settled();
  expect(begun).toEqual(['a1']);
  for (const name of ['a1', 'a2', 'b1', 'a3']) {
    finish(name);
    await settled();
  }
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
});

it('I15: checks have one rate for all peers, and waiting logins get their turn', async () => {
  const { begun, clock } = coming({ loginBurst: 2, loginsPerSecond: 2 }, 'a1', 'a2', 'a3', 'b1');
  await settled();
  expect(begun).toEqual(['a1', 'a2']);
  clock.advance(499);
  await settled();
  expect(begun).toHaveLength(2);
  clock.advance(1);
  await settled();
  expect(begun).toEqual(['a1', 'a2', 'a3']);
  clock.advance(500);
  await settled();
  expect(begun).toEqual(['a1', 'a2', 'a3', 'b1']);
});

it('I15: if too many logins wait, the peer with most of them loses its oldest', async () => {
  const { begun, givenUp, finish } = coming({ loginsAtOnce: 1, loginsWaiting: 2 }, 'a1', 'a2', 'a3', 'a4', 'b1');
  await settled();
  expect([begun, givenUp]).toEqual([['a1'], ['a2', 'a3']]);
  finish('a1');
  await settled();
  expect(begun).toEqual(['a1', 'a4']);
});

it('a client that has hung up gets no turn, and costs none', async () => {
  const { begun, givenUp, gone, finish } = coming({ loginsAtOnce: 1, loginBurst: 2 }, 'a1', 'a2', 'a3');
  await settled();
  gone.add('a2');
  finish('a1');
  await settled();
  expect([begun, givenUp]).toEqual([['a1', 'a3'], ['a2']]);
});

it('the end gives up all that wait, and leaves no timer', async () => {
  const { clock, turns, givenUp } = coming({ loginBurst: 1 }, 'a1', 'a2');
  expect(clock.pending).toBe(1);
  turns.stop();
  await settled();
  expect([givenUp, clock.pending]).toEqual([['a2'], 0]);
});
