import type { LookupFunction } from 'node:net';
import { describe, expect, it } from 'vitest';
import { callers, egressSettings, listening, outgoing, reaching } from '../../test/fakes/egress.ts';
import { addressPolicy } from './address-policy.ts';

const REFUSED = 'only where --allowed-local-addresses lists it';
const NEVER = 'is a metadata service of a cloud, which is never called';
const OWN = '198.51.100.7';
const resolvingTo =
  (...all: string[]): LookupFunction =>
  (_name, _options, callback) =>
    callback(
      null,
      all.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

describe.each(callers)('%s without a list of local addresses', (_, call) => {
  it.each([
    ...['127.0.0.1', '127.9', '2130706433', '0x7f000001', '0177.0.0.1', '127.0.0.1.', '0.0.0.0', '[::1]', '[::]'],
    ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', 'localhost', 'LOCALHOST.', 'a.localhost'],
    ...['169.254.171.1', '[fe80::1]', OWN, `[::ffff:${OWN}]`],
  ])('are refused %s', async (host) => {
    const { seen, port } = await listening(() => ({ status: 200 }));
    for (const allowedAddresses of [[], ['0.0.0.0/0', '::/0'], ['10.0.0.0/8']]) {
      const answer = await call(`http://${host}:${port}/`, outgoing({ ...egressSettings, ownAddresses: [OWN], allowedAddresses }));
      expect(answer).toContain(REFUSED);
    }
    expect(seen).toEqual([]);
  });

  it.each([['127.0.0.1'], ['::1'], ['::ffff:127.0.0.1'], ['0.0.0.0'], [OWN], ['169.254.171.1', '127.0.0.1']])(
    'are refused a name that is %s',
    async (...all) => {
      const { seen, port } = await listening(() => ({ status: 200 }));
      const egress = outgoing({ ...egressSettings, ownAddresses: [OWN], lookup: resolvingTo(...all) });
      expect(await call(`http://innocent.test:${port}/`, egress)).toContain(REFUSED);
      expect(seen).toEqual([]);
    },
  );
});

describe.each(callers)('%s with a list of local addresses', (_, call) => {
  it('reach what it lists, and with --allowed-addresses beside it both', async () => {
    const { seen, port } = await listening(() => ({ status: 200, body: '{}' }));
    for (const allowedAddresses of [[], ['192.0.2.0/24']]) {
      const settings = { ...egressSettings, allowedLocalAddresses: ['127.0.0.1'], allowedAddresses };
      expect(await call(`http://127.0.0.1:${port}/`, outgoing(settings))).toMatch(/^200/);
      expect(await call(`http://named.test:${port}/`, outgoing({ ...settings, lookup: resolvingTo('127.0.0.1') }))).toMatch(/^200/);
      expect(await call(`http://127.0.0.2:${port}/`, outgoing(settings))).toContain(REFUSED);
    }
    expect(seen).toHaveLength(4);
    const away = outgoing({ ...egressSettings, agents: reaching('192.0.2.9', port), allowedLocalAddresses: ['127.0.0.1'] });
    expect(await call('http://192.0.2.9/', away), 'other addresses stay free').toMatch(/^200/);
  });

  it('reach local addresses of a network in --allowed-addresses that has no others', async () => {
    const { port } = await listening(() => ({ status: 200, body: '{}' }));
    expect(await call(`http://127.0.0.1:${port}/`, outgoing({ ...egressSettings, allowedAddresses: ['127.0.0.0/8'] }))).toMatch(/^200/);
  });

  it('reach an own address that it lists', async () => {
    const { port } = await listening(() => ({ status: 200, body: '{}' }));
    const settings = { ...egressSettings, ownAddresses: [OWN], agents: reaching(OWN, port) };
    expect(await call(`http://${OWN}/`, outgoing({ ...settings, allowedLocalAddresses: ['198.51.100.0/24'] }))).toMatch(/^200/);
    expect(await call(`http://${OWN}/`, outgoing({ ...settings, allowedLocalAddresses: ['127.0.0.1'] }))).toContain(REFUSED);
  });

  it.each([
    ...['169.254.169.254', '2852039166', '0xa9fea9fe', '[::ffff:a9fe:a9fe]', '[64:ff9b::a9fe:a9fe]', '[fd00:ec2::254]'],
    ...['169.254.170.2', '169.254.170.23', '100.100.100.200', '168.63.129.16', 'metadata.google.internal', 'METADATA.google.internal.'],
  ])('never reach %s', async (host) => {
    const all = ['169.254.0.0/16', '169.254.169.254', '0.0.0.0/0', '::/0', 'fd00:ec2::254', '100.100.100.200', '168.63.129.16'];
    const egress = outgoing({ ...egressSettings, allowedLocalAddresses: all, allowedAddresses: all });
    expect(await call(`http://${host}/latest`, egress)).toContain(NEVER);
    const named = outgoing({ ...egressSettings, allowedLocalAddresses: all, allowedAddresses: all, lookup: resolvingTo('169.254.170.2') });
    expect(await call('http://innocent.test/', named)).toContain(NEVER);
  });
});

it('a name with local and other addresses is called only at the others', async () => {
  const { seen, port } = await listening(() => ({ status: 200, body: '{}' }));
  const lookup = resolvingTo('127.0.0.2', OWN, '127.0.0.1', '169.254.169.254');
  const egress = outgoing({ ...egressSettings, ownAddresses: [OWN], allowedLocalAddresses: ['127.0.0.1'], lookup });
  for (const [, call] of callers) expect(await call(`http://several.test:${port}/`, egress)).toMatch(/^200/);
  expect(seen).toHaveLength(callers.length);
});

it('a refusal names the address and the flag', () => {
  const { problemOf } = addressPolicy({ ...egressSettings, ownAddresses: [OWN] });
  expect(['127.0.0.1', '169.254.171.2', OWN, 'localhost', '169.254.170.23'].map(problemOf)).toEqual([
    '127.0.0.1 is a loopback address, which is called only where --allowed-local-addresses lists it',
    '169.254.171.2 is a link-local address, which is called only where --allowed-local-addresses lists it',
    `${OWN} is an address of Serin's own pod or node, which is called only where --allowed-local-addresses lists it`,
    'localhost is a loopback address, which is called only where --allowed-local-addresses lists it',
    '169.254.170.23 is a metadata service of a cloud, which is never called',
  ]);
});
