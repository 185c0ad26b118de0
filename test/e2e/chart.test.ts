import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { apexGuard } from '../../scripts/admission/apex-guard.ts';
import { virtualVerbs } from '../../scripts/admission/request-policy.ts';
import { providers } from '../../src/api/canary.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import type { Permission } from '../../src/api/permission.ts';
import { everyFeature, permissionsFor } from '../../src/controller/permissions.ts';
import { leasePermissions } from '../../src/kube/permissions.ts';
import { publishedCrds } from '../contracts/routers-cases.ts';
import { type Raw, raw } from '../fakes/raw.ts';
import { applyCrds, OWN_CRDS } from '../scenarios/environment.ts';
import { until } from '../scenarios/until.ts';
import { CHARTS, type Helm, objectsIn, startHelm } from './helm.ts';
import { type RealCluster, startRealCluster } from './real-cluster.ts';
import { define, fitsRestrictedStandard, isTakenAsItIs } from './strict-apply.ts';

const CHART = join(CHARTS, 'serin');
const FIXTURES = join(import.meta.dirname, '..', 'fixtures');
const flaggerValues: object = parse(readFileSync(join(FIXTURES, 'flagger-values.yaml'), 'utf8'));
const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;

const matrix: { what: string; values: object }[] = [
  { what: 'nothing set', values: {} },
  { what: "the values that users of Flagger's chart have", values: flaggerValues },
  {
    what: 'two replicas in three namespaces',
    values: { namespace: 'a', namespaces: ['b', 'c'], leaderElection: { replicaCount: 2 }, admissionPolicy: { enabled: true } },
  },
  {
    what: 'the dashboard, with TLS and OIDC, in two namespaces',
    values: {
      dashboardUrl: 'https://serin.example.org',
      namespaces: ['b', 'c'],
      dashboard: {
        ...{ enabled: true, verbs: true, tls: { secretName: 'tls' } },
        from: [{ namespaceSelector: { matchLabels: { team: 'ingress' } } }],
        oidc: {
          issuerUrl: 'https://id.example.org',
          clientId: 'serin',
          clientSecret: { name: 'oidc' },
          scopes: ['email'],
          groupsClaim: 'groups',
        },
      },
    },
  },
  { what: 'one namespace', values: { namespace: 'a', meshProvider: 'kubernetes', secrets: { mode: 'get' } } },
  { what: 'Secrets by name', values: { secrets: { mode: 'off', names: ['slack', 'datadog'] } } },
  {
    what: 'tracked Secrets by name and namespace, and DaemonSets alone',
    values: { secrets: { names: ['db', 'slack'], namespaces: ['a', 'b'] }, kinds: ['DaemonSet'] },
  },
  { what: 'no Secrets at all', values: { secrets: { mode: 'off', references: false }, configTracking: { enabled: false } } },
  {
    what: 'no leader election, no roles, no account, no definitions',
    values: {
      leaderElection: { enabled: false },
      rbac: { create: false },
      serviceAccount: { create: false },
      crds: { install: false },
      securityContext: { enabled: false },
    },
  },
  {
    what: 'every provider, pinned image, a budget, a policy, monitors',
    values: {
      providers: [
        'apisix',
        'appmesh',
        'appmesh:v1beta2',
        'contour',
        'gatewayapi:v1',
        'gatewayapi:v1beta1',
        'gloo',
        'knative',
        'kuma',
      ].concat(['linkerd', 'nginx', 'skipper', 'smi:v1alpha3', 'traefik']),
      image: { digest, repository: 'registry.example.com/serin' },
      imagePullSecrets: [{ name: 'one' }],
      leaderElection: { replicaCount: 3, shards: 2 },
      podDisruptionBudget: { enabled: true, minAvailable: '50%' },
      networkPolicy: { enabled: true, from: [{ namespaceSelector: {} }], egress: [{}] },
      metricsServerSecret: 'prometheus',
      allowedAddresses: ['10.0.0.0/8', 'fd00::/8'],
      service: { enabled: true, port: 9000 },
      podMonitor: { enabled: true },
      prometheusRule: { enabled: true, runbooks: 'https://wiki.example.com/runbooks' },
      serviceMonitor: { enabled: true, namespace: 'monitoring', labels: { release: 'prometheus' } },
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', labelSelector: { matchLabels: { app: 'serin' } } },
      ],
      extraArgs: ['--scale-down-delay=20s'],
      admissionPolicy: { enabled: true, verbs: ['approve'] },
      rbac: { extraRules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
      resources: { limits: null },
    },
  },
];

describe('the chart of Serin', () => {
  let real: RealCluster;
  let helm: Helm;
  beforeAll(async () => {
    real = await startRealCluster();
    helm = await startHelm(real.adminKubeconfigFile);
    for (const name of ['serin', 'a', 'b', 'c', 'monitoring', 'linkerd-viz'])
      await real.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const known = objectsIn(readFileSync(join(FIXTURES, 'chart-crds.yaml'), 'utf8'));
    const published = publishedCrds('monitoring');
    for (const crd of [...known, ...published]) await define(real, crd);
  });
  afterAll(async () => {
    helm?.stop();
    await real?.stop();
  });

  const of = (objects: readonly KubeObject[], kind: string): KubeObject[] => objects.filter((object) => object.kind === kind);

  it.each(matrix)('$what: the linter finds nothing, and the API server takes every object as it is', async ({ values }) => {
    const linted = await helm.run('lint', '--strict', CHART, '--values', helm.valuesFile(values));
    expect(linted, linted.said).toMatchObject({ code: 0 });
    await isTakenAsItIs(real, await helm.render('serin', values));
  });

  it('with namespaces there are Roles in each of them, and nothing that belongs to the whole cluster', async () => {
    const objects = await helm.render('serin', { namespaces: ['a', 'b'], crds: { install: false } });
    expect(objects.map(({ kind }) => kind)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^Cluster/)]));
    expect(of(objects, 'Role').map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual(
      expect.arrayContaining(['a/serin', 'b/serin', 'serin/serin-leader-election']),
    );
  });

  it('the rules are those of the set provider, and for Secrets those of their mode', async () => {
    const rulesOf = async (values: object) =>
      raw(of(await helm.render('serin', values), 'ClusterRole').find(({ metadata }) => metadata.name === 'serin'))?.rules;
    const groups = (rules: { apiGroups: string[] }[]) => [...new Set(rules.flatMap(({ apiGroups }) => apiGroups))];
    expect(groups(await rulesOf({ meshProvider: 'traefik' }))).toContain('traefik.io');
    expect(groups(await rulesOf({ meshProvider: 'smi:v1alpha2:istio' }))).toContain('split.smi-spec.io');
    expect(groups(await rulesOf({ meshProvider: 'gatewayapi:v1alpha2' }))).toContain('gateway.networking.k8s.io');
    // An arrival lists what else knows the application, a Sidecar of Istio's too; routes of it are none of Traefik's.
    const ofTraefik = await rulesOf({ meshProvider: 'traefik' });
    expect(ofTraefik.flatMap(({ resources }: { resources: string[] }) => resources)).not.toContain('virtualservices');
    expect(groups(await rulesOf({ meshProvider: 'traefik', providers: ['istio'] }))).toContain('networking.istio.io');
    const onSecrets = async (values: object) =>
      (await rulesOf(values)).filter(({ resources }: { resources: string[] }) => resources.includes('secrets'));
    expect(await onSecrets({ secrets: { mode: 'off', names: ['slack'] } })).toEqual([
      { apiGroups: [''], resources: ['secrets'], resourceNames: ['slack'], verbs: ['get'] },
    ]);
    expect(await onSecrets({ secrets: { mode: 'off', references: false } })).toEqual([]);
    const verbsOnSecrets = async (values: object) => (await onSecrets(values)).flatMap(({ verbs }: { verbs: string[] }) => verbs);
    expect(await verbsOnSecrets({})).toContain('patch');
    expect(await verbsOnSecrets({ configTracking: { takeOver: false } })).not.toContain('patch');
    expect(await verbsOnSecrets({ secrets: { namespaces: ['a'] } })).toEqual([]);
    expect(await onSecrets({ configTracking: { enabled: false } })).toEqual([{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }]);
  });

  it('with everything switched on the roles hold the rules of the tables, each of which a test removes, and no others', async () => {
    const objects = await helm.render('serin', { providers: [...providers] });
    const rulesOf = (kind: string, name: string): KubeObject[] =>
      raw(objects.find((object) => object.kind === kind && object.metadata.name === name))?.rules;
    const known = permissionsFor(everyFeature);
    const asRule = ({ group, resources, verbs }: Permission) => ({ apiGroups: [group], resources, verbs });
    const texts = (rules: readonly object[]) => rules.map((rule) => JSON.stringify(rule)).toSorted();
    expect(texts(rulesOf('ClusterRole', 'serin'))).toEqual(texts(known.map(asRule)));
    // The lease by its name, but for its creation, which no name can limit.
    const ofLease = rulesOf('Role', 'serin-leader-election').map(({ resourceNames: _, ...rule }) => rule);
    const verbs = leasePermissions.flatMap((rule) => rule.verbs);
    expect(ofLease.flatMap((rule) => rule.verbs).toSorted()).toEqual(verbs.toSorted());
    for (const rule of ofLease) expect(rule).toMatchObject({ apiGroups: ['coordination.k8s.io'], resources: ['leases'] });
  });

  it('no process runs as root, nothing is written, and the heap follows the memory limit', async () => {
    const [deployment] = of(await helm.render('serin'), 'Deployment');
    const [container] = raw(deployment)?.spec.template.spec.containers ?? [];
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(container.resources.requests).toEqual({ cpu: '50m', memory: '128Mi' });
    const ofNode = { name: 'HOST_IPS', valueFrom: { fieldRef: { fieldPath: 'status.hostIP' } } };
    expect(container.env).toEqual([{ name: 'NODE_OPTIONS', value: '--max-old-space-size-percentage=60' }, ofNode]);
    const [unlimited] = of(await helm.render('serin', { resources: { limits: null } }), 'Deployment');
    expect(raw(unlimited)?.spec.template.spec.containers[0].env).toEqual([ofNode]);
  });

  it('the restricted Pod Security Standard takes the pods', async () => {
    const [deployment] = of(await helm.render('serin'), 'Deployment');
    if (!deployment) throw new Error('the chart renders a Deployment');
    await fitsRestrictedStandard(real, deployment);
  });

  it('addresses of chat services are in a Secret, in no argument, and what the user sets in the environment wins', async () => {
    const url = 'https://hooks.example.com/services/secret';
    const objects = await helm.render('serin', { slack: { url, channel: 'x' }, env: [{ name: 'SLACK_URL', value: 'other' }] });
    expect(of(objects, 'Secret').map(({ stringData }) => stringData)).toEqual([{ SLACK_URL: url }]);
    const [container] = raw(of(objects, 'Deployment')[0])?.spec.template.spec.containers ?? [];
    expect(JSON.stringify(container)).not.toContain(url);
    expect(container.envFrom).toEqual([{ secretRef: { name: 'serin-receivers' } }]);
    expect(container.env).toContainEqual({ name: 'SLACK_URL', value: 'other' });
  });

  it('credentials of the metrics server are files of a Secret, and the allowed addresses are one list', async () => {
    const values = {
      metricsServerSecret: 'prometheus',
      allowedAddresses: ['10.0.0.0/8', 'fd00::/8'],
      allowedLocalAddresses: ['127.0.0.1', '169.254.171.0/24'],
    };
    const [deployment] = of(await helm.render('serin', values), 'Deployment');
    const { containers, volumes } = raw(deployment)?.spec.template.spec ?? {};
    expect(containers[0].args).toEqual(
      expect.arrayContaining([
        '--metrics-server-secret=/etc/serin/metrics-server',
        '--allowed-addresses=10.0.0.0/8,fd00::/8',
        '--allowed-local-addresses=127.0.0.1,169.254.171.0/24',
      ]),
    );
    expect(containers[0].env).toContainEqual({ name: 'HOST_IPS', valueFrom: { fieldRef: { fieldPath: 'status.hostIP' } } });
    expect(containers[0].volumeMounts.slice(1)).toEqual([
      { name: 'metrics-server', mountPath: '/etc/serin/metrics-server', readOnly: true },
    ]);
    expect(volumes.slice(1)).toEqual([{ name: 'metrics-server', secret: { secretName: 'prometheus' } }]);
  });

  it('DF614, DF615: the label of Secrets, and the hosts and gateways of each namespace, are flags', async () => {
    const values = {
      requireSecretLabel: true,
      allowedHosts: { 'team-a': ['*.a.example.com', 'a.example.com'], '*': ['status.example.com'] },
      allowedGateways: { 'team-a': ['istio-system/public'] },
    };
    const [deployment] = of(await helm.render('serin', values), 'Deployment');
    const { args } = raw(deployment)?.spec.template.spec.containers[0] ?? {};
    expect(args.filter((one: string) => /allowed-|secret-label/.test(one))).toEqual([
      '--require-secret-label',
      '--allowed-hosts=*=status.example.com',
      '--allowed-hosts=team-a=*.a.example.com,a.example.com',
      '--allowed-gateways=team-a=istio-system/public',
    ]);
  });

  it('a budget is made for more than one replica only', async () => {
    const budgets = async (replicaCount: number) =>
      of(await helm.render('serin', { podDisruptionBudget: { enabled: true }, leaderElection: { replicaCount } }), 'PodDisruptionBudget');
    expect(await budgets(1)).toEqual([]);
    expect(await budgets(2)).toHaveLength(1);
  });

  it.each([
    { set: 'logLevel=loud', message: /logLevel/ },
    { set: 'meshProvider=istioo', message: /meshProvider/ },
    { set: 'replicaCount=2', message: /replicaCount/ },
    { set: 'leaderElection.replicaCount=-1', message: /replicaCount/ },
    { set: 'leaderElection.enabled=yes', message: /enabled/ },
    { set: 'image.digest=sha256:abc', message: /digest/ },
    { set: 'secrets.mode=all', message: /mode/ },
    { set: 'namespaces=a', message: /namespaces/ },
    { set: 'kubeconfigQPS=many', message: /kubeconfigQPS/ },
    { set: 'prometheus.install=true', message: /this chart has no Prometheus/ },
    { set: 'image.repository=ghcr.io/fluxcd/flagger', message: /image of another controller/ },
    { set: 'image.repository=', message: /image\.repository: only the chart of a release has an image\. Set it/ },
    { set: 'leaderElection.enabled=false,leaderElection.replicaCount=2', message: /more than one replica/ },
    { set: 'leaderElection.enabled=false,leaderElection.shards=2', message: /more than one shard/ },
    { set: 'secrets.namespaces={c},namespaces={a,b}', message: /secrets\.namespaces: .* c\b/ },
    { set: 'kinds={StatefulSet}', message: /kinds/ },
    { set: 'admissionPolicy.verbs={undo}', message: /admissionPolicy/ },
    { set: 'meshProvider=kuma,namespace=a', message: /TrafficRoute of Kuma/ },
  ])('--set $set is refused before anything is changed', async ({ set, message }) => {
    const ran = await helm.run('template', 'serin', CHART, '--set', set);
    expect(ran.code).not.toBe(0);
    expect(ran.complained).toMatch(message);
  });

  it('the policy of requests is rendered only if it is enabled, with the verbs for edit and admin, and for the namespaces of the release', async () => {
    const ofRequests = async (values: object) =>
      (await helm.render('serin', values)).filter(({ metadata }) => metadata.name === 'serin-requests');
    const rolesOf = async (values: object) =>
      of(await ofRequests(values), 'ClusterRole').map(({ metadata, rules }: Raw) => ({ to: Object.keys(metadata.labels ?? {}), rules }));
    expect(await ofRequests({})).toEqual([]);
    const [role] = await rolesOf({ admissionPolicy: { enabled: true } });
    expect(role?.rules).toEqual([{ apiGroups: ['flagger.app'], resources: ['canaries'], verbs: [...virtualVerbs] }]);
    expect(role?.to.filter((label) => label.includes('aggregate'))).toEqual(
      ['edit', 'admin'].map((name) => `rbac.authorization.k8s.io/aggregate-to-${name}`),
    );
    expect((await rolesOf({ admissionPolicy: { enabled: true, verbs: ['pause'] } }))[0]?.rules[0].verbs).toEqual(['pause']);
    expect(await rolesOf({ admissionPolicy: { enabled: true, verbs: [] } })).toEqual([]);
    expect(await rolesOf({ admissionPolicy: { enabled: true }, rbac: { aggregate: false } })).toEqual([]);
    const bound = await ofRequests({ admissionPolicy: { enabled: true }, namespaces: ['a', 'b'] });
    expect(bound.map(({ kind }) => kind)).toEqual(['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding']);
    expect(raw(bound[1])?.spec.matchResources).toEqual({
      namespaceSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['a', 'b'] }] },
    });
  });

  it('the apex guard is made by default where the API server has the kind, under a name of its own, for the namespaces of the release', async () => {
    const guardIn = async (...args: string[]) => {
      const ran = await helm.run('template', 'serin', CHART, '--namespace', 'tools', ...args);
      return objectsIn(ran.said).filter(({ kind }) => kind.startsWith('MutatingAdmission'));
    };
    const guardOf = (...args: string[]) => guardIn('--api-versions', 'admissionregistration.k8s.io/v1/MutatingAdmissionPolicy', ...args);
    // Kubernetes 1.33 gets neither a refusal nor a policy.
    expect(await guardIn('--kube-version', '1.33.0')).toEqual([]);
    const [policy, binding] = (await guardOf()) as Raw[];
    expect([policy?.metadata.name, binding?.metadata.name]).toEqual(['serin-tools-apex-guard', 'serin-tools-apex-guard']);
    expect(policy?.spec).toEqual(apexGuard());
    expect(binding?.spec).toEqual({ policyName: 'serin-tools-apex-guard' });
    expect(await guardOf('--set', 'apexGuard.enabled=false')).toEqual([]);
    const [, bound] = (await guardOf('--set', 'namespaces={a,b}')) as Raw[];
    expect(bound?.spec.matchResources).toEqual({
      namespaceSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['a', 'b'] }] },
    });
  });

  it.each([
    { version: '1.29.9', works: false },
    { version: 'v1.29.4-gke.100', works: false },
    { version: '1.30.0', works: true },
    { version: 'v1.30.1-eks-1a2b3c', works: true },
  ])('on Kubernetes $version the policy of requests is made or refused with the reason: $works', async ({ version, works }) => {
    const ran = await helm.run('template', 'serin', CHART, '--set', 'admissionPolicy.enabled=true', '--kube-version', version);
    expect(ran.code === 0).toBe(works);
    if (!works)
      expect(ran.complained).toContain(`a ValidatingAdmissionPolicy needs Kubernetes 1.30, and this is v${version.replace('v', '')}`);
    expect(await helm.run('template', 'serin', CHART, '--kube-version', version)).toMatchObject({ code: 0 });
  });

  it('definitions come with the chart, are upgraded with it, and stay when it goes', async () => {
    const name = 'canaries.flagger.app';
    const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name };
    const release = ['serin', CHART, '--namespace', 'serin', '--values', helm.valuesFile({})];
    const succeeds = async (...args: string[]) => {
      const ran = await helm.run(...args);
      expect(ran.complained.replace(/^level=.*$/gm, '').trim()).toBe('');
      return ran.said;
    };
    await succeeds('install', ...release);
    const installed = await real.cluster.get(ref);
    expect(installed?.metadata.annotations).toMatchObject({ 'meta.helm.sh/release-name': 'serin' });
    await real.cluster.patch(ref, { spec: { names: { categories: ['other'] } } });
    const notes = await succeeds('upgrade', ...release, '--force-conflicts', '--set', 'threadiness=4,crd.create=true');
    expect(notes).toMatch(/threadiness has no effect/);
    expect(notes).toMatch(/crd\.create has no effect/);
    expect(raw(await real.cluster.get(ref))?.spec.names.categories).toEqual(['all']);
    expect(await real.cluster.get({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'serin', namespace: 'serin' })).toBeDefined();

    await succeeds('upgrade', ...release, '--set', 'namespace=a');
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', name: 'serin' };
    await until(real.cluster, { ...role, kind: 'Role', namespace: 'a' }, 'is there', (now) => now !== undefined);

    await succeeds('uninstall', 'serin', '--namespace', 'serin');
    expect(await real.cluster.get({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'serin', namespace: 'serin' })).toBeUndefined();
    expect(await real.cluster.get(ref)).toBeDefined();
  });
});

// On a control plane of its own: if a definition is deleted before any client has listed its objects, it can remain for five minutes (the API server's
// finalizer fails on a storage that is starting, gets a conflict, and forgets it until its next resync).
describe('the chart of Serin, where another owner has the definitions', () => {
  let real: RealCluster;
  let helm: Helm;
  beforeAll(async () => {
    real = await startRealCluster();
    helm = await startHelm(real.adminKubeconfigFile);
    await real.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'serin' } });
  });
  afterAll(async () => {
    helm?.stop();
    await real?.stop();
  });

  it('the definitions are not modified, and the notes say so', async () => {
    const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: 'canaries.flagger.app' };
    await applyCrds(real.cluster, [OWN_CRDS]);
    const before = (await real.cluster.get(ref))?.metadata.resourceVersion;
    const ran = await helm.run('install', 'serin', CHART, '--namespace', 'serin');
    expect(ran.complained.replace(/^level=.*$/gm, '').trim()).toBe('');
    expect(ran.said).toMatch(/canaries\.flagger\.app is not from this release/);
    expect((await real.cluster.get(ref))?.metadata.resourceVersion).toBe(before);
    await helm.run('uninstall', 'serin', '--namespace', 'serin');
    expect(await real.cluster.get(ref)).toBeDefined();
  });
});
