import { readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canIList } from '../../scripts/rights/can-i.ts';
import { type Mode, modes, permissionsIn, RELEASE_NAMESPACE, SHOP } from '../../scripts/rights/modes.ts';
import { CHARTS } from '../e2e/helm.ts';
import { startGuarded } from '../scenarios/guarded-process.ts';
import { givenNode } from './given-node.ts';
import { type Installed, installSerin } from './installed.ts';
import { ranCommand, until } from './started.ts';

const node = givenNode('serin', 'coredns');
const kubectl = (...args: string[]) => node().kubectl(...args);

/** The mode with the provider of this cluster, which has no Istio. */
function modeOf(name: string): Mode {
  const mode = modes.find((each) => each.name === name);
  if (mode === undefined) throw new Error(`docs/rights.md has no mode ${name}`);
  return { ...mode, features: { ...mode.features, providers: ['kubernetes'] } };
}

const variants = [
  { name: 'default values', mode: modeOf('default'), values: {}, replicas: 1 },
  { name: 'two replicas', mode: modeOf('default'), values: { leaderElection: { enabled: true, replicaCount: 2 } }, replicas: 2 },
  { name: 'namespaces', mode: modeOf('namespaces'), values: modeOf('namespaces').values, replicas: 1 },
  { name: 'the least rights', mode: modeOf('minimal'), values: modeOf('minimal').values, replicas: 1 },
];

/** kubectl makes columns as wide as all of its rows need. */
const inColumns = (text: string): string[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.replaceAll(/ {2,}/g, '   ').trim());

interface Pod {
  metadata: { name: string; uid: string };
}

async function podsOfSerin(): Promise<Pod[]> {
  return (
    JSON.parse(await kubectl('get', 'pods', '-n', RELEASE_NAMESPACE, '-l', 'app.kubernetes.io/name=serin', '-o', 'json')) as {
      items: Pod[];
    }
  ).items;
}

/** With the token that the kubelet gave the pod. */
async function rightsOf({ metadata }: Pod, namespace: string): Promise<string[]> {
  const [pid] = await node().processesOf(metadata.uid);
  const token = readFileSync(`/proc/${pid}/root/var/run/secrets/kubernetes.io/serviceaccount/token`, 'utf8');
  const { plane } = node();
  const file = join(plane.folder, 'pod.kubeconfig');
  writeFileSync(file, plane.kubeconfig.replace(/token: .*/, `token: ${token}`), { mode: 0o600 });
  return inColumns(await ranCommand(plane.kubectl, ['auth', 'can-i', '--list', `--namespace=${namespace}`], { KUBECONFIG: file }));
}

async function uninstall({ helm }: Installed): Promise<void> {
  await helm.run('uninstall', 'serin', '--namespace', RELEASE_NAMESPACE, '--wait', '--timeout', '2m');
  helm.stop();
  await kubectl('delete', 'namespace', RELEASE_NAMESPACE, '--timeout=120s');
}

describe('the chart under the restricted Pod Security Standard, on a real node', () => {
  it.each(variants)(
    '$name: its pods are ready, and have the rights of docs/rights.md and no others',
    async ({ mode, values, replicas }) => {
      for (const namespace of mode.namespaces ?? [])
        await kubectl('create', 'namespace', namespace).catch((error: Error) => expect(error.message).toContain('AlreadyExists'));
      const installed = await installSerin(node(), values);
      try {
        const pods = await podsOfSerin();
        expect(pods).toHaveLength(replicas);
        for (const pod of pods)
          for (const namespace of [SHOP, RELEASE_NAMESPACE]) {
            const bare = ['auth', 'can-i', '--list', '--as=system:serviceaccount:serin:bare', `--namespace=${namespace}`];
            const common = inColumns(await kubectl(...bare)).slice(1);
            const own = (await rightsOf(pod, namespace)).filter((row) => !common.includes(row));
            expect(own).toEqual(inColumns(canIList(permissionsIn(mode, namespace))));
          }
      } finally {
        await uninstall(installed);
      }
    },
  );

  it('the dashboard is served through kubectl port-forward', async () => {
    const installed = await installSerin(node(), { dashboard: { enabled: true } });
    const { plane } = node();
    const forward = startGuarded(
      'kubectl port-forward',
      [plane.kubectl, 'port-forward', 'deployment/serin', '8090:8091', '--namespace', RELEASE_NAMESPACE],
      join(plane.folder, 'port-forward.log'),
      { ...process.env, KUBECONFIG: plane.adminKubeconfigFile },
    );
    try {
      await until(forward, 'the port is forwarded', async () => {
        if (!forward.logTail().includes('Forwarding from 127.0.0.1:8090')) throw new Error('not yet');
      });
      const { status, text } = await pageAt('http://localhost:8090/login');
      expect(status).toBe(200);
      expect(text).toContain('<title>');
      expect((await pageAt('http://127.0.0.1:8090/login', { host: 'elsewhere.example' })).status).toBe(421);
    } finally {
      await forward.stop();
      await uninstall(installed);
    }
  });

  it('helm test passes and leaves nothing; without a ready controller it fails, and the log of its pod says why', async () => {
    await kubectl('apply', '-f', join(import.meta.dirname, 'addons', 'coredns.yaml'));
    await kubectl('rollout', 'status', 'deployment/coredns', '-n', 'kube-system', '--timeout=120s');
    const installed = await installSerin(node());
    const tested = () => installed.helm.run('test', 'serin', '--namespace', RELEASE_NAMESPACE, '--logs', '--timeout', '3m');
    const ofTest = ['pods,services', '-n', RELEASE_NAMESPACE, '-l', 'app.kubernetes.io/name=serin-test', '-o', 'name'];
    try {
      const passed = await tested();
      expect(passed.said + passed.complained).toMatch(/TEST SUITE: +serin-test\n(.*\n){2}Phase: +Succeeded/);
      expect(passed.said).toContain('http://serin-test.serin:8080/readyz: 200 OK');
      expect(passed.code).toBe(0);
      expect(await kubectl('get', ...ofTest)).toBe('');
      await kubectl('scale', 'deployment/serin', '-n', RELEASE_NAMESPACE, '--replicas=0');
      const failed = await tested();
      expect(failed.said + failed.complained).toMatch(/TEST SUITE: +serin-test\n(.*\n){2}Phase: +Failed/);
      expect(failed.code).toBe(1);
      expect((await kubectl('get', ...ofTest)).trim()).toBe('pod/serin-test');
      expect(await kubectl('logs', 'serin-test', '-n', RELEASE_NAMESPACE)).toContain(
        'Serin is not ready: kubectl -n serin logs deployment/serin',
      );
    } finally {
      await uninstall(installed);
    }
  });

  it('the load tester is ready', async () => {
    const installed = await installSerin(node());
    try {
      const chart = join(CHARTS, 'loadtester');
      const ran = await installed.helm.run('install', 'loadtester', chart, '--namespace', RELEASE_NAMESPACE, '--wait', '--timeout', '3m');
      expect(ran.complained + ran.said).toContain('STATUS: deployed');
      const address = await kubectl('get', 'service', 'loadtester', '-n', RELEASE_NAMESPACE, '-o', 'jsonpath={.spec.clusterIP}');
      // kube-proxy refuses for a Service until it has heard of its first pod, which helm does not wait for.
      await expect.poll(() => pageAt(`http://${address}/healthz`), { timeout: 30_000 }).toMatchObject({ status: 200 });
    } finally {
      await uninstall(installed);
    }
  });
});

function pageAt(url: string, headers: Record<string, string> = {}): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    get(url, { headers, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => (text += part));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
    }).on('error', reject);
  });
}
