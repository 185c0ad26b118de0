import { expect, it } from 'vitest';
import { addressList, embeddedIn, isLocalNetwork, specialAddress } from './special-addresses.ts';

it.each([
  ['127.0.0.1', 'loopback'],
  ['127.9.9.9', 'loopback'],
  ['0.0.0.0', 'loopback'],
  ['::1', 'loopback'],
  ['0:0:0:0:0:0:0:1', 'loopback'],
  ['::', 'loopback'],
  ['169.254.169.254', 'metadata'],
  ['169.254.170.2', 'metadata'],
  ['169.254.170.23', 'metadata'],
  ['169.254.169.252', 'metadata'],
  ['169.254.42.42', 'metadata'],
  ['169.254.0.23', 'metadata'],
  ['fe80::a9fe:a9fe', 'metadata'],
  ['fe80::a9fe:a9fe%eth0', 'metadata'],
  ['169.254.169.253', 'linkLocal'],
  ['169.254.171.1', 'linkLocal'],
  ['fe80::1', 'linkLocal'],
  ['fe80::1%eth0', 'linkLocal'],
  ['fd00:ec2::254', 'metadata'],
  ['FD00:0EC2:0::0254', 'metadata'],
  ['fd00:ec2::23', 'metadata'],
  ['fd20:ce::254', 'metadata'],
  ['fd00:c1::a9fe:a9fe', 'metadata'],
  ['fd00:42::42', 'metadata'],
  ['fd00:a9fe:a9fe::1', 'metadata'],
  ['100.100.100.200', 'metadata'],
  ['168.63.129.16', 'metadata'],
  ['192.0.0.192', 'metadata'],
  ['10.0.0.1', undefined],
  ['100.100.100.201', undefined],
  ['192.0.2.1', undefined],
  ['2001:db8::1', undefined],
  ['fd00:ec2::255', undefined],
  ['prometheus', undefined],
  ['', undefined],
] as const)('%s is %s', (address, kind) => {
  expect(specialAddress(address)).toBe(kind);
});

it.each([
  ['mapped, dotted', '::ffff:169.254.169.254'],
  ['mapped, hexadecimal', '::ffff:a9fe:a9fe'],
  ['mapped, in full', '0:0:0:0:0:FFFF:a9fe:a9fe'],
  ['translated', '::ffff:0:a9fe:a9fe'],
  ['compatible, dotted', '::169.254.169.254'],
  ['compatible, hexadecimal', '::a9fe:a9fe'],
  ['NAT64', '64:ff9b::169.254.169.254'],
  ['NAT64, hexadecimal', '64:ff9b::a9fe:a9fe'],
  ['local NAT64 of 48 bits', '64:ff9b:1:a9fe:a9:fe00::'],
  ['local NAT64 of 56 bits', '64:ff9b:1:07a9:fe:a9fe::'],
  ['local NAT64 of 64 bits', '64:ff9b:1:7:a9:fea9:fe00:0'],
  ['local NAT64 of 96 bits', '64:ff9b:1:7:8:9:a9fe:a9fe'],
  ['6to4', '2002:a9fe:a9fe::1'],
])('an IPv4 address in an IPv6 one, %s, is judged as itself', (_, address) => {
  expect(embeddedIn(address)).toContain('169.254.169.254');
  expect(specialAddress(address)).toBe('metadata');
});

it.each(['::ffff:192.0.2.1', '::192.0.2.1', '64:ff9b::c000:201', '64:ff9b:1::c000:201', '2002:c000:201::1', '2001:db8:a9fe:a9fe::'])(
  '%s is an ordinary address',
  (address) => expect(specialAddress(address)).toBeUndefined(),
);

it('a list names addresses, networks, and the IPv4 addresses within IPv6 ones', () => {
  const isNamed = addressList(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32']);
  for (const address of [
    '10.1.2.3',
    '192.0.2.7',
    '2001:db8::1',
    '::ffff:10.0.0.1',
    '::ffff:a00:1',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::a00:1',
    '2002:a00:1::',
  ])
    expect(isNamed(address), address).toBe(true);
  for (const address of ['11.0.0.1', '192.0.2.8', '2001:db9::1', '::ffff:11.0.0.1', '64:ff9b::b00:1', 'prometheus', ''])
    expect(isNamed(address), address).toBe(false);
  // Read with a prefix of 48 bits it is 10.0.0.1, with one of 96 bits the metadata service.
  expect(isNamed('64:ff9b:1:a00:0:100:a9fe:a9fe')).toBe(false);
  expect(addressList(['64:ff9b:1::/48'])('64:ff9b:1:a00:0:100:a9fe:a9fe')).toBe(true);
});

it('other forms of a host are addresses by number once a URL has been read', () => {
  const hosts = ['2130706433', '0x7f.1', '0177.0.0.1', '127.1', '0x7f000001', '%31%32%37.0.0.1', '１２７.0.0.1', '[::ffff:127.0.0.1]'];
  for (const host of hosts) expect(specialAddress(new URL(`http://${host}/`).hostname.replace(/^\[|\]$/g, '')), host).toBe('loopback');
});

it.each([
  ['127.0.0.1', true],
  ['127.0.0.0/8', true],
  ['127.1.0.0/16', true],
  ['::1', true],
  ['::1/128', true],
  ['169.254.171.0/24', true],
  ['fe80::/10', true],
  ['0.0.0.0/0', false],
  ['126.0.0.0/7', false],
  ['::/0', false],
  ['10.0.0.0/8', false],
  ['100.100.100.200', false],
])('%s has only local addresses: %s', (entry, isLocal) => {
  expect(isLocalNetwork(entry)).toBe(isLocal);
});
