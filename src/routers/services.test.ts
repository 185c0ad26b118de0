import { describe, expect, it } from 'vitest';
import { aCanary, anApex, deepFreeze } from '../../test/contracts/routers-cases.ts';
import type { Raw } from '../../test/fakes/raw.ts';
import { specOf } from '../api/kinds/spec-of.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { ownerAnnotation } from '../api/names.ts';
import { allToPrimary } from '../api/routes.ts';
import { istio } from './istio/router.ts';
import { discoverPorts, renderServices } from './services.ts';

const workload = (ports: object[], labels: Record<string, string> = { app: 'shop' }): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'shop', namespace: 'prod' },
  spec: { selector: { matchLabels: labels }, template: { spec: { containers: [{ name: 'shop', ports }] } } },
});
const service = (metadata: object, spec: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'shop', namespace: 'prod', ...metadata },
  spec,
});

describe('discoverPorts', () => {
  const ports = (spec: object, found: object[]) => discoverPorts(aCanary({ service: spec }), workload(found), undefined);
  it.each([0, '0', undefined])('targetPort %j means the port', (targetPort) => {
    expect(ports(targetPort === undefined ? {} : { targetPort }, [])).toEqual([
      { name: 'http', port: 8080, targetPort: 8080, protocol: 'TCP' },
    ]);
  });
  it('leaves out the container port that the main port targets by name or by number', () => {
    expect(ports({ port: 80, targetPort: 'web', portDiscovery: true }, [{ name: 'web', containerPort: 3000 }])).toHaveLength(1);
    expect(ports({ port: 80, targetPort: 3000, portDiscovery: true }, [{ name: 'web', containerPort: 3000 }])).toHaveLength(1);
  });
  it('neither a number nor a name appears twice, and a protocol is kept', () => {
    const found = ports({ port: 80, targetPort: 3000, portDiscovery: true }, [
      { name: 'http', containerPort: 80 },
      { name: 'http', containerPort: 81, protocol: 'UDP' },
    ]);
    expect(found.map(({ name, port, protocol }) => [name, port, protocol])).toEqual([
      ['http', 80, 'TCP'],
      ['http-81-udp', 81, 'UDP'],
    ]);
  });
});

describe('renderServices', () => {
  const rendered = (fields: object, current: Record<string, KubeObject> = {}) => {
    const all = renderServices(aCanary({ service: fields }), anApex, current, { apexOnPrimary: true });
    if ('error' in all) throw new Error(all.error);
    return all.write;
  };
  it.each([
    [{ trafficDistribution: 'PreferClose' }],
    [{ trafficDistribution: 'PreferSameZone' }],
    [{ trafficDistribution: 'PreferSameNode' }],
    [{ trafficDistribution: 'example.org/nearest' }],
    [{ internalTrafficPolicy: 'Local' }],
  ])('%j lands on all three Services', (fields) => {
    for (const { spec } of rendered(fields)) expect(spec).toMatchObject(fields);
  });
  it('clientAffinity and its time are the session affinity of all three Services', () => {
    const clientIP = { timeoutSeconds: 60 };
    for (const { spec } of rendered({ clientAffinity: 'ClientIP', clientAffinityConfig: { clientIP } }))
      expect(spec).toMatchObject({ sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP } });
  });
  it('a field that the Canary lacks is absent, never an empty value', () => {
    for (const service of rendered({})) expect(Object.keys(specOf(service))).toEqual(['type', 'selector', 'ports']);
  });
  it('a time of session affinity goes nowhere without the affinity, since the server drops it', () => {
    const config = { clientAffinityConfig: { clientIP: { timeoutSeconds: 60 } } };
    for (const { spec } of rendered(config)) expect(spec).not.toHaveProperty('sessionAffinityConfig');
  });
  it('externalTrafficPolicy goes to the Services that clients outside reach, and to no other', () => {
    const open = service({ annotations: { [ownerAnnotation]: 'c-1' } }, { type: 'LoadBalancer' });
    const policies = rendered({ externalTrafficPolicy: 'Local' }, { apex: open }).map(({ spec }: Raw) => spec.externalTrafficPolicy);
    expect(policies).toEqual([undefined, undefined, 'Local']);
  });
  it('a headless Service of ours cannot lose that; the error names Service and field', () => {
    const ours = service({ annotations: { [ownerAnnotation]: 'c-1' } }, { clusterIP: 'None' });
    expect(renderServices(aCanary(), anApex, { apex: ours }, { apexOnPrimary: true })).toEqual({
      error: expect.stringMatching(/Service shop .*service.headless/),
    });
  });
  it('generated metadata stays out of the Canary, and out of the objects that routers make', () => {
    const canary = deepFreeze(aCanary({ service: { apex: { labels: { tier: 'web' } }, unmanagedMetadata: { annotations: ['dns'] } } }));
    const found = service({ annotations: { dns: 'theirs' } });
    expect(renderServices(canary, anApex, { apex: found }, { apexOnPrimary: true })).toHaveProperty('write');
    const { write } = istio.render(canary, anApex, allToPrimary, []);
    const route = write.find(({ kind }) => kind === 'VirtualService');
    expect(route?.metadata.labels).toEqual({ tier: 'web' });
    expect(route?.metadata.annotations).not.toHaveProperty('dns');
  });
  it('renders the same over its own output', () => {
    const canary = aCanary({ service: { headless: true } });
    const first = renderServices(canary, anApex, {}, { apexOnPrimary: true });
    if ('error' in first) throw new Error(first.error);
    const [canaryService, primary, apex] = first.write;
    expect(
      renderServices(
        canary,
        anApex,
        { ...(apex && { apex }), ...(primary && { primary }), ...(canaryService && { canary: canaryService }) },
        { apexOnPrimary: true },
      ),
    ).toEqual(first);
  });
});
