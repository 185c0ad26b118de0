import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { ensureFlagger } from '../../../scripts/e2e-flagger.ts';
import { ensureHelm } from '../../../scripts/e2e-go-tool.ts';
import { acceptedSpecsAnnotation, anchorName } from '../../../src/api/names.ts';
import { type Nodes, startNodes } from '../../../src/embedded/nodes/index.ts';
import { podCallsBy } from '../../../src/embedded/nodes/pod-calls.ts';
import { freePort } from '../../e2e/free-port.ts';
import { type RealCluster, startRealCluster } from '../../e2e/real-cluster.ts';
import { program } from '../../fakes/program.ts';
import { type Raw, raw } from '../../fakes/raw.ts';
import { runScript, sectionScript } from '../../scenarios/doc-commands.ts';
import { applyCrds } from '../../scenarios/environment.ts';
import { eventually } from '../../scenarios/eventually.ts';
import { type GuardedProcess, startGuarded } from '../../scenarios/guarded-process.ts';
import { startFlagger } from '../cluster/both-controllers.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const PAGE = 'from-flagger.md';
const CANARY = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', namespace: 'shop', name: 'web' };
/** A guard: each wait of the page has a bound of its own. */
const LONGEST_MS = 600_000;
const FLAGS = ['--mesh-provider=kubernetes', '--min-analysis-interval=1s', '--scale-down-delay=1s', '--port=0'];
const BUILT = 'npm ci && npm run build\n';

/** The reader's checkout, in which they have built Serin. Pods are simulated: the controllers run beside the Deployments of the charts. */
let checkout: string;
let real: RealCluster;
let nodes: Nodes;
let env: NodeJS.ProcessEnv;
let runFlagger: () => Promise<void>;
const processes: GuardedProcess[] = [];

beforeAll(async () => {
  const [flagger, helm] = [await ensureFlagger(), await ensureHelm()];
  real = await startRealCluster();
  const { cluster } = real;
  nodes = startNodes(cluster, { graceScale: 0.2, calls: podCallsBy(cluster) });
  await nodes.ready;
  checkout = mkdtempSync(join(tmpdir(), 'serin-from-flagger-'));
  symlinkSync(dirname(program()), join(checkout, 'dist'));
  for (const part of ['charts', 'node_modules', 'package.json']) symlinkSync(join(ROOT, part), join(checkout, part));
  const path = `${dirname(real.kubectl)}:${dirname(helm)}:${dirname(process.execPath)}:${process.env.PATH}`;
  env = { KUBECONFIG: real.adminKubeconfigFile, PATH: path, HOME: join(checkout, 'home') };
  await applyCrds(cluster);
  writeStandIn(join(checkout, 'flagger-chart'));
  await ran('helm install flagger flagger-chart --namespace flagger-system --create-namespace --set meshProvider=kubernetes');
  writeFileSync(join(checkout, 'shop.yaml'), SHOP.map((one) => stringify(one)).join('---\n'));
  await ran('kubectl create namespace shop && kubectl apply --filename shop.yaml');
  runFlagger = async () => {
    processes.push(
      startFlagger(flagger, join(checkout, 'flagger.log'), {
        kubeconfig: real.adminKubeconfigFile,
        'mesh-provider': 'kubernetes',
        'metrics-server': 'http://127.0.0.1:9',
        port: String(await freePort()),
      }),
    );
  };
  await runFlagger();
  await eventually('Flagger has initialized the Canary', phase, (now) => now === 'Initialized');
});

afterAll(async () => {
  for (const one of processes) await one.stop();
  await nodes?.stop();
  await real?.stop();
  if (checkout) rmSync(checkout, { recursive: true, force: true });
});

it(
  'the page takes over a Canary of Flagger without restarting a pod, releases a version, and leads back',
  async () => {
    const uids = await podsOfPrimary();
    await ran(section('1. Save what there is'));
    await ran(section('2. Check'));
    expect(await phase()).toBe('Initialized');
    await ran(section('3. Stop Flagger'));
    await processes.shift()?.stop();
    await ran(section('4. Start Serin'));
    processes.push(
      startGuarded(
        'controller',
        [process.execPath, program(), 'controller', ...FLAGS, `--kubeconfig=${real.adminKubeconfigFile}`],
        join(checkout, 'serin.log'),
      ),
    );
    await eventually('Serin has taken over', async () => raw(await real.cluster.get(CANARY))?.status.release !== undefined);
    const seen = await ran(section('5. See that it goes on'));
    expect(seen).toMatch(/shop +web +Initialized/);
    expect(seen).toContain('No resources found');
    expect(seen).toMatch(/shop +web +\d+$/m);
    expect(await podsOfPrimary()).toEqual(uids);
    await ran('kubectl --namespace shop set image deployment/web web=web:2');
    await eventually('the first release is promoted', phase, (now) => now === 'Succeeded');
    await ran(section('Going back'));
    const flagger = await real.cluster.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'flagger-system', name: 'flagger' });
    expect(raw(flagger).spec.replicas).toBe(1);
  },
  LONGEST_MS,
);

it(
  'a release that goes back with a refused edit: Flagger acts on the edit, and leaves the spec that Serin has stored',
  async () => {
    await ran('kubectl --namespace shop set image deployment/web web=web:3');
    await eventually('the release has made a step', status, ({ phase: now, iterations }) => now === 'Progressing' && iterations > 0);
    const edit = { service: { targetPort: 'admin' } };
    await ran(`kubectl --namespace shop patch canary web --type merge --patch '${JSON.stringify({ spec: edit })}'`);
    await eventually('Serin has refused the edit', status, ({ conditions = [] }) =>
      conditions.some((one: Raw) => one.type === 'Accepted' && one.status === 'False'),
    );
    expect(await portsOfApex()).toEqual(['http']);
    const stored = await storedSpecs();
    expect(JSON.parse(stored)[0].service).toMatchObject({ targetPort: 'http' });
    expect(await phase()).toBe('Progressing');
    await processes.shift()?.stop();

    await runFlagger();
    await eventually('Flagger has written the Services', portsOfApex, (ports) => ports[0] === 'admin');
    await eventually('Flagger has dropped the release', status, ({ release }) => release === undefined);
    expect(await storedSpecs()).toBe(stored);
  },
  LONGEST_MS,
);

const status = async (): Promise<Raw> => raw(await real.cluster.get(CANARY))?.status ?? {};

const portsOfApex = async (): Promise<unknown[]> => {
  const service = await real.cluster.get({ apiVersion: 'v1', kind: 'Service', namespace: 'shop', name: 'web' });
  return raw(service).spec.ports.map(({ targetPort }: Raw) => targetPort);
};

/** As text. */
async function storedSpecs(): Promise<string> {
  const anchor = { apiVersion: 'apps/v1', kind: 'ControllerRevision', namespace: 'shop', name: anchorName({ metadata: CANARY }) };
  return (await real.cluster.get(anchor))?.metadata.annotations?.[acceptedSpecsAnnotation] ?? '';
}

const section = (heading: string): string => sectionScript(PAGE, heading).replace(BUILT, '');

async function ran(script: string): Promise<string> {
  const { exit, output } = await runScript(script, env, checkout);
  expect(exit, `${script}\n${output}`).toBe(0);
  return output;
}

const phase = async (): Promise<string> => raw(await real.cluster.get(CANARY))?.status?.phase ?? '';

async function podsOfPrimary(): Promise<(string | undefined)[]> {
  const { items } = await real.cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace: 'shop' }, { labelSelector: 'app=web-primary' });
  expect(items.length).toBeGreaterThan(0);
  return items.map(({ metadata }) => metadata.uid).toSorted();
}

const labels = { app: 'web' };
const container = { name: 'web', image: 'web:1', ports: [{ name: 'http', containerPort: 9898 }] };
const metadata = { name: 'web', namespace: 'shop' };
const SHOP = [
  {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata },
    spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container] } } },
  },
  {
    ...{ apiVersion: CANARY.apiVersion, kind: 'Canary', metadata },
    spec: {
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      service: { port: 80, targetPort: 'http' },
      analysis: { interval: '10s', threshold: 3, iterations: 2 },
    },
  },
];

/** A chart with a Deployment of Flagger's name and labels; the program itself runs beside it. */
function writeStandIn(folder: string): void {
  mkdirSync(join(folder, 'templates'), { recursive: true });
  writeFileSync(join(folder, 'Chart.yaml'), stringify({ apiVersion: 'v2', name: 'flagger', version: '1.44.0' }));
  const name = { 'app.kubernetes.io/name': 'flagger' };
  const deployment = {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'flagger' } },
    spec: {
      selector: { matchLabels: name },
      template: { metadata: { labels: name }, spec: { containers: [{ name: 'flagger', image: 'flagger:1.44.0' }] } },
    },
  };
  writeFileSync(join(folder, 'templates', 'deployment.yaml'), stringify(deployment));
}
