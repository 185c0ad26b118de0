import { expect, it } from 'vitest';
import { callers, egressSettings, listening, outgoing, payload } from '../../test/fakes/egress.ts';
import { callWebhook } from '../webhooks/call-webhook.ts';
import { allowedAddressProblem } from './address-policy.ts';

it.each(callers)('%s reach allowed addresses alone, by number or by name', async (_, call) => {
  const { seen, port } = await listening(() => ({ status: 200, body: '{}' }));
  const elsewhere = outgoing({ ...egressSettings, allowedAddresses: ['10.0.0.0/8', '192.0.2.7'] });
  for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433'])
    expect(await call(`http://${host}:${port}/`, elsewhere), host).toContain('only where --allowed-local-addresses lists it');
  for (const host of ['192.0.2.8', '[::ffff:192.0.2.8]', '3221225992'])
    expect(await call(`http://${host}:${port}/`, elsewhere), host).toContain('not among --allowed-addresses');
  expect(seen).toEqual([]);
  const here = outgoing({ ...egressSettings, allowedAddresses: ['127.0.0.0/8', '::1/128'] });
  for (const host of ['127.0.0.1', 'localhost']) expect(await call(`http://${host}:${port}/`, here), host).toMatch(/^200/);
  expect(seen).toHaveLength(2);
});

it('a webhook is not led elsewhere by a redirect', async () => {
  const { seen, port } = await listening(() => ({ status: 302, location: 'http://169.254.169.254/latest/meta-data' }));
  const egress = outgoing({ ...egressSettings, allowedAddresses: ['127.0.0.0/8'] });
  const answer = await callWebhook({ name: 'h', url: `http://127.0.0.1:${port}/` }, payload, {
    key: 'k',
    signal: AbortSignal.timeout(60_000),
    egress,
  });
  expect(answer).toEqual({
    outcome: 'refused',
    reason: expect.stringMatching(/it redirects, and 169.254.169.254 is a metadata service of a cloud, which is never called/),
  });
  expect(seen).toHaveLength(1);
});

it.each(callers)('%s go through the proxy of the environment, but for what NO_PROXY names', async (_, call) => {
  const proxy = await listening(() => ({ status: 200, body: '{}' }));
  const proxyEnvironment = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: 'direct.invalid' };
  const egress = outgoing({ ...egressSettings, proxyEnvironment });
  expect(await call('http://prometheus.invalid/x', egress)).toMatch(/^200/);
  expect(proxy.seen).toEqual([expect.stringMatching(/^(GET|POST) http:\/\/prometheus\.invalid\/x$/)]);
  expect(await call('http://direct.invalid/x', egress)).toMatch(/ENOTFOUND|EAI_AGAIN/);
  expect(proxy.seen).toHaveLength(1);
});

it.each([
  ['10.0.0.0/8', undefined],
  ['192.0.2.1', undefined],
  ['2001:db8::/32', undefined],
  ['10.0.0.0/33', /neither an address nor a network/],
  ['prometheus', /neither/],
  ['10.0.0.0/8/9', /neither/],
])('%s is looked at before it is used', (entry, problem) => {
  if (problem) expect(allowedAddressProblem(entry)).toMatch(problem);
  else expect(allowedAddressProblem(entry)).toBeUndefined();
});
