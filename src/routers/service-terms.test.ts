import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { aCanary, anApex, deepFreeze } from '../../test/contracts/routers-cases.ts';
import type { Raw } from '../../test/fakes/raw.ts';
import { adoptAnnotation } from '../api/adopt-annotation.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { carriedAnnotation, ownerAnnotation } from '../api/names.ts';
import { carriedMetadata } from './service-terms.ts';
import { discoverPorts, renderServices } from './services.ts';

const pods: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'shop', namespace: 'prod' },
  spec: { selector: { matchLabels: { app: 'shop' } }, template: { spec: { containers: [{ name: 'shop', ports: [] }] } } },
};

function found({ ports = [{ name: 'web', port: 8080, targetPort: 8080 }], spec = {}, ...metadata }: Raw = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'shop', namespace: 'prod', ...metadata },
    spec: { selector: { app: 'shop' }, type: 'ClusterIP', ports, ...spec },
  };
}

function written(
  apex: KubeObject,
  service: object = {},
  current: Record<string, KubeObject> = {},
): Record<'canary' | 'primary' | 'apex', Raw> {
  const canary = aCanary({ service });
  const all = renderServices(
    deepFreeze(canary),
    { ...anApex, ports: discoverPorts(canary, pods, apex) },
    { apex: deepFreeze(apex), ...current },
    { apexOnPrimary: true },
  );
  if ('error' in all) throw new Error(all.error);
  const [canaryOwn, primary, own] = all.write as Raw[];
  return { canary: canaryOwn, primary, apex: own };
}

const namesOf = ({ spec }: Raw): string[] => spec.ports.map(({ name }: { name: string }) => name);

describe('I17: ports of a Service that is found in place', () => {
  it('keep their names, on the Services of both sides too', () => {
    for (const service of Object.values(written(found()))) expect(namesOf(service)).toEqual(['web']);
  });
  it('keep their protocol', () => {
    const apex = found({ ports: [{ name: 'web', port: 8080, targetPort: 8080, appProtocol: 'kubernetes.io/h2c' }] });
    for (const { spec } of Object.values(written(apex))) expect(spec.ports[0].appProtocol).toBe('kubernetes.io/h2c');
  });
  it('spec.service takes precedence', () => {
    const apex = found({ ports: [{ name: 'web', port: 8080, targetPort: 8080, appProtocol: 'http' }] });
    for (const { spec } of Object.values(written(apex, { portName: 'http', appProtocol: 'grpc' })))
      expect(spec.ports).toEqual([{ name: 'http', appProtocol: 'grpc', port: 8080, targetPort: 8080, protocol: 'TCP' }]);
  });
  it('that the Canary does not name are on the Services of both sides, where clients are led to', () => {
    const apex = found({
      ports: [
        { name: 'admin', port: 9090, targetPort: 'admin', nodePort: 31000 },
        { name: 'web', port: 8080, targetPort: 8080 },
      ],
    });
    for (const { spec } of Object.values(written(apex)))
      expect(spec.ports).toEqual([
        { name: 'web', port: 8080, targetPort: 8080, protocol: 'TCP' },
        { name: 'admin', port: 9090, targetPort: 'admin', protocol: 'TCP' },
      ]);
  });
  it('a single port has no name if it had none before', () => {
    for (const { spec } of Object.values(written(found({ ports: [{ port: 8080, targetPort: 8080 }] }))))
      expect(spec.ports).toEqual([{ port: 8080, targetPort: 8080, protocol: 'TCP' }]);
  });
  it('is named where others join it', () => {
    const apex = found({ ports: [{ port: 80, targetPort: 8080 }] });
    for (const service of Object.values(written(apex))) expect(namesOf(service)).toEqual(['http', 'port-80-tcp']);
  });
  it('keeps the name that the Canary’s port would have by default', () => {
    const apex = found({ ports: [{ name: 'http', port: 80, targetPort: 8080 }] });
    for (const service of Object.values(written(apex))) expect(namesOf(service)).toEqual(['http-8080-tcp', 'http']);
    for (const service of Object.values(written(apex, { portName: 'http' }))) expect(namesOf(service)).toEqual(['http', 'http-80-tcp']);
  });
  it('another protocol of the same number is another port', () => {
    const apex = found({ ports: [{ name: 'dns', port: 8080, targetPort: 53, protocol: 'UDP' }] });
    for (const service of Object.values(written(apex))) expect(namesOf(service)).toEqual(['http', 'dns']);
  });
  it('are those of the Canary for a Service that Serin made', () => {
    const made = found({ annotations: { [ownerAnnotation]: 'c-1' } });
    for (const service of Object.values(written(made))) expect(namesOf(service)).toEqual(['http']);
  });
  it('stay for a Service that is handed to Serin, although it is marked by then', () => {
    const adopted = found({ annotations: { [ownerAnnotation]: 'c-1', [adoptAnnotation]: 'true' } });
    for (const service of Object.values(written(adopted))) expect(namesOf(service)).toEqual(['web']);
  });
  it('stay for a Service that another operator owns', () => {
    const owned = found({ ownerReferences: [{ apiVersion: 'example.org/v1', kind: 'Shop', name: 's', uid: 'u', controller: true }] });
    for (const service of Object.values(written(owned))) expect(namesOf(service)).toEqual(['web']);
  });
});

describe('I17: terms of a Service that is found in place', () => {
  const annotations = {
    'projectcontour.io/upstream-protocol.h2c': 'web',
    'traefik.ingress.kubernetes.io/service.serversscheme': 'https',
    '8080.service.kuma.io/protocol': 'grpc',
    'config.linkerd.io/opaque-ports': '3306',
  };
  const labels = { 'istio.io/use-waypoint': 'shops' };

  it('reach the Services of both sides: annotations that proxies read, and labels that steer traffic', () => {
    const { primary, canary } = written(found({ annotations, labels }));
    for (const { metadata } of [primary, canary]) {
      expect(metadata.annotations).toMatchObject(annotations);
      expect(metadata.labels).toMatchObject(labels);
    }
  });
  it('are not written to the Service that has them', () => {
    const { apex } = written(found({ annotations, labels }));
    expect(Object.keys({ ...apex.metadata.annotations, ...apex.metadata.labels })).not.toContain('istio.io/use-waypoint');
    expect(Object.keys(apex.metadata.annotations).filter((key) => key in annotations)).toEqual([]);
  });
  it('are not those of GitOps tools, of other controllers, or of another kind of object', () => {
    const own = {
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
      'argocd.argoproj.io/tracking-id': 'shop:/Service:prod/shop',
      'argocd.argoproj.io/sync-wave': '1',
      'kustomize.toolkit.fluxcd.io/prune': 'disabled',
      'meta.helm.sh/release-name': 'shop',
      'external-dns.alpha.kubernetes.io/hostname': 'shop.example.org',
      'prometheus.io/scrape': 'true',
      'cloud.google.com/neg': '{"exposed_ports":{"80":{"name":"shop"}}}',
      'traefik.ingress.kubernetes.io/router.entrypoints': 'web',
    };
    const tracking = {
      'kustomize.toolkit.fluxcd.io/name': 'apps',
      'app.kubernetes.io/instance': 'shop',
      'app.kubernetes.io/managed-by': 'Helm',
      release: 'prometheus',
    };
    const { primary, canary } = written(found({ annotations: own, labels: tracking }));
    const bare = written(found());
    expect(primary.metadata).toEqual(bare.primary.metadata);
    expect(canary.metadata).toEqual(bare.canary.metadata);
  });
  it('spec.service.primary takes precedence', () => {
    const service = { primary: { annotations: { 'config.linkerd.io/opaque-ports': '1' }, labels: { 'istio.io/use-waypoint': 'none' } } };
    const { primary, canary } = written(found({ annotations, labels }), service);
    expect(primary.metadata.annotations['config.linkerd.io/opaque-ports']).toBe('1');
    expect(primary.metadata.labels['istio.io/use-waypoint']).toBe('none');
    expect(canary.metadata.labels['istio.io/use-waypoint']).toBe('shops');
  });
  it('unmanaged metadata stays out', () => {
    const { primary } = written(found({ annotations }), { unmanagedMetadata: { annotations: ['config.linkerd.io/opaque-ports'] } });
    expect(primary.metadata.annotations).not.toHaveProperty('config.linkerd.io/opaque-ports');
  });
  it('its distribution of clients reaches both sides; a restriction to the own node reaches only the primary', () => {
    const traffic = {
      trafficDistribution: 'PreferClose',
      sessionAffinity: 'ClientIP',
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } },
    };
    const { primary, canary, apex } = written(found({ spec: { ...traffic, internalTrafficPolicy: 'Local' } }));
    expect(primary.spec).toMatchObject({ ...traffic, internalTrafficPolicy: 'Local' });
    expect(canary.spec).toMatchObject(traffic);
    expect(canary.spec).not.toHaveProperty('internalTrafficPolicy');
    expect(Object.keys(apex.spec)).toEqual(['type', 'selector', 'ports']);
  });
  it('defaults of the server are left out', () => {
    const { primary } = written(found({ spec: { sessionAffinity: 'None', internalTrafficPolicy: 'Cluster' } }));
    expect(Object.keys(primary.spec)).toEqual(['type', 'selector', 'ports']);
  });
  it('spec.service.clientAffinity replaces the affinity with its time', () => {
    const spec = { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } } };
    const { primary } = written(found({ spec }), { clientAffinity: 'None' });
    expect(primary.spec.sessionAffinity).toBe('None');
    expect(primary.spec).not.toHaveProperty('sessionAffinityConfig');
  });
  it('that are gone from it are noticed on the sides by a mark, also after a restart', () => {
    const { primary } = written(found({ annotations, labels }));
    const mark = primary.metadata.annotations[carriedAnnotation];
    expect(mark).toContain('istio.io/use-waypoint');
    expect(written(found(), {}, { primary }).primary.metadata.annotations[carriedAnnotation]).toBe('');
    expect(written(found()).primary.metadata.annotations).not.toHaveProperty(carriedAnnotation);
  });
  it('each names its source, and docs/traffic.md has them all', () => {
    const docs = readFileSync(new URL('../../docs/traffic.md', import.meta.url), 'utf8');
    for (const { on, keys, read, source } of carriedMetadata) {
      expect(source).toMatch(/^https:\/\//);
      expect(docs).toContain(`| ${on} ${keys.map((key) => `\`${key}\``).join(', ')} | ${read} |`);
    }
  });
});
