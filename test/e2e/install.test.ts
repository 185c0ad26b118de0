import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureHelm } from '../../scripts/e2e-helm.ts';
import { refOf } from '../../src/api/kube-object.ts';
import { type Nodes, startNodes } from '../../src/embedded/nodes/index.ts';
import { runScript, sectionScript } from '../suite/doc-commands.ts';
import { type RealCluster, startRealCluster } from './real-cluster.ts';

const PAGE = 'install.md';

/** The pods are stand-ins: images cannot be pulled here. What the chart starts is played in chart-releases.test.ts. */
describe('the install page, as it stands, on a real control plane', () => {
  const folder = mkdtempSync(join(tmpdir(), 'serin-install-'));
  let real: RealCluster;
  let nodes: Nodes;
  let path: string;

  beforeAll(async () => {
    real = await startRealCluster();
    const { cluster } = real;
    nodes = startNodes(cluster, {
      calls: { bind: (pod, node) => cluster.bind(refOf(pod), node), forceDelete: (pod) => cluster.forceDelete(refOf(pod)) },
    });
    await nodes.ready;
    path = `${dirname(real.kubectl)}:${dirname(await ensureHelm())}:${process.env.PATH}`;
  });

  afterAll(async () => {
    await nodes?.stop();
    await real?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  // One after the other, as on the page.
  it.each(['With Helm', 'High availability', 'Upgrading', 'Uninstalling', 'With Kustomize'])('06-HC25, HC31: %s', async (heading) => {
    const { exit, output } = await runScript(sectionScript(PAGE, heading), {
      KUBECONFIG: real.adminKubeconfigFile,
      PATH: path,
      HOME: folder,
    });
    expect(exit, output).toBe(0);
  });
});
