import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { type EmbeddedCluster, startEmbeddedCluster } from '../../src/embedded/cluster.ts';
import { describeCrdsCommand } from '../scenarios/crds-command.ts';

describe('serin crds on the embedded cluster', () => {
  const folder = mkdtempSync(join(tmpdir(), 'serin-crds-'));
  const kubeconfigFile = join(folder, 'kubeconfig');
  let embedded: EmbeddedCluster;
  beforeAll(async () => {
    embedded = await startEmbeddedCluster();
    writeFileSync(kubeconfigFile, embedded.kubeconfig);
  });
  afterAll(async () => {
    await embedded?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  describeCrdsCommand(() => ({ cluster: embedded.cluster, kubeconfigFile }));
});
