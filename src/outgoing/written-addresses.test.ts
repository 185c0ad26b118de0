import { expect, it } from 'vitest';
import { egressSettings } from '../../test/fakes/egress.ts';
import { aCanary } from '../../test/fakes/world.ts';
import { addressPolicy } from './address-policy.ts';
import { canaryAddresses, receiverAddresses, refusedAddresses, templateAddresses } from './written-addresses.ts';

const policy = addressPolicy({ ...egressSettings, allowedLocalAddresses: ['127.0.0.3'] });
const paths = (written: Parameters<typeof refusedAddresses>[0]) => refusedAddresses(written, policy).map(({ path }) => path);

it('each field that names a local address or a metadata service is found, in any spelling', () => {
  const urls = [
    'http://127.0.0.1:15000/quitquitquit',
    'http://shop.test/',
    'http://2130706433/',
    'http://127.0.0.3/',
    'no address',
    'http://LOCALHOST.:1/',
  ];
  const webhooks = urls.map((url, nth) => ({ name: `h${nth}`, type: 'event', url })) as never;
  const canary = aCanary({ webhooks });
  const spec = { ...canary.spec, metricsServer: 'http://169.254.169.254' };
  expect(paths(canaryAddresses({ spec }))).toEqual(['spec.metricsServer', ...[0, 2, 5].map((nth) => `spec.analysis.webhooks[${nth}].url`)]);
});

it('addresses of MetricTemplates and AlertProviders are found, and also their proxies', () => {
  const [local, own] = ['http://[::1]:9090', 'http://prometheus:9090'];
  expect(paths(templateAddresses({ provider: { address: local, proxy: local } }))).toEqual([
    'spec.provider.address',
    'spec.provider.proxy',
  ]);
  expect(paths(templateAddresses({ provider: { address: own, proxy: own } }))).toEqual([]);
  expect(paths(receiverAddresses({ address: local, proxy: local }))).toEqual(['spec.address', 'spec.proxy']);
  expect(paths(receiverAddresses({}))).toEqual([]);
});
