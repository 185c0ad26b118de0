import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProgram } from '../e2e/helm.ts';
import type { GuardedProcess } from '../scenarios/guarded-process.ts';
import { anApplication } from './applications.ts';
import { givenNode } from './given-node.ts';
import { type Installed, installSerin } from './installed.ts';
import { type Admission, networkOf, startPodUsers } from './pod-users.ts';
import { enforcePolicies } from './policies.ts';

const node = givenNode('application', 'serin');
const DASHBOARD = 'serin.example.org';
let router: GuardedProcess;
let installed: Installed;

const kubectl = (...args: string[]) => node().kubectl(...args);

/** A pod that a policy knows by its label `role`, or does not know. */
const pod = (namespace: string, role: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: role, namespace, labels: { role } },
  spec: { containers: [{ name: 'web', image: 'serin.test/application:1', imagePullPolicy: 'Never' }] },
});

async function pods(namespace: string, ...roles: string[]): Promise<void> {
  await installed.apply(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    ...roles.map((role) => pod(namespace, role)),
  );
  for (const role of roles) await kubectl('wait', `pod/${role}`, '-n', namespace, '--for=condition=Ready', '--timeout=60s');
}

beforeAll(async () => {
  router = await enforcePolicies(node());
  const from = [
    { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'edge' } }, podSelector: { matchLabels: { role: 'ingress' } } },
  ];
  installed = await installSerin(node(), { dashboardUrl: `https://${DASHBOARD}`, dashboard: { enabled: true, from } });
});
afterAll(async () => {
  await router?.stop();
  installed?.helm.stop();
});

/** Status of an answer to a pod, or `refused`. */
async function answerTo(namespace: string, name: string, url: string): Promise<string> {
  const [enter, ...flags] = await networkOf(node(), namespace, name);
  const curl = ['curl', '--silent', '--max-time', '5', '--output', '/dev/null', '--write-out', '%{http_code}'];
  const { code, said } = await runProgram(enter, [...flags, ...curl, '--header', `host: ${DASHBOARD}`, url]);
  return code === 0 ? said : 'refused';
}

it("the chart's policy: named peers reach the dashboard, another pod of their namespace does not, and each reaches the port for checks", async () => {
  await pods('edge', 'ingress', 'other');
  const address = await kubectl(
    'get',
    'pods',
    '-n',
    'serin',
    '-l',
    'app.kubernetes.io/name=serin',
    '-o',
    'jsonpath={.items[0].status.podIP}',
  );
  const to = (port: number) => Promise.all(['ingress', 'other'].map((name) => answerTo('edge', name, `http://${address}:${port}/`)));
  // The policies of a new pod are set a moment after its start.
  await expect.poll(() => answerTo('edge', 'other', `http://${address}:8090/`), { timeout: 30_000, interval: 500 }).toBe('refused');
  const [ingress, other] = await to(8090);
  expect(ingress).toMatch(/^[234]\d\d$/);
  expect(other).toBe('refused');
  expect(await to(8080)).toEqual(['404', '404']);
  expect(await to(8091)).toEqual(['refused', 'refused']);
});

describe('an application with a policy that admits one client', () => {
  const policy = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'shop' },
    spec: {
      podSelector: { matchLabels: { app: 'shop' } },
      policyTypes: ['Ingress'],
      ingress: [{ from: [{ podSelector: { matchLabels: { role: 'client' } } }], ports: [{ port: 'http' }] }],
    },
  };

  it('I17: from its initialization to the deletion of its Canary that client loses no request, and no other pod gets an answer', async () => {
    await pods('policed', 'client', 'stranger');
    const shop = await anApplication(node(), installed, 'policed', { beside: [policy] });
    await shop.waitFor('initialized');
    const url = await shop.url();
    const start = async (pod: string, admission: Admission) => startPodUsers(await networkOf(node(), 'policed', pod), admission, url);
    const client = await start('client', 'admitted');
    const stranger = await start('stranger', 'shut out');
    await shop.release('2', 'good');
    await shop.waitFor('the end');
    expect(await shop.phase()).toBe('Succeeded');
    await kubectl('delete', 'canary', 'shop', '-n', 'policed', '--timeout=3m');
    const left = () => kubectl('get', 'networkpolicies', '-n', 'policed', '-o', 'name');
    await expect.poll(left, { timeout: 180_000, interval: 1_000 }).toBe('networkpolicy.networking.k8s.io/shop\n');
    const [ofClient, ofStranger] = [await client.stop(), await stranger.stop()];
    process.stdout.write(
      `policies: ${ofClient.sent} requests of the client, ${ofClient.lost.length} lost; ${ofStranger.sent} of the other\n`,
    );
    expect(ofClient).toMatchObject({ lost: [], versions: ['1', '2'] });
    expect(ofStranger.lost.length).toBeGreaterThan(20);
    expect(ofStranger.versions).toEqual([]);
  });
});
