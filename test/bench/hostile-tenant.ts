import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setPriority } from 'node:os';
import { setImmediate as breathe, setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { loadConnection } from '../../src/kube/connect.ts';
import { createCluster } from '../../src/kube/create-cluster.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { container, forEachIndex } from './applications.ts';

/**
 * The hostile tenant of `npm run bench -- --hostile`, in a process of its own:
 * `node hostile-tenant.ts ADMIN_KUBECONFIG KUBECONFIG USER NAMESPACES WITH_PODS WRITERS`. An administrator gives it the namespaces, and all rights in them.
 * Sends `{ ready }`, then writes as fast as the API server answers, and sends its counts every second until it is killed.
 */
export interface Counts {
  accepted: Record<string, number>;
  refused: Record<string, number>;
}

const BIG_ANSWER_BYTES = 5 * 1024 * 1024;
const METRICS = 60;
const OPTIONAL_CONFIGS = 40;
const CANARY_API = 'flagger.app/v1beta1';
const DEPLOYMENT_API = 'apps/v1';
const NAME = 'app';
const ANSWER_WITHIN_MS = 60_000;

interface Backends {
  /** Answers any query with 5 MB of JSON. */
  big: string;
  /** Accepts a call and never answers. */
  silent: string;
}

async function startBackends(): Promise<Backends> {
  const filler = 'a'.repeat(BIG_ANSWER_BYTES);
  const body = JSON.stringify({ status: 'success', data: { resultType: 'vector', result: [{ metric: { filler }, value: [1, '1'] }] } });
  const listen = async (answer: string | undefined): Promise<string> => {
    const server = createServer((request, response) => {
      request.resume();
      if (answer !== undefined) response.end(answer);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  return { big: await listen(body), silent: await listen(undefined) };
}

function deployment(namespace: string, replicas: number): KubeObject {
  const labels = { app: NAME };
  const envFrom = Array.from({ length: OPTIONAL_CONFIGS }, (_, index) => ({ configMapRef: { name: `missing-${index}`, optional: true } }));
  return {
    apiVersion: DEPLOYMENT_API,
    kind: 'Deployment',
    metadata: { name: NAME, namespace, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ ...container('1'), envFrom }] } },
    },
  };
}

function canary(namespace: string, { silent }: Backends): KubeObject {
  return {
    apiVersion: CANARY_API,
    kind: 'Canary',
    metadata: { name: NAME, namespace },
    spec: {
      provider: 'kubernetes',
      targetRef: { apiVersion: DEPLOYMENT_API, kind: 'Deployment', name: NAME },
      service: { port: 80, targetPort: 'http' },
      analysis: {
        interval: '1s',
        threshold: 1000,
        iterations: 1000,
        metrics: Array.from({ length: METRICS }, (_, index) => ({
          name: `m${index}`,
          templateRef: { name: index % 2 === 0 ? 'big' : 'silent' },
          thresholdRange: { min: 0 },
        })),
        webhooks: [{ name: 'silent', type: 'event', url: silent }],
        alerts: [{ name: 'silent', severity: 'info', providerRef: { name: 'silent' } }],
      },
    },
  };
}

const template = (namespace: string, name: string, address: string): KubeObject => ({
  apiVersion: CANARY_API,
  kind: 'MetricTemplate',
  metadata: { name, namespace },
  spec: { provider: { type: 'prometheus', address }, query: '{{ range variables }}{{ . }}{{ end }}up' },
});

const RBAC = 'rbac.authorization.k8s.io';

async function give(admin: KubeCluster, namespace: string, user: string): Promise<void> {
  await admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await admin.create({
    ...{ apiVersion: `${RBAC}/v1`, kind: 'RoleBinding', metadata: { name: 'all', namespace } },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: RBAC, kind: 'User', name: user }],
  });
}

async function settle(cluster: KubeCluster, namespace: string, replicas: number, backends: Backends): Promise<void> {
  await cluster.create(template(namespace, 'big', backends.big));
  await cluster.create(template(namespace, 'silent', backends.silent));
  await cluster.create({
    apiVersion: CANARY_API,
    kind: 'AlertProvider',
    metadata: { name: 'silent', namespace },
    spec: { type: 'slack', address: backends.silent },
  });
  await cluster.create(deployment(namespace, replicas));
  await cluster.create(canary(namespace, backends));
}

type Attack = (cluster: KubeCluster, namespace: string, turn: number, backends: Backends) => Promise<unknown>;
const canaryIn = (namespace: string) => ({ apiVersion: CANARY_API, kind: 'Canary', name: NAME, namespace });
const deploymentIn = (namespace: string) => ({ apiVersion: DEPLOYMENT_API, kind: 'Deployment', name: NAME, namespace });

/** Each is one or two writes; a refusal is counted, and the next write follows. */
const ATTACKS: Readonly<Record<string, Attack>> = {
  'edits the spec of its Canary': (cluster, namespace, turn) =>
    cluster.patch(canaryIn(namespace), { spec: { analysis: { threshold: 1000 + (turn % 1000) } } }),
  'annotates its Canary': (cluster, namespace, turn) =>
    cluster.patch(canaryIn(namespace), { metadata: { annotations: { turn: String(turn) } } }),
  'annotates its Canary with 200 KB': (cluster, namespace, turn) =>
    cluster.patch(canaryIn(namespace), { metadata: { annotations: { big: String(turn % 10).repeat(200_000) } } }),
  'starts a release': (cluster, namespace, turn) =>
    cluster.patch(deploymentIn(namespace), { spec: { template: { spec: { containers: [container(String(turn))] } } } }),
  'writes the status of its Canary': (cluster, namespace, turn) =>
    cluster.patch(
      canaryIn(namespace),
      { status: { phase: 'Progressing', failedChecks: turn % 7, canaryWeight: turn % 101, iterations: 3, release: { routes: 'none' } } },
      { subresource: 'status' },
    ),
  'forges an anchor': (cluster, namespace, turn) =>
    cluster.apply({
      apiVersion: DEPLOYMENT_API,
      kind: 'ControllerRevision',
      metadata: { name: `forged-${turn % 50}`, namespace, labels: { 'app.kubernetes.io/managed-by': 'serin' } },
      revision: turn,
      data: { canary: 'bench/app-0000' },
    }),
  'edits a template': (cluster, namespace, turn) =>
    cluster.patch(
      { apiVersion: CANARY_API, kind: 'MetricTemplate', name: 'big', namespace },
      { spec: { query: `${'{{ range variables }}'.repeat(turn % 40)}up` } },
    ),
  'edits the primary': (cluster, namespace, turn) =>
    cluster.patch(
      { ...deploymentIn(namespace), name: `${NAME}-primary` },
      { metadata: { annotations: { turn: String(turn) } }, spec: { paused: turn % 2 === 0 } },
    ),
  'writes a ConfigMap': (cluster, namespace, turn) =>
    cluster.apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `missing-${turn % OPTIONAL_CONFIGS}`, namespace },
      data: { turn: String(turn) },
    }),
  'deletes and creates its Canary': async (cluster, namespace, _turn, backends) => {
    await cluster.delete(canaryIn(namespace));
    await cluster.create(canary(namespace, backends));
  },
};

const clientOf = async (kubeconfig: string) =>
  createCluster(await loadConnection({ kubeconfig, userAgent: 'hostile-tenant' }), { requestTimeoutMs: ANSWER_WITHIN_MS });

async function attack(
  admin: KubeCluster,
  cluster: KubeCluster,
  user: string,
  ...[namespaces = 1, withPods = 0, writers = 1]: number[]
): Promise<void> {
  const backends = await startBackends();
  const nameOf = (index: number) => `hostile-${index}`;
  await forEachIndex(namespaces, (index) => give(admin, nameOf(index), user), 20);
  await forEachIndex(namespaces, (index) => settle(cluster, nameOf(index), index < withPods ? 1 : 0, backends), 20);
  const counts: Counts = { accepted: {}, refused: {} };
  process.send?.({ ready: true });
  const names = Object.keys(ATTACKS);
  let turn = 0;
  const write = async (): Promise<never> => {
    for (;;) {
      turn += 1;
      const what = names[turn % names.length] ?? '';
      const outcome = await ATTACKS[what]?.(cluster, nameOf(Math.floor(turn / names.length) % namespaces), turn, backends).then(
        () => counts.accepted,
        () => counts.refused,
      );
      if (outcome) outcome[what] = (outcome[what] ?? 0) + 1;
      await breathe();
    }
  };
  const all = Array.from({ length: writers }, write);
  for (;;) {
    await Promise.race([...all, sleep(1000)]);
    process.send?.(counts);
  }
}

// The neighbours of a real tenant have processors of their own; here it is the last to get them.
setPriority(19);
const [adminKubeconfig = '', kubeconfig = '', user = '', ...numbers] = process.argv.slice(2);
process.once('disconnect', () => process.exit());
await attack(await clientOf(adminKubeconfig), await clientOf(kubeconfig), user, ...numbers.map(Number));
