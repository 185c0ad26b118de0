import { describe, expect, it } from 'vitest';
import { providers } from './canary.ts';
import { MeshProvider, meshProviderNote, observedProvider, providerOf } from './mesh-provider.ts';

/** Flagger's `-mesh-provider` names its router by exact values and by prefixes. */
describe('values of --mesh-provider', () => {
  it.each([
    ...providers.map((provider) => ({ flag: provider, mesh: provider, provider })),
    { flag: 'smi:v1alpha1:istio', mesh: 'smi:v1alpha1:istio', provider: 'smi:v1alpha1' },
    { flag: 'smi:v1alpha3:istio', mesh: 'smi:v1alpha3:istio', provider: 'smi:v1alpha3' },
    { flag: 'smi:v1alpha1:linkerd', mesh: 'smi:v1alpha1:linkerd', provider: 'smi:v1alpha1' },
    { flag: 'smi:v1alpha2:osm', mesh: 'smi:v1alpha2', provider: 'smi:v1alpha2' },
    { flag: 'gatewayapi:v1alpha2', mesh: 'gatewayapi:v1', provider: 'gatewayapi:v1' },
    { flag: 'gloo:v1', mesh: 'gloo', provider: 'gloo' },
  ])('$flag is $provider', ({ flag, mesh, provider }) => {
    const parsed = MeshProvider.parse(flag);
    expect([parsed, providerOf(parsed)]).toEqual([mesh, provider]);
  });

  it.each([
    { flag: 'istioo', message: /is unknown; known are apisix, / },
    { flag: '', message: /is unknown/ },
    { flag: 'gatewayapi', message: /write gatewayapi:v1$/ },
    { flag: 'gatewayapi:v2', message: /write gatewayapi:v1$/ },
    { flag: 'smi', message: /write smi:v1alpha1, smi:v1alpha2, smi:v1alpha3, smi:v1alpha4$/ },
    { flag: 'smi:linkerd', message: /write smi:v1alpha1/ },
    { flag: 'appmesh:v1beta1', message: /write appmesh, appmesh:v1beta2$/ },
  ])('DF84: "$flag" is refused, with the value to write', ({ flag, message }) => {
    expect(MeshProvider.safeParse(flag).error?.issues[0]?.message).toMatch(message);
  });

  it('an outdated API version has a warning that names the current one', () => {
    expect(meshProviderNote('gatewayapi:v1alpha2')).toMatch(/gatewayapi:v1 /);
    expect(meshProviderNote('smi:v1alpha1:istio')).toMatch(/SMI adapter/);
    expect(providers.map(meshProviderNote)).toEqual(providers.map(() => undefined));
  });
});

describe('the provider whose metrics are queried', () => {
  it.each([
    { mesh: 'linkerd', spec: 'nginx', asked: 'linkerd' },
    { mesh: 'smi:v1alpha1:linkerd', spec: 'gatewayapi:v1', asked: 'linkerd' },
    { mesh: 'linkerd', spec: undefined, asked: 'linkerd' },
    // SMI has no metrics of its own, and Flagger then queries Istio's.
    { mesh: 'smi:v1alpha1:linkerd', spec: undefined, asked: 'smi:v1alpha1' },
    { mesh: 'istio', spec: 'nginx', asked: 'nginx' },
    { mesh: 'istio', spec: 'gatewayapi:v1alpha2', asked: 'gatewayapi:v1' },
    { mesh: 'istio', spec: 'linkerd', asked: 'linkerd' },
    { mesh: undefined, spec: 'nginx', asked: 'nginx' },
    { mesh: undefined, spec: undefined, asked: undefined },
  ] as const)("with --mesh-provider $mesh and spec.provider $spec it is $asked's", ({ mesh, spec, asked }) => {
    expect(observedProvider(spec, mesh)).toBe(asked);
  });
});
