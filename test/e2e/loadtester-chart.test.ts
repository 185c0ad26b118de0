import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { program } from '../fakes/program.ts';
import { raw } from '../fakes/raw.ts';
import { applyCrds, ROUTING_CRDS } from '../scenarios/environment.ts';
import { eventually } from '../scenarios/eventually.ts';
import { type GuardedProcess, startGuarded } from '../scenarios/guarded-process.ts';
import { CHARTS, type Helm, objectsIn, startHelm } from './helm.ts';
import { type RealCluster, startRealCluster } from './real-cluster.ts';
import { define, fitsRestrictedStandard, isTakenAsItIs } from './strict-apply.ts';

const CHART = join(CHARTS, 'loadtester');
const CHART_CRDS = join(import.meta.dirname, '..', 'fixtures', 'chart-crds.yaml');
const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;
const callers = { credentials: { secretName: 'callers' } };

/** Rendered objects, by the parts that the tests check. */
interface Rendered {
  deployment: KubeObject;
  pod: KubeObject;
  container: KubeObject & { args: string[] };
  of(kind: string): KubeObject[];
}

function partsOf(objects: readonly KubeObject[]): Rendered {
  const of = (kind: string) => objects.filter((object) => object.kind === kind);
  const [deployment] = of('Deployment');
  if (!deployment) throw new Error('the chart renders a Deployment');
  const pod = raw(deployment).spec.template;
  return { deployment, pod, container: pod.spec.containers[0], of };
}

const args =
  (...wanted: string[]) =>
  ({ container }: Rendered) =>
    expect(container.args).toEqual(expect.arrayContaining(wanted));

const row = (what: string, values: object, holds: (rendered: Rendered) => void) => ({ what, values, holds });

/** The values of Flagger's chart, each with its effect. */
const rows = [
  row('replicaCount; never two at a time, since gates are the state of one process', { replicaCount: 0 }, ({ deployment }) =>
    expect(deployment.spec).toMatchObject({ replicas: 0, strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } }),
  ),
  row(
    'image, its digest, and Secrets for its registry',
    {
      image: { repository: 'r.example/serin', digest, pullPolicy: 'Always', pullSecret: 'one' },
      imagePullSecrets: [{ name: 'two' }],
    },
    ({ pod, container }) => {
      expect(container).toMatchObject({ image: `r.example/serin@${digest}`, imagePullPolicy: 'Always' });
      expect(raw(pod).spec.imagePullSecrets).toEqual([{ name: 'two' }, { name: 'one' }]);
    },
  ),
  row(
    'podLabels, podAnnotations, podPriorityClassName',
    { podLabels: { a: 'b' }, podAnnotations: { c: 'd' }, podPriorityClassName: 'high' },
    ({ pod }) => {
      expect(pod.metadata.labels).toMatchObject({ a: 'b', app: 'loadtester' });
      expect(pod.metadata.annotations).toEqual({ 'prometheus.io/scrape': 'true', 'prometheus.io/port': '8080', c: 'd' });
      expect(raw(pod).spec.priorityClassName).toBe('high');
    },
  ),
  row(
    'logLevel, cmd.timeout, cmd.namespaceRegexp',
    { logLevel: 'debug', cmd: { timeout: '10m', namespaceRegexp: 'team-.*' } },
    args('--log-level=debug', '--timeout=10m', '--namespace-regexp=team-.*'),
  ),
  row(
    'env, volumes, volumeMounts, nodeSelector, tolerations, affinity',
    {
      env: [{ name: 'A', value: 'b' }],
      volumes: [{ name: 'v', emptyDir: {} }],
      volumeMounts: [{ name: 'v', mountPath: '/v' }],
      nodeSelector: { os: 'linux' },
      tolerations: [{ operator: 'Exists' }],
      affinity: { podAntiAffinity: {} },
    },
    ({ pod, container }) => {
      expect(container).toMatchObject({ env: [{ name: 'A', value: 'b' }] });
      expect(container.volumeMounts).toContainEqual({ name: 'v', mountPath: '/v' });
      expect(pod.spec).toMatchObject({
        nodeSelector: { os: 'linux' },
        tolerations: [{ operator: 'Exists' }],
        affinity: { podAntiAffinity: {} },
      });
    },
  ),
  row('service', { service: { type: 'NodePort', port: 8080 } }, ({ of }) =>
    expect(of('Service')[0]?.spec).toMatchObject({ type: 'NodePort', ports: [{ name: 'http', port: 8080, targetPort: 'http' }] }),
  ),
  row('resources', { resources: { limits: { cpu: '1' } } }, ({ container }) =>
    expect(container.resources).toEqual({ limits: { cpu: '1', memory: '512Mi' }, requests: { cpu: '50m', memory: '96Mi' } }),
  ),
  row(
    'rbac, of the whole cluster; without it there is neither account nor token',
    {
      rbac: {
        create: true,
        scope: 'cluster',
        rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }],
        serviceAccountAnnotations: { a: 'b' },
      },
    },
    ({ of, pod }) => {
      expect(of('ClusterRole')[0]?.rules).toEqual([{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }]);
      expect(of('ClusterRoleBinding')[0]?.subjects).toEqual([{ kind: 'ServiceAccount', name: 'serin-loadtester', namespace: 'serin' }]);
      expect(of('ServiceAccount')[0]?.metadata.annotations).toEqual({ a: 'b' });
      expect(pod.spec).toMatchObject({ serviceAccountName: 'serin-loadtester', automountServiceAccountToken: true });
    },
  ),
  row(
    'serviceAccountName, which is what the binding names as well',
    { serviceAccountName: 'mine', rbac: { create: true } },
    ({ of, pod }) => {
      expect(raw(pod).spec.serviceAccountName).toBe('mine');
      expect(of('RoleBinding')[0]?.subjects).toEqual([{ kind: 'ServiceAccount', name: 'mine', namespace: 'serin' }]);
      expect(of('ServiceAccount')).toEqual([]);
    },
  ),
  row('meshName, backends, without effect', { meshName: 'global', backends: ['podinfo'] }, ({ of }) =>
    expect(of('VirtualNode')).toEqual([]),
  ),
  row('appmesh, without effect', { appmesh: { enabled: true, backends: ['podinfo', 'podinfo-canary'] } }, ({ of }) =>
    expect(of('VirtualNode')).toEqual([]),
  ),
  row(
    'istio',
    {
      ...callers,
      istio: { enabled: true, host: 'l.example', gateway: { enabled: true }, tls: { enabled: true, httpsRedirect: true } },
    },
    ({ of }) => {
      expect(of('VirtualService')[0]?.spec).toMatchObject({
        hosts: ['l.example'],
        gateways: ['serin-loadtester'],
        http: [{ route: [{ destination: { host: 'serin-loadtester', port: { number: 80 } } }] }],
      });
      expect(raw(of('Gateway')[0])?.spec.servers).toMatchObject([
        { port: { number: 80 }, hosts: ['l.example'], tls: { httpsRedirect: true } },
        { port: { number: 443 }, hosts: ['l.example'], tls: { mode: 'SIMPLE' } },
      ]);
    },
  ),
  row(
    'securityContext, podSecurityContext, on unless they are switched off',
    { securityContext: { context: { runAsUser: 100, runAsGroup: 101 } }, podSecurityContext: { context: { fsGroup: 101 } } },
    ({ pod, container }) => {
      expect(container.securityContext).toMatchObject({ runAsUser: 100, runAsNonRoot: true, readOnlyRootFilesystem: true });
      expect(raw(pod).spec.securityContext).toEqual({ fsGroup: 101 });
    },
  ),
  row('podDisruptionBudget, without effect for one replica', { podDisruptionBudget: { enabled: true, minAvailable: 1 } }, ({ of }) =>
    expect(of('PodDisruptionBudget')).toEqual([]),
  ),
];

const matrix: { what: string; values: object }[] = [
  { what: 'nothing set', values: {} },
  { what: "the values that users of Flagger's chart have", values: Object.assign({}, ...rows.map(({ values }) => values)) },
  {
    what: 'commands, every credential, a claim, a policy',
    values: {
      commands: { namespaces: ['team-a', 'team-b-.*'] },
      credentials: { secretName: 'callers', token: { name: 'token', key: 'value' }, signingKey: { name: 'key' } },
      persistence: { enabled: true, storageClass: 'fast', annotations: { a: 'b' } },
      networkPolicy: { enabled: true, from: [{ namespaceSelector: {} }], egress: [{}] },
      extraArgs: ['--max-tasks=100'],
    },
  },
  {
    what: 'a claim that is there, commands for everybody, no security context',
    values: {
      persistence: { enabled: true, existingClaim: 'mine' },
      commands: { namespaces: ['.*'], unauthenticated: true },
      securityContext: { enabled: false },
      podSecurityContext: { enabled: false },
      rbac: { create: true, scope: 'namespace' },
    },
  },
];

describe('the chart of the load tester', () => {
  const folder = mkdtempSync(join(tmpdir(), 'serin-loadtester-chart-'));
  let real: RealCluster;
  let helm: Helm;
  beforeAll(async () => {
    real = await startRealCluster();
    helm = await startHelm(real.adminKubeconfigFile);
    await real.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'serin' } });
    await applyCrds(real.cluster, [ROUTING_CRDS]);
    for (const crd of objectsIn(readFileSync(CHART_CRDS, 'utf8'))) await define(real, crd);
  });
  afterAll(async () => {
    helm?.stop();
    await real?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(matrix)('$what: the linter finds nothing, and the API server takes every object as it is', async ({ values }) => {
    const linted = await helm.run('lint', '--strict', CHART, '--values', helm.valuesFile(values));
    expect(linted, linted.said).toMatchObject({ code: 0 });
    await isTakenAsItIs(real, await helm.render('loadtester', values));
  });

  it.each(rows)('$what', async ({ values, holds }) => {
    holds(partsOf(await helm.render('loadtester', values)));
  });

  it('no process runs as root, nothing is written but gates, and no token is mounted', async () => {
    const { deployment, pod, container, of } = partsOf(await helm.render('loadtester'));
    await fitsRestrictedStandard(real, deployment);
    expect(raw(container).securityContext.readOnlyRootFilesystem).toBe(true);
    expect(container.volumeMounts).toEqual([{ name: 'data', mountPath: '/data' }]);
    expect(pod.spec).toMatchObject({ automountServiceAccountToken: false, volumes: [{ name: 'data', emptyDir: {} }] });
    expect([...of('ServiceAccount'), ...of('Role'), ...of('ClusterRole')]).toEqual([]);
  });

  it('if commands are allowed there is a folder to write to, and an init process that reaps orphans', async () => {
    const { pod, container } = partsOf(await helm.render('loadtester', { ...callers, commands: { namespaces: ['team-a'] } }));
    expect(container.args).toEqual(expect.arrayContaining(['--allow-commands=team-a', '--credentials-dir=/etc/serin/callers']));
    expect(container.env).toEqual([{ name: 'HOME', value: '/tmp' }]);
    expect(container.volumeMounts).toContainEqual({ name: 'tmp', mountPath: '/tmp' });
    expect(raw(pod).spec.shareProcessNamespace).toBe(true);
    expect(raw(pod).spec.volumes).toContainEqual({ name: 'callers', secret: { secretName: 'callers' } });
  });

  it.each([
    { set: 'replicaCount=2', message: /state of one process/ },
    { set: 'image.repository=ghcr.io/fluxcd/flagger-loadtester', message: /image of another load tester/ },
    { set: 'image.repository=', message: /image\.repository: only the chart of a release has an image\. Set it/ },
    { set: 'commands.namespaces={test}', message: /every client that reaches the port could run commands/ },
    { set: 'istio.enabled=true', message: /every client that reaches the gateway could/ },
    { set: 'commands.namespace={test}', message: /namespace/ },
    { set: 'image.digest=sha256:abc', message: /digest/ },
    { set: 'service.port=http', message: /port/ },
  ])('--set $set is refused before anything is changed', async ({ set, message }) => {
    const ran = await helm.run('template', 'serin', CHART, '--set', set);
    expect(ran.code).not.toBe(0);
    expect(ran.complained).toMatch(message);
  });

  it('two releases in one namespace are apart, and the notes say what is open and what has no effect', async () => {
    const install = async (name: string, ...set: string[]) => {
      const ran = await helm.run('install', name, CHART, '--namespace', 'serin', ...set);
      expect(ran.complained.replace(/^level=.*$/gm, '').trim()).toBe('');
      return ran.said;
    };
    expect(await install('one')).toMatch(/without credentials every client/);
    const notes = await install('two', '--set', 'credentials.secretName=c,meshName=m,podDisruptionBudget.enabled=true,rbac.create=true');
    expect(notes).not.toMatch(/without credentials/);
    for (const message of [
      /podDisruptionBudget\.enabled has no effect/,
      /meshName, backends and appmesh have no effect/,
      /no namespace may run any/,
    ])
      expect(notes).toMatch(message);
    const selectors = await Promise.all(
      ['one', 'two'].map(async (name) => {
        const ref = { apiVersion: 'v1', kind: 'Service', name: `${name}-loadtester`, namespace: 'serin' };
        return raw(await real.cluster.get(ref))?.spec.selector;
      }),
    );
    expect(selectors).toEqual(['one', 'two'].map((name) => ({ app: 'loadtester', 'app.kubernetes.io/instance': name })));
  });

  it('started with the flags of the chart, it requires its credentials, and a gate is open after a restart', async () => {
    const values = { credentials: { secretName: 'callers', token: { name: 'token' }, signingKey: { name: 'key' } } };
    const { container } = partsOf(await helm.render('loadtester', values));
    for (const [path, text] of [
      ['etc/serin/callers/test.token', 'of-one-namespace'],
      ['etc/serin/token/token', 'of-all'],
      ['etc/serin/signing-key/signingKey', 'signing'],
      ['data/.keep', ''],
    ] as const) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    // Its volumes are folders here, and its port can be any.
    const here = container.args.map((arg: string) => arg.replace(/=\//, `=${folder}/`).replace(/^--port=.*/, '--port=0'));
    const run = async (name: string): Promise<{ tester: GuardedProcess; gate(path: string, token?: string): Promise<number> }> => {
      const logFile = join(folder, `${name}.log`);
      const tester = startGuarded('loadtester', [process.execPath, program(), ...here, '--host=127.0.0.1'], logFile);
      const port = await eventually(
        'it says that it started',
        () => /"port":(\d+)/.exec(readFileSync(logFile, 'utf8'))?.[1],
        (found) => found !== undefined,
        () => tester.logTail(),
      );
      const gate = async (path: string, token = 'none') => {
        const headers = { authorization: `Bearer ${token}` };
        const body = '{"name":"podinfo","namespace":"test"}';
        return (await fetch(`http://127.0.0.1:${port}/gate/${path}`, { method: 'POST', headers, body })).status;
      };
      return { tester, gate };
    };
    const first = await run('first');
    try {
      expect(await first.gate('open')).toBe(401);
      expect(await first.gate('open', 'of-one-namespace')).toBe(202);
      expect(await first.gate('check', 'of-all')).toBe(200);
    } finally {
      await first.tester.stop();
    }
    const second = await run('second');
    try {
      expect(await second.gate('check', 'of-all')).toBe(200);
    } finally {
      await second.tester.stop();
    }
  });
});
