import { expect, it } from 'vitest';
import { peerOf } from './peer.ts';

it.each([
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff:1:2:3', true],
  ['2001:db8::1', '2001:db8:0:0:9::', true],
  ['fe80::1%eth0', 'fe80::2%eth1', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
  ['192.0.2.1', '192.0.2.2', false],
])('%s and %s are one peer: %s', (one, other, isSame) => {
  expect(peerOf(one) === peerOf(other)).toBe(isSame);
});
