import { expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { Attempts } from './attempts.ts';

const LIMITS = { ofAddress: 2, inSum: 5 };

function counted(...addresses: readonly string[]) {
  const clock = handClock();
  const attempts = new Attempts(clock, LIMITS);
  for (const address of addresses) attempts.count(address);
  return { attempts, clock };
}

it('an address waits when its attempts of a minute are used up, and another one does not', () => {
  const { attempts, clock } = counted('192.0.2.1', '192.0.2.1');
  expect(attempts.waitSeconds('192.0.2.1')).toBe(60);
  expect(attempts.waitSeconds('192.0.2.2')).toBeUndefined();
  clock.advance(59_000);
  expect(attempts.waitSeconds('192.0.2.1')).toBe(1);
  clock.advance(1_000);
  expect(attempts.waitSeconds('192.0.2.1')).toBeUndefined();
});

it('all wait when the attempts of all are used up', () => {
  const { attempts } = counted('192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4', '192.0.2.5');
  expect(attempts.waitSeconds('198.51.100.1')).toBe(60);
});

it('a login that succeeds is not counted', () => {
  const { attempts } = counted('192.0.2.1');
  attempts.count('192.0.2.1')();
  expect(attempts.waitSeconds('192.0.2.1')).toBeUndefined();
});

it.each([
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff:1:2:3', true],
  ['2001:db8::1', '2001:db8:0:0:9::', true],
  ['fe80::1%eth0', 'fe80::2%eth1', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
])('%s and %s are of one network of IPv6: %s', (one, other, isSame) => {
  const { attempts } = counted(one, one);
  expect(attempts.waitSeconds(other) !== undefined).toBe(isSame);
});
