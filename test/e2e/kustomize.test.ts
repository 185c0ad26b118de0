import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { UNSET_IMAGE } from '../../scripts/kustomize/manifests.ts';
import { providers } from '../../src/api/canary.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { type Raw, raw } from '../fakes/raw.ts';
import { printedRights } from '../scenarios/rights/printed-rights.ts';
import { CHARTS, type Helm, objectsIn, runProgram, startHelm } from './helm.ts';
import { type RealCluster, startRealCluster } from './real-cluster.ts';
import { define, isTakenAsItIs } from './strict-apply.ts';

const ROOT = join(import.meta.dirname, '..', '..', 'kustomize');
const overlays = readdirSync(ROOT, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .filter((name) => !['providers', 'admission-policy', 'apex-guard', 'without-crds', 'without-roles'].includes(name));

/** The part of Linkerd's definition that describes the needs of a policy. */
const linkerdPolicyKind: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'authorizationpolicies.policy.linkerd.io' },
  spec: {
    group: 'policy.linkerd.io',
    scope: 'Namespaced',
    names: { kind: 'AuthorizationPolicy', plural: 'authorizationpolicies', singular: 'authorizationpolicy' },
    versions: [{ name: 'v1alpha1', served: true, storage: true, schema: { openAPIV3Schema: policySchema() } }],
  },
};

function policySchema(): object {
  const texts = (...names: string[]) => Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  const reference = { type: 'object', required: ['kind', 'name'], properties: texts('group', 'kind', 'name', 'namespace') };
  const properties = { targetRef: reference, requiredAuthenticationRefs: { type: 'array', items: reference } };
  return { type: 'object', properties: { spec: { type: 'object', required: Object.keys(properties), properties } } };
}

const aCanaryOf = (namespace: string): KubeObject => ({
  apiVersion: 'flagger.app/v1beta1',
  kind: 'Canary',
  metadata: { name: 'web', namespace },
  spec: {
    targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    provider: 'istio',
    service: { port: 80 },
    analysis: { interval: '1m', threshold: 5, iterations: 5 },
  },
});

describe('the Kustomize bases', () => {
  const folder = mkdtempSync(join(tmpdir(), 'serin-kustomize-'));
  let real: RealCluster;
  let helm: Helm;
  beforeAll(async () => {
    real = await startRealCluster();
    helm = await startHelm();
    await define(real, linkerdPolicyKind);
    for (const name of ['serin', 'test', 'linkerd-viz'])
      await real.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  });
  afterAll(async () => {
    helm?.stop();
    await real?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const kubectl = (args: string[]) => runProgram(real.kubectl, args, { KUBECONFIG: real.adminKubeconfigFile });
  /** Output of `kubectl kustomize`, without any warning: a deprecated field causes one. */
  const build = async (path: string): Promise<KubeObject[]> => {
    const built = await kubectl(['kustomize', path]);
    expect(built).toMatchObject({ code: 0, complained: '' });
    return objectsIn(built.said);
  };
  const deploymentIn = (objects: readonly KubeObject[]): KubeObject => {
    const found = objects.find(({ kind }) => kind === 'Deployment');
    if (!found) throw new Error('there is a Deployment');
    return found;
  };

  it('there is one for every provider', () => {
    expect(overlays).toEqual(expect.arrayContaining(['base', 'crds', ...providers.map((provider) => provider.replaceAll(':', '-'))]));
  });

  it.each(overlays)('%s is built without a warning, and the API server takes every object as it is', async (name) => {
    await isTakenAsItIs(real, await build(join(ROOT, name)));
  });

  it('the Deployment is the one of the chart, and the provider is in its flags', async () => {
    const ours = deploymentIn(await build(join(ROOT, 'kuma')));
    const charts = deploymentIn(await helm.render('serin', { image: { repository: UNSET_IMAGE } }));
    const withoutNames = ({ spec }: Raw) => {
      const { template, selector: _, ...rest } = spec;
      const { containers, affinity: _a, serviceAccountName: _s, ...pod } = template.spec;
      const { args: _args, env: _env, ...container } = containers[0];
      return { ...rest, pod, container, annotations: template.metadata.annotations };
    };
    expect(withoutNames(ours)).toEqual(withoutNames(charts));
    const [container] = raw(ours).spec.template.spec.containers;
    expect(container.args.slice(-2)).toEqual(['--mesh-provider=kuma', '--metrics-server=http://prometheus-server.mesh-observability:80']);
    expect(container.env).toEqual(expect.arrayContaining(raw(charts).spec.template.spec.containers[0].env));
  });

  it('the network policy is the one of the chart', async () => {
    const policyIn = (objects: readonly KubeObject[]) => objects.find(({ kind }) => kind === 'NetworkPolicy');
    const ours = policyIn(await build(join(ROOT, 'kuma')));
    const { podSelector: _, ...spec } = raw(policyIn(await helm.render('serin')))?.spec ?? {};
    expect(ours?.spec).toEqual({ ...spec, podSelector: { matchLabels: { 'app.kubernetes.io/name': 'serin' } } });
  });

  it('linkerd is built with the flags of the Gateway API, in the mesh, and its policy stays where the Prometheus is', async () => {
    const objects = await build(join(ROOT, 'linkerd'));
    const { metadata, spec } = raw(deploymentIn(objects)).spec.template;
    expect(metadata.annotations).toMatchObject({ 'linkerd.io/inject': 'enabled' });
    const flags = ['--mesh-provider=gatewayapi:v1beta1', '--metrics-server=http://prometheus.linkerd-viz:9090'];
    expect(spec.containers[0].args.slice(-2)).toEqual(flags);
    const policy = objects.find(({ kind }) => kind === 'AuthorizationPolicy');
    expect(policy?.metadata.namespace).toBe('linkerd-viz');
    expect(raw(policy)?.spec.requiredAuthenticationRefs).toEqual([
      { kind: 'ServiceAccount', name: spec.serviceAccountName, namespace: 'serin' },
    ]);
  });

  it('the load tester is the one of the chart, at the address that webhooks have', async () => {
    const objects = await build(join(ROOT, 'tester'));
    const charts = deploymentIn(await helm.render('loadtester', { image: { repository: UNSET_IMAGE } }));
    const withoutNames = ({ spec: { selector: _, template, ...rest } }: Raw) => ({
      ...rest,
      pod: template.spec,
      annotations: template.metadata.annotations,
    });
    expect(withoutNames(deploymentIn(objects))).toEqual(withoutNames(charts));
    const [service] = objects.filter(({ kind }) => kind === 'Service');
    expect(service).toMatchObject({ metadata: { name: 'flagger-loadtester', namespace: 'test' }, spec: { ports: [{ port: 80 }] } });
    expect(raw(deploymentIn(objects)).spec.template.metadata.labels).toMatchObject(raw(service)?.spec.selector);
  });

  it('the rules are those of the chart with the same provider', async () => {
    const rulesIn = (objects: readonly KubeObject[], name: RegExp) =>
      objects
        .filter(({ kind, metadata }) => kind === 'ClusterRole' && name.test(metadata.name))
        .flatMap(({ rules }: Raw) => rules.map(stringify))
        .sort();
    const ours = rulesIn(await build(join(ROOT, 'smi-v1alpha3')), /^serin(-smi-v1alpha3)?$/);
    expect(ours).toEqual(rulesIn(await helm.render('serin', { meshProvider: 'smi:v1alpha3' }), /^serin$/));
  });

  it('the policy of requests, and the role that goes with it, are those of the chart', async () => {
    const here = mkdtempSync(join(folder, 'policy-'));
    const [resources, components] = ['base', 'admission-policy'].map((name) => [relative(here, join(ROOT, name))]);
    writeFileSync(join(here, 'kustomization.yaml'), stringify({ resources, components }));
    const objects = await build(here);
    await isTakenAsItIs(real, objects);
    const requests = (all: readonly KubeObject[]) =>
      all
        .filter(({ metadata }) => metadata.name === 'serin-requests')
        .map(({ apiVersion, kind, spec, rules }) => ({ apiVersion, kind, spec, rules }))
        .toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
    expect(requests(objects).map(({ kind }) => kind)).toEqual([
      'ClusterRole',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
    ]);
    expect(requests(objects)).toEqual(requests(await helm.render('serin', { admissionPolicy: { enabled: true } })));
  });

  it('the apex guard is that of the chart', async () => {
    const here = mkdtempSync(join(folder, 'guard-'));
    const [resources, components] = ['base', 'apex-guard'].map((name) => [relative(here, join(ROOT, name))]);
    writeFileSync(join(here, 'kustomization.yaml'), stringify({ resources, components }));
    const objects = await build(here);
    await isTakenAsItIs(real, objects);
    const policyIn = (all: readonly KubeObject[]) => all.find(({ kind }) => kind === 'MutatingAdmissionPolicy')?.spec;
    expect(policyIn(objects)).toBeDefined();
    const served = ['--api-versions', 'admissionregistration.k8s.io/v1/MutatingAdmissionPolicy'];
    const { said } = await helm.run('template', 'serin', join(CHARTS, 'serin'), ...served);
    expect(policyIn(objects)).toEqual(policyIn(objectsIn(said)));
  });

  it('an uninstall without the definitions deletes all other objects of the overlay, so that Canaries stay', async () => {
    const here = mkdtempSync(join(folder, 'uninstall-'));
    const [resources, components] = ['kubernetes', 'without-crds'].map((name) => [relative(here, join(ROOT, name))]);
    writeFileSync(join(here, 'kustomization.yaml'), stringify({ resources, components }));
    const whole = await build(join(ROOT, 'kubernetes'));
    const kept = whole.filter(({ kind }) => kind === 'CustomResourceDefinition');
    expect(kept).toHaveLength(3);
    expect(await build(here)).toEqual(whole.filter((object) => !kept.includes(object)));
  });

  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const examples = [...readme.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']): Raw => parse(text));
  const RIGHTS = 'rights.yaml';

  it('the example of the README with the least rights has no other roles of the controller', async () => {
    const [example] = examples.filter(({ resources }) => resources.includes(RIGHTS));
    const here = mkdtempSync(join(folder, 'example-'));
    const there = (path: string) => (path === RIGHTS ? RIGHTS : relative(here, join(ROOT, '..', path)));
    writeFileSync(join(here, RIGHTS), await printedRights({ namespaces: ['shop'] }, [aCanaryOf('shop')]));
    const { resources, components } = example;
    writeFileSync(join(here, 'kustomization.yaml'), stringify({ resources: resources.map(there), components: components.map(there) }));
    const roles = (await build(here)).filter(({ kind }) => kind.endsWith('Role'));
    const ofPeople = roles.filter(({ metadata }) => Object.keys(metadata.labels ?? {}).some((label) => label.includes('aggregate-to-')));
    expect(roles.filter((role) => !ofPeople.includes(role)).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual(
      expect.arrayContaining(['shop/serin-rights']),
    );
    expect(roles.filter((role) => !ofPeople.includes(role)).filter(({ metadata }) => metadata.name !== 'serin-rights')).toEqual([]);
  });

  it('the examples of the README are built: another namespace and image, two providers, the policies', async () => {
    const others = examples.filter(({ resources }) => !resources.includes(RIGHTS));
    expect(others).toHaveLength(4);
    for (const example of others) {
      const here = mkdtempSync(join(folder, 'example-'));
      const there = (path: string) => relative(here, join(ROOT, '..', path));
      const { resources, components = [], ...rest } = example;
      writeFileSync(
        join(here, 'kustomization.yaml'),
        stringify({
          ...rest,
          namespace: 'elsewhere',
          resources: resources.map(there),
          ...(components.length > 0 && { components: components.map(there) }),
        }),
      );
      const objects = await build(here);
      const named = objects.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata.name);
      expect(named).toEqual(['elsewhere']);
      expect(deploymentIn(objects).metadata.namespace).toBe('elsewhere');
      for (const { subjects } of objects.filter(({ kind }) => kind.endsWith('RoleBinding')))
        expect(subjects).toEqual([{ kind: 'ServiceAccount', name: 'serin', namespace: 'elsewhere' }]);
      const [container] = raw(deploymentIn(objects)).spec.template.spec.containers;
      if (rest.images) expect(container.image).toBe('registry.example.com/serin:0.1.0');
      expect(container.args).toContain('--mesh-provider=istio');
    }
  });
});
