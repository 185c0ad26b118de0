import { expect, it } from 'vitest';
import { egressSettings } from '../../../test/fakes/egress.ts';
import { aCanary } from '../../../test/fakes/world.ts';
import { addressPolicy } from '../../outgoing/address-policy.ts';
import { RefusedTrafficFields } from '../admission/refused-traffic-fields.ts';
import { warningsOf } from './warnings.ts';

const view = { find: () => undefined, all: () => [] };
const warned = (pods?: Parameters<typeof warningsOf>[4]) => warningsOf(aCanary(), 'istio', view, new RefusedTrafficFields(), pods);

it('E27b: a release whose pods cannot be watched says what counts then, and which right is missing', () => {
  expect(warned({ configs: [], pods: { forbidden: 'pods is forbidden' } })).toEqual([
    {
      type: 'PodsUnwatched',
      message:
        'pods of namespace test cannot be watched (pods is forbidden): a crash of the canary counts by the time for which it is not ready, and not as a failed check. Grant the service account of Serin list and watch on pods',
    },
  ]);
});

it('E27b: pods that are watched, or not yet, are not a warning', () => {
  const failing = { crashes: 0, lost: 0, unready: 0, ends: {} };
  expect([warned(), warned({ configs: [], pods: { failing } })]).toEqual([[], []]);
});

const template = (provider: object) => ({
  object: {
    apiVersion: 'flagger.app/v1beta1',
    kind: 'MetricTemplate',
    metadata: { name: 't', namespace: 'test' },
    spec: { provider, query: 'q' },
  },
});
function uncalled(analysis: object, provider: object, allowedLocalAddresses: string[] = []) {
  const policy = addressPolicy({ ...egressSettings, allowedLocalAddresses });
  const found = { ...view, find: () => template(provider) } as never;
  return warningsOf(aCanary(analysis as never), 'istio', found, new RefusedTrafficFields(), undefined, policy);
}
const sidecar = { webhooks: [{ name: 'h', type: 'event', url: 'http://127.0.0.1:15000/quitquitquit' }] };
const checked = { metrics: [1, 2].map((nth) => ({ name: `m${nth}`, templateRef: { name: 't' }, thresholdRange: { max: 1 } })) };

it('an address that is not called is said with its field and the flag, of the Canary and of its MetricTemplates', () => {
  const why = 'is a loopback address, which is called only where --allowed-local-addresses lists it';
  const warnings = uncalled({ ...sidecar, ...checked }, { type: 'prometheus', address: 'http://localhost:9090' });
  expect(warnings).toEqual([
    {
      type: 'AddressRejected',
      message: `spec.analysis.webhooks[0].url: 127.0.0.1 ${why}; MetricTemplate test/t spec.provider.address: localhost ${why}`,
    },
  ]);
});

it('a list of local addresses ends it, and the message names five addresses at most', () => {
  const ordinary = { type: 'prometheus', address: 'http://prometheus:9090' };
  expect(uncalled({ ...sidecar, ...checked }, ordinary, ['127.0.0.1'])).toEqual([]);
  const webhooks = Array.from({ length: 7 }, (_, nth) => ({ name: `h${nth}`, url: `http://127.0.0.${nth}/` }));
  expect(uncalled({ webhooks }, ordinary)[0]?.message).toMatch(/^(spec[^;]+; ){5}2 more$/);
});
