import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import type { KubeObject } from '../src/api/kube-object.ts';
import { raw } from './fakes/raw.ts';

const ROOT = join(import.meta.dirname, '..', 'kustomize');
const textOf = (...path: string[]): string => readFileSync(join(ROOT, ...path), 'utf8');

/** Arguments that the patch of a component adds, parsed from its text. */
function flagsOf(folder: string): string[] {
  const { patches } = parse(textOf('providers', folder, 'kustomization.yaml'));
  const operations: { op: string; path: string; value: string }[] = parse(patches[0].patch);
  expect(operations.every(({ op, path }) => op === 'add' && path === '/spec/template/spec/containers/0/args/-')).toBe(true);
  return operations.map(({ value }) => value);
}

describe('the overlays of Kustomize', () => {
  it.each([
    { folder: 'istio', provider: 'istio', server: 'http://prometheus.istio-system:9090' },
    { folder: 'appmesh', provider: 'appmesh', server: 'http://appmesh-prometheus.appmesh-system:9090' },
    { folder: 'kuma', provider: 'kuma', server: 'http://prometheus-server.mesh-observability:80' },
    { folder: 'contour', provider: 'contour', further: ['--ingress-class=contour'] },
    { folder: 'kubernetes', provider: 'kubernetes' },
    { folder: 'knative', provider: 'knative' },
    { folder: 'gatewayapi-v1', provider: 'gatewayapi:v1' },
    { folder: 'apisix', provider: 'apisix' },
  ])('$folder is the base with the flags and the role of $provider', ({ folder, provider, server, further = [] }) => {
    const flags = [`--mesh-provider=${provider}`, ...(server === undefined ? [] : [`--metrics-server=${server}`]), ...further];
    expect(flagsOf(folder)).toEqual(flags);
    expect(parse(textOf(folder, 'kustomization.yaml'))).toMatchObject({
      ...{ namespace: 'serin', resources: ['../base'], components: [`../providers/${folder}`] },
    });
  });

  it('gatewayapi is gatewayapi:v1', () => {
    expect(parse(textOf('gatewayapi', 'kustomization.yaml'))).toMatchObject({ resources: ['../gatewayapi-v1'] });
  });

  it('linkerd routes by the Gateway API, is a part of the mesh, and may query the Prometheus of its viz extension', () => {
    const { resources, components, patches } = parse(textOf('linkerd', 'kustomization.yaml'));
    expect([resources, components]).toEqual([['../base', 'authorization.yaml'], ['../providers/gatewayapi-v1beta1']]);
    expect(patches.map(({ patch }: { patch: string }) => parse(patch))).toEqual([
      [
        { op: 'add', path: '/spec/template/spec/containers/0/args/-', value: '--metrics-server=http://prometheus.linkerd-viz:9090' },
        { op: 'add', path: '/spec/template/metadata/annotations/linkerd.io~1inject', value: 'enabled' },
      ],
    ]);
    expect(parse(textOf('linkerd', 'authorization.yaml'))).toMatchObject({
      metadata: { namespace: 'linkerd-viz' },
      spec: {
        targetRef: { kind: 'Server', name: 'prometheus-admin' },
        requiredAuthenticationRefs: [{ kind: 'ServiceAccount', name: 'serin', namespace: 'serin' }],
      },
    });
  });

  it('the base is account, roles, definitions, a network policy and one Deployment, which is not root and is scraped', () => {
    const objects = parseAllDocuments(textOf('base', 'serin.yaml')).map((document) => document.toJS() as KubeObject);
    const kinds = new Set(objects.map(({ kind }) => kind));
    expect([...kinds].toSorted()).toEqual(
      ['ClusterRole', 'ClusterRoleBinding', 'Deployment', 'Namespace', 'NetworkPolicy', 'Role', 'RoleBinding', 'ServiceAccount'].toSorted(),
    );
    expect(parse(textOf('base', 'kustomization.yaml'))).toMatchObject({ resources: ['../crds', 'serin.yaml'] });
    const template = raw(objects.find(({ kind }) => kind === 'Deployment'))?.spec.template;
    expect(template.metadata.annotations).toEqual({ 'prometheus.io/scrape': 'true', 'prometheus.io/port': '8080' });
    const [{ securityContext, args, livenessProbe, readinessProbe }] = template.spec.containers;
    expect(securityContext).toMatchObject({ runAsNonRoot: true, readOnlyRootFilesystem: true });
    expect([livenessProbe.httpGet.path, readinessProbe.httpGet.path]).toEqual(['/livez', '/readyz']);
    // Flags of all overlays of Flagger; a component adds the provider.
    expect(args).toEqual(expect.arrayContaining(['--log-level=info', '--include-label-prefix=app.kubernetes.io']));
    expect(args.join(' ')).not.toContain('mesh-provider');
  });
});
