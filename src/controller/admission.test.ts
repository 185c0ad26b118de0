import { expect, it } from 'vitest';
import { aCanary } from '../../test/build/world.ts';
import type { Canary } from '../api/canary.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { routers } from '../routers/index.ts';
import { admit } from './admission.ts';
import { ControllerConfig } from './config.ts';
import { RefusedSteering } from './refused-steering.ts';
import { warningsOf } from './standing-warnings.ts';

const admitted = (canary: Canary, noCrossNamespaceRefs: boolean) =>
  admit(canary as KubeObject, {
    config: ControllerConfig.parse({ noCrossNamespaceRefs, meshProvider: 'gloo' }),
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
])('I12: 05 T23: a $what to another namespace is refused with --no-cross-namespace-refs, and names the field', ({ canary, path }) => {
  const plan = { ...canary, spec: { ...canary.spec, analysis: { ...canary.spec.analysis, stepWeight: 10 } } };
  expect(admitted(plan, true)).toEqual({
    reason: 'CrossNamespaceRef',
    message: `${path}: ops is another namespace, which --no-cross-namespace-refs forbids`,
  });
  expect(admitted(plan, false)).toHaveProperty('canary');
});

it('I12: 05 T23: references within the namespace are none of that', () => {
  const canary = aCanary({ stepWeight: 10, metrics: [metric('test'), metric()], alerts: [alert('test'), alert()] });
  expect(admitted(canary, true)).toHaveProperty('canary');
});

it('DF340: a stored provider gatewayapi:v1alpha2 is run by gatewayapi:v1, with a warning', () => {
  const canary = aCanary({ stepWeight: 10 }, { provider: 'gatewayapi:v1alpha2', service: { port: 80, gatewayRefs: [{ name: 'edge' }] } });
  expect(admitted(canary, false)).toMatchObject({ provider: 'gatewayapi:v1', router: routers['gatewayapi:v1'] });
  const warnings = warningsOf(canary, 'gatewayapi:v1', { find: () => undefined, all: () => [] }, new RefusedSteering());
  expect(warnings).toEqual([{ type: 'ProviderDeprecated', message: expect.stringContaining('v1alpha2') }]);
});
