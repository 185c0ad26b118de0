import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureHelm } from '../../scripts/e2e-go-tool.ts';
import { type Nodes, startNodes } from '../../src/embedded/nodes/index.ts';
import { podCallsBy } from '../../src/embedded/nodes/pod-calls.ts';
import { raw } from '../fakes/raw.ts';
import { runScript, sectionScript } from '../scenarios/doc-commands.ts';
import { type RealCluster, startRealCluster } from './real-cluster.ts';

const PAGE = 'install.md';

/** The pods are simulated: images cannot be pulled here. chart-releases.test.ts runs the program of the chart. */
describe('the unmodified commands of the install page, on a real control plane', () => {
  const folder = mkdtempSync(join(tmpdir(), 'serin-install-'));
  let real: RealCluster;
  let nodes: Nodes;
  let path: string;

  beforeAll(async () => {
    real = await startRealCluster();
    const { cluster } = real;
    nodes = startNodes(cluster, {
      calls: podCallsBy(cluster),
    });
    await nodes.ready;
    path = `${dirname(real.kubectl)}:${dirname(await ensureHelm())}:${process.env.PATH}`;
  });

  afterAll(async () => {
    await nodes?.stop();
    await real?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  // Sections in the order of the page. `replicas` of the Deployment afterwards, undefined if it is deleted.
  it.each([
    { heading: 'With Helm', replicas: 1 },
    { heading: 'High availability', replicas: 2 },
    { heading: 'Upgrading', replicas: 2 },
    { heading: 'Uninstalling' },
    { heading: 'With Kustomize', replicas: 1 },
  ])('$heading', async ({ heading, replicas }) => {
    const { exit, output } = await runScript(sectionScript(PAGE, heading), {
      KUBECONFIG: real.adminKubeconfigFile,
      PATH: path,
      HOME: folder,
    });
    expect(exit, output).toBe(0);
    const deployment = await real.cluster.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'serin', name: 'serin' });
    expect(raw(deployment)?.spec.replicas).toBe(replicas);
    const [container] = raw(deployment)?.spec.template.spec.containers ?? [];
    if (replicas !== undefined) expect(container.args).toContain('--mesh-provider=istio');
    // Values that were set at the installation are still set after each upgrade.
    if (replicas !== undefined && heading !== 'With Kustomize') expect(container.image).toMatch(/^registry\.example\.com\/serin:/);
  });
});
