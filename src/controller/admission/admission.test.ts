import { expect, it } from 'vitest';
import { aCanary } from '../../../test/fakes/world.ts';
import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { routers } from '../../routers/index.ts';
import { ControllerConfig } from '../config.ts';
import { warningsOf } from '../status/warnings.ts';
import { admit, type CanaryRejection } from './admission.ts';
import { RefusedTrafficFields } from './refused-traffic-fields.ts';

const admitted = (canary: Canary, noCrossNamespaceRefs: boolean, lists: object = {}) =>
  admit(canary as KubeObject, {
    config: ControllerConfig.parse({ noCrossNamespaceRefs, meshProvider: 'gloo', ...lists }),
    olderRival: () => undefined,
  });

const metric = (namespace?: string) => ({ name: 'm', templateRef: { name: 't', ...(namespace ? { namespace } : {}) } });
const alert = (namespace?: string) => ({ name: 'a', providerRef: { name: 'p', ...(namespace ? { namespace } : {}) } });
const upstream = (namespace: string) => ({ apiVersion: 'gloo.solo.io/v1', kind: 'Upstream' as const, name: 'u', namespace });

it.each([
  { what: 'templateRef', canary: aCanary({ metrics: [metric(), metric('ops')] }), path: 'spec.analysis.metrics[1].templateRef.namespace' },
  {
    what: 'providerRef',
    canary: aCanary({ alerts: [alert('test'), alert('ops')] }),
    path: 'spec.analysis.alerts[1].providerRef.namespace',
  },
  { what: 'upstreamRef', canary: aCanary({}, { upstreamRef: upstream('ops') }), path: 'spec.upstreamRef.namespace' },
])('I12: a $what to another namespace is refused with --no-cross-namespace-refs, and names the field', ({ canary, path }) => {
  const plan = { ...canary, spec: { ...canary.spec, analysis: { ...canary.spec.analysis, stepWeight: 10 } } };
  expect(admitted(plan, true)).toEqual({
    reason: 'CrossNamespaceRef',
    field: path,
    message: `${path}: ops is another namespace, which --no-cross-namespace-refs forbids`,
  });
  expect(admitted(plan, false)).toHaveProperty('canary');
});

it('DF615: a copy of requests to another namespace is also such a reference', () => {
  const mirror = [{ backendRef: { name: 'spy', port: 80 } }, { backendRef: { name: 'spy', namespace: 'ops', port: 80 } }];
  const service = { port: 80, gatewayRefs: [{ name: 'podinfo', kind: 'Service', group: '' }], mirror };
  const canary = aCanary({ stepWeight: 10 }, { provider: 'gatewayapi:v1', service });
  expect(admitted(canary, true)).toMatchObject({
    reason: 'CrossNamespaceRef',
    message: expect.stringContaining('spec.service.mirror[1].'),
  });
});

it.each([
  { service: { hosts: ['api.other'] }, path: 'spec.service.hosts[0]', remedy: '--allowed-hosts=test=api.other' },
  { service: { gateways: ['edge.infra'] }, path: 'spec.service.gateways[0]', remedy: '--allowed-gateways=test=infra/edge' },
  { service: { hosts: ['podinfo.'] }, path: 'spec.service.hosts[0]', remedy: 'shop.example.com' },
  { service: { gateways: ['infra/'] }, path: 'spec.service.gateways[0]', remedy: 'istio-system/public' },
])('DF615: $path that takes requests of others is refused, with $remedy', ({ service, path, remedy }) => {
  const canary = aCanary({ stepWeight: 10 }, { provider: 'istio', service: { port: 80, ...service } });
  const refusal = admitted(canary, true) as CanaryRejection;
  expect(refusal).toMatchObject({ reason: 'CrossNamespaceRef', message: expect.stringContaining(remedy) });
  expect(refusal.message.split(': ')[0]).toBe(path);
  expect(admitted(canary, false)).toHaveProperty('canary');
});

it('DF615: hosts and gateways of the lists are admitted', () => {
  const canary = aCanary(
    { stepWeight: 10 },
    { provider: 'istio', service: { port: 80, hosts: ['shop.example.com'], gateways: ['infra/edge', 'mesh'] } },
  );
  const lists = { allowedHosts: ['test=*.example.com'], allowedGateways: ['*=infra/edge'] };
  expect(admitted(canary, true, lists)).toHaveProperty('canary');
  expect(admitted(canary, false, { ...lists, allowedHosts: ['other=*.example.com'] })).toHaveProperty('reason', 'CrossNamespaceRef');
});

it('DF615: a list that cannot be read is refused by its flag', () => {
  const { error } = ControllerConfig.safeParse({ allowedHosts: ['test=a', 'team'], allowedGateways: ['team=public'] });
  expect(error?.issues.map(({ path }) => path)).toEqual([['allowedHosts'], ['allowedGateways']]);
});

it('I12: references within the namespace are none of that', () => {
  const canary = aCanary({ stepWeight: 10, metrics: [metric('test'), metric()], alerts: [alert('test'), alert()] });
  expect(admitted(canary, true)).toHaveProperty('canary');
});

it('DF340: a stored provider gatewayapi:v1alpha2 is run by gatewayapi:v1, with a warning', () => {
  const canary = aCanary({ stepWeight: 10 }, { provider: 'gatewayapi:v1alpha2', service: { port: 80, gatewayRefs: [{ name: 'edge' }] } });
  expect(admitted(canary, false)).toMatchObject({ provider: 'gatewayapi:v1', router: routers['gatewayapi:v1'] });
  const warnings = warningsOf(canary, 'gatewayapi:v1', { find: () => undefined, all: () => [] }, new RefusedTrafficFields());
  expect(warnings).toEqual([{ type: 'ProviderDeprecated', message: expect.stringContaining('v1alpha2') }]);
});
